/** A server that may post to receivers on this machine, an Environment with a history, and receivers. */
import type { SQLQueryBindings } from 'bun:sqlite'
import { expect } from 'bun:test'
import { type Clock, systemClock } from '../../../src/platform/time/clock.ts'
import type { Client } from '../../support/client.ts'
import { expectDescribedEvents } from '../../support/event-schemas.ts'
import { eventually } from '../../support/process.ts'
import type { TroupeOptions } from '../../support/troupe.ts'
import { dataOf, type Loose } from '../../support/world/replies.ts'
import { openWorld as openServer } from '../../support/world/world.ts'

export interface Received {
  /** Below the receiver's `base`. */
  path: string
  headers: Record<string, string>
  body: string
}

export interface Receiver {
  /** The address of all that it answers, and of its hook. */
  base: string
  url: string
  received: Received[]
  stop(): void
}

/** The answer of a receiver, by the number of the request, from 1. */
type Reaction = (request: Received, count: number) => Response | Promise<Response>

const living = new Set<{ stop(): void }>()

/**
 * A receiver on loopback that records its requests. Others, to one that had its port before, are not answered with
 * success.
 */
export function receiver(react: Reaction = () => new Response('thanks')): Receiver {
  const received: Received[] = []
  const folder = `/${crypto.randomUUID()}`
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (!pathname.startsWith(`${folder}/`)) return new Response(null, { status: 404 })
      const got = {
        path: pathname.slice(folder.length),
        headers: Object.fromEntries(request.headers),
        body: await request.text(),
      }
      return react(got, received.push(got))
    },
  })
  const stop = () => {
    living.delete(running)
    void server.stop(true)
  }
  const base = `http://127.0.0.1:${server.port}${folder}`
  const running = { base, url: `${base}/hook`, received, stop }
  living.add(running)
  return running
}

/** Answers with these statuses in turn, and then always with the last one. */
export const statuses =
  (...codes: number[]): Reaction =>
  (_, count) =>
    new Response(null, { status: codes[Math.min(count, codes.length) - 1] as number })

/** Does not answer until `release` is called. */
export function held(status = 200) {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { release: resolve, react: (() => promise.then(() => new Response(null, { status }))) as Reaction }
}

interface WorldOptions {
  environment?: Record<string, string>
  clock?: Clock
  logLevel?: TroupeOptions['logLevel']
}

/** The audit log's entries of webhooks that the server disabled. */
export async function disablingsOf({ owner }: { owner: Client }, webhookId: string) {
  const { items } = dataOf(await owner.get('/api/v1/organizations/default/audit-events', { query: { limit: 100 } }))
  return items.filter(({ operation, resource }: Loose) => operation === 'disableWebhook' && resource.id === webhookId)
}
/** One such entry. */
export const disabling = expect.objectContaining({
  actor: { type: 'server', id: 'webhooks' },
  ip: null,
  outcome: 'allowed',
  changed: ['disabledReason', 'enabled'],
})

/** An Environment with something to deploy: each submitted Deployment adds one `deployment.queued` to its history. */
export async function newPlace(owner: Client, slug = `project-${crypto.randomUUID()}`) {
  const made = async (path: string, body: object) => dataOf(await owner.post(path, body))
  const project = await made('/api/v1/projects', { slug, name: 'Project' })
  const projectPath = `/api/v1/projects/${project.id}`
  const [environment, other] = dataOf(await owner.get(`${projectPath}/environments`)).items
  const path = `${projectPath}/environments/${environment.id}`
  await owner.patch(path, { lifecycle: 'active', expectedLifecycle: 'provisioning' })
  const agent = await made(`${projectPath}/agents`, { slug: 'agent', name: 'Agent' })
  const revision = await made(`${projectPath}/agents/${agent.id}/revisions`, { content: { instructions: 'Help.' } })
  const release = await made(`${projectPath}/releases`, {
    agents: [{ agentId: agent.id, agentRevisionId: revision.id }],
  })
  const body = { releaseId: release.id, configurationRevisionId: environment.configurationHead.revisionId }
  return {
    projectId: project.id as string,
    projectName: project.name as string,
    environmentId: environment.id as string,
    agentId: agent.id as string,
    agentName: agent.name as string,
    projectPath,
    path,
    otherPath: `${projectPath}/environments/${other.id}`,
    /** An event of the kind `deployment.queued`; returns the id of the Deployment. */
    async emit(): Promise<string> {
      return (await made(`${path}/deployments`, body)).id
    },
  }
}
export type Place = Awaited<ReturnType<typeof newPlace>>

export async function openWorld({ environment = {}, clock, logLevel }: WorldOptions = {}) {
  const troupe = await openServer({
    clock: clock ?? systemClock,
    environment: {
      TROUPE_RUNNER: 'none',
      TROUPE_RATE_LIMIT_PER_MINUTE: '0',
      TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true',
      ...environment,
    },
    ...(logLevel && { logLevel }),
  })
  const { owner } = troupe
  const place = await newPlace(owner, 'shop')

  const list = async (webhookId: string, at = place.path): Promise<Loose[]> =>
    dataOf(await owner.get(`${at}/webhooks/${webhookId}/deliveries`, { query: { limit: 100 } })).items

  return {
    troupe,
    owner,
    place,
    path: place.path,
    /** A webhook for submitted Deployments by default; returns the answer's data. */
    async webhook(endpointUrl: string, more: object = {}, at = place.path): Promise<Loose> {
      return dataOf(await owner.post(`${at}/webhooks`, { endpointUrl, eventTypes: ['deployment.queued'], ...more }))
    },
    deliveries: list,
    /** The deliveries of the webhook, once there are this many, all in one of these states. */
    settled: (webhookId: string, count: number, ...states: string[]): Promise<Loose[]> =>
      eventually(`${count} deliveries that are ${states.join(' or ')}`, async () => {
        const found = await list(webhookId)
        return found.length === count && found.every(({ state }) => states.includes(state)) && found
      }),
    rows: (sql: string, ...values: SQLQueryBindings[]) => troupe.rows<Loose>(sql, ...values),
    async stop() {
      for (const running of [...living]) running.stop()
      try {
        expectDescribedEvents(troupe.file)
      } finally {
        await troupe.stop()
      }
    },
  }
}
export type World = Awaited<ReturnType<typeof openWorld>>

export { eventually }
