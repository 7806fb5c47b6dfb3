/**
 * A server whose Agents are authored, released, deployed and run over HTTP, with services beside it that they may call: one
 * that takes any request, and one that speaks like a vendor's model.
 */
import { expect } from 'bun:test'
import { systemClock } from '../../../src/platform/time/clock.ts'
import type { Client } from '../../support/client.ts'
import { expectDescribedEvents } from '../../support/event-schemas.ts'
import { eventually } from '../../support/process.ts'
import { ownerEmail, ownerPassword, type TroupeOptions } from '../../support/troupe.ts'
import { data } from '../../support/world/replies.ts'
import { openWorld as openServer } from '../../support/world/world.ts'
import { frames } from '../providers/wire.ts'

/** What a service was asked. */
export interface Asked {
  method: string
  /** With the query. */
  path: string
  headers: Record<string, string>
  text: string
}

export interface Pin {
  agentId: string
  agentRevisionId: string
}
export interface Place {
  projectId: string
  project: string
  environmentId: string
  path: string
}
type Run = {
  id: string
  state: string
  stateReason: { code: string; message: string } | null
  [field: string]: unknown
}

const ended = ['completed', 'failed', 'canceled', 'expired']

/** A service that answers as the last one said who was asked, and remembers everybody. */
function startService(answer: (asked: Asked, request: Request) => Response | Promise<Response>) {
  const asked: Asked[] = []
  const service = { asked, answer, url: '', port: 0, stop: () => server.stop(true) }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const one = {
        method: request.method,
        path: pathname + search,
        headers: Object.fromEntries(request.headers),
        text: await request.text(),
      }
      asked.push(one)
      return service.answer(one, request)
    },
  })
  service.port = server.port as number
  service.url = `http://127.0.0.1:${server.port}`
  return service
}

/** Says one word, as vendors with an override are spoken to. */
export const said = (text: string) =>
  new Response(frames.openaiChat({ text: [text], finish: 'stop' }).join(''), {
    headers: { 'content-type': 'text/event-stream' },
  })

/** An operation over a Connection that is bound as `shop`. */
export const httpOperation = (name: string, handler: object, changes: object = {}) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object' },
  effect: 'read',
  idempotent: true,
  approval: 'never',
  handler: { type: 'http', connection: 'shop', method: 'GET', path: '/', ...handler },
  ...changes,
})

export const echoOperation = (name = 'echo', changes: object = {}) =>
  httpOperation(name, {}, { handler: { type: 'echo' }, ...changes })

