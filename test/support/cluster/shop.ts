/** An Agent with HTTP operations, served by a cluster, and the shop that its operations call. */
import type { Client } from '../client.ts'
import { eventually } from '../process.ts'
import { data } from '../world/replies.ts'

export interface Shop {
  url: string
  /** The keys of the calls of an operation, with repetitions. */
  asked: Map<string, number>
  /** The number of requests for each query of a call. */
  queries: Map<string, number>
  /** While this promise is set, calls wait for it. */
  gate: Promise<unknown> | undefined
  stop(): void
}

/** Counts requests by the name in the call. */
export function startShop(): Shop {
  const count = (of: Map<string, number>, name: string) => void of.set(name, (of.get(name) ?? 0) + 1)
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const body = (await request.json().catch(() => ({}))) as { about?: string }
      count(shop.asked, new URL(request.url).pathname.slice(1))
      if (body.about !== undefined) count(shop.queries, body.about)
      await shop.gate
      return Response.json({ said: body.about ?? null })
    },
  })
  const shop: Shop = {
    url: `http://127.0.0.1:${server.port}`,
    asked: new Map(),
    queries: new Map(),
    gate: undefined,
    stop: () => void server.stop(true),
  }
  return shop
}

const operation = (name: string, changes: object = {}) => ({
  name,
  description: name,
  inputSchema: { type: 'object', properties: { about: { type: 'string' } }, required: ['about'] },
  effect: 'write',
  idempotent: false,
  approval: 'never',
  timeoutMs: 60_000,
  handler: {
    type: 'http',
    connection: 'shop',
    method: 'POST',
    path: `/${name}`,
    body: { about: '{{input.about}}' },
  },
  ...changes,
})
/** `send` is never repeated, `put` may be. */
const operations = [operation('send'), operation('put', { idempotent: true })]

export interface Served {
  project: string
  projectId: string
  path: string
  environmentId: string
  agentId: string
  deploymentId: string
}

let projects = 0

/** Deploys the Agent in a new Project, without activating it. */
export async function deployed(client: Client, shop: Pick<Shop, 'url'>): Promise<Served> {
  projects += 1
  const slug = `shop-${projects}`
  const { id: projectId } = await data(client.post('/api/v1/projects', { slug, name: 'Shop' }))
  const project = `/api/v1/projects/${projectId}`
  const environments = await data<{ items: { id: string }[] }>(client.get(`${project}/environments`))
  const environmentId = environments.items[0]!.id
  const path = `${project}/environments/${environmentId}`
  await data(client.patch(path, { lifecycle: 'active', expectedLifecycle: 'provisioning' }))
  const { id: definitionId } = await data(client.post(`${project}/definitions`, { name: 'shop', kind: 'operations' }))
  const source = { source: { operations } }
  const { id: definitionRevisionId } = await data(
    client.post(`${project}/definitions/${definitionId}/revisions`, source),
  )
  const { id: agentId } = await data(client.post(`${project}/agents`, { slug: 'clerk', name: 'Clerk' }))
  const names = operations.map(({ name }) => `shop.${name}`)
  const content = {
    instructions: 'Help.',
    tools: operations.map(({ name }) => ({ kind: 'operation', name, operation: `shop.${name}` })),
  }
  const revision = { content, grantedOperations: names }
  const { id: agentRevisionId } = await data(client.post(`${project}/agents/${agentId}/revisions`, revision))
  const settings = { baseUrl: shop.url }
  await data(client.post(`${path}/connections`, { name: 'Shop', kind: 'http', settings, agentId, bindingKey: 'shop' }))
  const { id: releaseId } = await data(
    client.post(`${project}/releases`, {
      agents: [{ agentId, agentRevisionId }],
      definitions: [{ definitionId, definitionRevisionId }],
    }),
  )
  const head = await data<{ configurationHead: { revisionId: string } }>(client.get(path))
  const { id: configurationRevisionId } = await data(
    client.post(`${path}/configuration-revisions`, { expectedHeadRevisionId: head.configurationHead.revisionId }),
  )
  const { id: deploymentId } = await data(client.post(`${path}/deployments`, { releaseId, configurationRevisionId }))
  await eventually('a Deployment that is ready', async () => {
    return (await client.get(`${path}/deployments/${deploymentId}`)).body.data.state === 'ready'
  })
  return { project, projectId, path, environmentId, agentId, deploymentId }
}

/** Deploys and activates the Agent. */
export async function serving(client: Client, shop: Pick<Shop, 'url'>): Promise<Served> {
  const served = await deployed(client, shop)
  await data(client.post(`${served.path}/activations`, { deploymentId: served.deploymentId, expectedGeneration: 0 }))
  return served
}
