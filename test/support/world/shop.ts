/** An Agent whose operations call a shop: an HTTP server of the test that can withhold its responses. */
import type { Client } from '../client.ts'
import { activate, placesAt } from './places.ts'
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

/** Creates a Project whose Agent has these operations, and deploys it without activating it. */
export async function deployShop(client: Client, shop: Pick<Shop, 'url'>, operations: ReturnType<typeof operation>[]) {
  const places = await placesAt(client)
  const place = await places.place()
  const granted = operations.map(({ name }) => `shop.${name}`)
  const tools = operations.map(({ name }) => ({ kind: 'operation', name, operation: `shop.${name}` }))
  const agent = await places.agent(place, { tools }, granted, 'clerk')
  const definition = await places.operations(place, 'shop', operations)
  const { agentId } = agent
  await places.connection(place, { kind: 'http', settings: { baseUrl: shop.url }, agentId, bindingKey: 'shop' })
  const deploymentId = await places.deploy(place, [agent], [definition])
  return { ...place, agentId, deploymentId }
}

/** The same, activated. */
export async function serveShop(...shop: Parameters<typeof deployShop>) {
  const deployed = await deployShop(...shop)
  await activate(deployed)
  return deployed
}

/** A run that calls the operation. */
export const callOperation = async (
  client: Client,
  { agentId, environmentId }: { agentId: string; environmentId: string },
  tool: string,
): Promise<string> =>
  (await data(client.post('/api/v1/agent-runs', { agentId, environmentId, query: `/call ${tool} {}\n/say Done` }))).id