export async function openWorld({ environment = {}, clock = systemClock, ...options }: TroupeOptions = {}) {
  const shop = startService(() => Response.json({ ok: true }))
  const vendor = startService(() => said('Hello'))
  const server = await openServer({
    ...options,
    clock,
    environment: {
      TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true',
      TROUPE_OPENAI_BASE_URL: `${vendor.url}/v1`,
      TROUPE_ANTHROPIC_BASE_URL: `${vendor.url}/v1`,
      TROUPE_ATTEMPT_BACKOFF_MS: '1',
      ...environment,
    },
  })
  const { owner, ours } = server
  let count = 0

  const world = {
    ...server,
    shop,
    vendor,

    /** The owner of another organization. */
    async foreigner(): Promise<Client> {
      count += 1
      const nobody = server.as(null)
      const signedIn = await nobody.post('/api/auth/sessions', { email: ownerEmail, password: ownerPassword })
      const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
      const headers = { cookie, 'x-csrf-token': signedIn.body.data.csrfToken }
      const { id } = await data(
        nobody.post('/api/v1/organizations', { name: 'Foreign', slug: `foreign-${count}` }, { headers }),
      )
      const { secret } = await data<{ secret: string }>(
        nobody.post(
          '/api/v1/api-keys',
          { name: 'key', operations: ['*'] },
          { headers: { ...headers, 'x-troupe-organization': id } },
        ),
      )
      return server.as(secret)
    },

    /** A new Project with an Environment that is active. */
    async place(client: Client = owner): Promise<Place> {
      count += 1
      const { id: projectId } = await data(
        client.post('/api/v1/projects', { slug: `project-${count}`, name: 'Project' }),
      )
      const project = `/api/v1/projects/${projectId}`
      const { items } = await data<{ items: { id: string }[] }>(client.get(`${project}/environments`))
      return world.inEnvironment({ projectId, project }, items[0]!.id)
    },

    async inEnvironment(at: Pick<Place, 'project' | 'projectId'>, environmentId: string): Promise<Place> {
      const path = `${at.project}/environments/${environmentId}`
      await data(owner.patch(path, { lifecycle: 'active', expectedLifecycle: 'provisioning' }))
      return { ...at, environmentId, path }
    },

    /** An Agent with one revision. */
    async agent(place: Place, content: object = {}, grantedOperations: string[] = []): Promise<Pin & { slug: string }> {
      count += 1
      const slug = `agent-${count}`
      const agents = `${place.project}/agents`
      const { id: agentId } = await data(owner.post(agents, { slug, name: `Agent ${count}` }))
      return { ...(await world.revise(place, agentId, content, grantedOperations)), slug }
    },

    async revise(place: Place, agentId: string, content: object = {}, grantedOperations: string[] = []): Promise<Pin> {
      const { id } = await data(
        owner.post(`${place.project}/agents/${agentId}/revisions`, {
          content: { instructions: 'Help.', ...content },
          grantedOperations,
        }),
      )
      return { agentId, agentRevisionId: id }
    },

    async operations(place: Place, name: string, operations: object[]) {
      const path = `${place.project}/definitions`
      const { id: definitionId } = await data(owner.post(path, { name, kind: 'operations' }))
      const { id } = await data(owner.post(`${path}/${definitionId}/revisions`, { source: { operations } }))
      return { definitionId, definitionRevisionId: id }
    },

    async connection(place: Place, agentId: string, settings: object = {}, changes: object = {}) {
      count += 1
      return await data<{ id: string }>(
        owner.post(`${place.path}/connections`, {
          name: `Connection ${count}`,
          kind: 'http',
          settings: { baseUrl: `${shop.url}/v1`, ...settings },
          agentId,
          bindingKey: 'shop',
          ...changes,
        }),
      )
    },

    variable: (place: Place, name: string, value: string, changes: object = {}) =>
      data<{ id: string }>(owner.post(`${place.path}/variables`, { name, value, ...changes })),

    async credential(provider: string, secret: string) {
      const credentials = `/api/v1/organizations/${ours}/provider-credentials`
      const { id } = await data(owner.post(credentials, { label: 'Key', provider, credentialType: 'api_key', secret }))
      const path = `${credentials}/${id}`
      return {
        id,
        disable: () => data(owner.patch(path, { status: 'disabled' })),
        enable: () => data(owner.patch(path, { status: 'active' })),
        rotate: (next: string) => data(owner.post(`${path}/versions`, { secret: next })),
      }
    },

    setting: (place: Place, agentId: string, setting: object) =>
      data<{ settingId: number }>(owner.post(`${place.path}/agents/${agentId}/provider-settings`, setting)),

    /** Releases, takes the configuration as it is, deploys; the Deployment is ready. */
    async deploy(
      place: Place,
      agents: readonly Pin[],
      definitions: readonly object[] = [],
      delegateAttachments: readonly object[] = [],
    ): Promise<string> {
      const { id: releaseId } = await data(
        owner.post(`${place.project}/releases`, {
          agents: agents.map(({ agentId, agentRevisionId }) => ({ agentId, agentRevisionId })),
          definitions,
          delegateAttachments,
        }),
      )
      const { configurationHead } = await data<{ configurationHead: { revisionId: string } }>(owner.get(place.path))
      const { id: configurationRevisionId } = await data(
        owner.post(`${place.path}/configuration-revisions`, { expectedHeadRevisionId: configurationHead.revisionId }),
      )
      const deployments = `${place.path}/deployments`
      const { id } = await data(owner.post(deployments, { releaseId, configurationRevisionId }))
      const deployment = await eventually(`the end of ${id}`, async () => {
        const found = await data<{ state: string; stateReason: unknown }>(owner.get(`${deployments}/${id}`))
        return ['ready', 'failed', 'canceled'].includes(found.state) && found
      })
      expect(deployment).toMatchObject({ state: 'ready', stateReason: null })
      return id
    },

    async activate(place: Place, deploymentId: string) {
      const { generation } = await data<{ generation: number }>(owner.get(place.path))
      await data(owner.post(`${place.path}/activations`, { deploymentId, expectedGeneration: generation }))
    },

    /** Deploys and activates. */
    async serve(
      place: Place,
      ...released: [readonly Pin[], (readonly object[])?, (readonly object[])?]
    ): Promise<string> {
      const deploymentId = await world.deploy(place, ...released)
      await world.activate(place, deploymentId)
      return deploymentId
    },

    start: (place: Place, agentId: string, query: string, changes: object = {}, client: Client = owner) =>
      client.post('/api/v1/agent-runs', { agentId, environmentId: place.environmentId, query, ...changes }),

    /** Starts a run and waits until it has ended, or waits for somebody. */
    async run(place: Place, agentId: string, query: string, changes: object = {}): Promise<Run> {
      const { id } = await data(world.start(place, agentId, query, changes))
      return world.ended(id)
    },

    ended: (id: string, states: readonly string[] = [...ended, 'awaitingToolResult']): Promise<Run> =>
      eventually(`the end of ${id}`, async () => {
        const run = await data<Run>(owner.get(`/api/v1/agent-runs/${id}`))
        return states.includes(run.state) && run
      }),

    /** Its steps, oldest first. */
    async steps(runId: string) {
      const { items } = await data<{ items: Step[] }>(
        owner.get(`/api/v1/agent-runs/${runId}/steps`, { query: { limit: 100 } }),
      )
      return items
    },

    /** What came of the only tool call of a run. */
    async called(runId: string): Promise<{ output: unknown; error: { code: string; message: string } | null }> {
      const tools = (await world.steps(runId)).filter(({ kind }) => kind === 'tool')
      expect(tools).toHaveLength(1)
      const { output, error } = tools[0]!
      return { output, error }
    },

    /** Whatever the tests have brought about is told as the schemas of its kinds say. */
    async stop() {
      try {
        expectDescribedEvents(server.file)
      } finally {
        await server.stop()
        await Promise.all([shop.stop(), vendor.stop()])
      }
    },
  }
  return world
}

export interface Step {
  kind: string
  name: string
  status: string
  agent: { agentId: string; agentRevisionId: string; name: string }
  execution: { provider: string | null; model: string | null; toolCallId: string | null }
  input: unknown
  output: unknown
  error: { code: string; message: string } | null
}

export type World = Awaited<ReturnType<typeof openWorld>>
