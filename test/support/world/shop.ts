/** An Agent whose operations call a shop: an HTTP server of the test that can withhold its responses. */
import type { Client } from '../client.ts'
import { eventually } from '../process.ts'
import { data } from './replies.ts'

export type Shop = ReturnType<typeof startShop>

/** Counts requests; withholds its responses while it is silent. */
export function startShop() {
  const shop = {
    asked: [] as { path: string; key: string | null }[],
    silent: false,
    url: '',
    stop: () => void server.stop(true),
    onAnswered: () => {},
  }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch(request) {
      shop.asked.push({ path: new URL(request.url).pathname, key: request.headers.get('idempotency-key') })
      if (shop.silent) return new Promise<Response>(() => {})
      setImmediate(() => shop.onAnswered())
      return Response.json({ count: shop.asked.length })
    },
  })
  shop.url = `http://127.0.0.1:${server.port}`
  return shop
}

/** An operation that calls the shop. */
export const operation = (name: string, changes: object = {}) => ({
  name,
  description: name,
  inputSchema: { type: 'object' },
  effect: 'write',
  idempotent: false,
  approval: 'never',
  timeoutMs: 60_000,
  handler: { type: 'http', connection: 'shop', method: 'POST', path: `/${name}` },
  ...changes,
})

/** Creates a Project whose Agent has these operations, and serves it. */
export async function serveShop(client: Client, shop: Pick<Shop, 'url'>, operations: ReturnType<typeof operation>[]) {
  const { id: projectId } = await data(client.post('/api/v1/projects', { slug: 'p', name: 'P' }))
  const project = `/api/v1/projects/${projectId}`
  const environments = await data<{ items: { id: string }[] }>(client.get(`${project}/environments`))
  const environmentId = environments.items[0]!.id
  const path = `${project}/environments/${environmentId}`
  await data(client.patch(path, { lifecycle: 'active', expectedLifecycle: 'provisioning' }))
  const { id: definitionId } = await data(client.post(`${project}/definitions`, { name: 'shop', kind: 'operations' }))
  const { id: definitionRevisionId } = await data(
    client.post(`${project}/definitions/${definitionId}/revisions`, { source: { operations } }),
  )
  const { id: agentId } = await data(client.post(`${project}/agents`, { slug: 'a', name: 'A' }))
  const { id: agentRevisionId } = await data(
    client.post(`${project}/agents/${agentId}/revisions`, {
      content: {
        instructions: 'Help.',
        tools: operations.map(({ name }) => ({ kind: 'operation', name, operation: `shop.${name}` })),
      },
      grantedOperations: operations.map(({ name }) => `shop.${name}`),
    }),
  )
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
  await data(client.post(`${path}/activations`, { deploymentId, expectedGeneration: 0 }))
  return { path, agentId, environmentId }
}

/** A run that calls the operation. */
export const callOperation = async (
  client: Client,
  { agentId, environmentId }: { agentId: string; environmentId: string },
  tool: string,
): Promise<string> =>
  (await data(client.post('/api/v1/agent-runs', { agentId, environmentId, query: `/call ${tool} {}\n/say Done` }))).id
