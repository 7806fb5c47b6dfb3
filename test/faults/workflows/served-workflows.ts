/** Workflows that are authored, released and deployed on a server that is another process. */
import { operations, type Run } from '../../automation/workflows/world.ts'
import { type Receiver, receiver } from '../../events/webhooks/world.ts'
import type { Client } from '../../support/client.ts'
import { endAll, eventually, Site } from '../../support/process.ts'
import { placesAt } from '../../support/world/places.ts'

export interface Served {
  path: string
  environmentPath: string
  agentId: string
}

const granted = operations.flatMap(({ name }) => (name === 'ungranted' ? [] : [name]))
const patient = operations.map((operation) => ({ ...operation, timeoutMs: 30_000 }))

/** An Environment that serves an Agent and workflows with these steps, or of these sources, by name. */
export async function serve(
  client: Client,
  shop: Receiver,
  workflows: Record<string, object[] | { steps: object[]; output?: object }>,
): Promise<Served> {
  const places = await placesAt(client)
  const place = await places.place()
  const agent = await places.agent(
    place,
    {},
    granted.map((name) => `shop.${name}`),
  )
  const definitions = [await places.operations(place, 'shop', patient)]
  for (const [name, given] of Object.entries(workflows)) {
    const source = { params: {}, ...(Array.isArray(given) ? { steps: given } : given) }
    definitions.push(await places.define(place, name, 'workflow', source))
  }
  const { agentId } = agent
  await places.connection(place, { kind: 'http', settings: { baseUrl: shop.base }, agentId, bindingKey: 'shop' })
  await places.serve(place, [agent], definitions)
  const { path } = place
  return { path: `${path}/workflows`, environmentPath: path, agentId }
}

export const start = async (client: Client, { path, agentId }: Served, name: string, params = {}): Promise<string> =>
  (await client.post(path, { agentId, definitionIdOrName: name, params })).body.data.workflowRunId

export const until = (client: Client, { path }: Served, id: string, states: string[]): Promise<Run> =>
  eventually(`${id} in ${states}`, async () => {
    const { body } = await client.get(`${path}/${id}`)
    return states.includes(body.data.state) && body.data
  })

const sites: Site[] = []
const receivers: Receiver[] = []

export async function newSite(): Promise<Site> {
  const site = await Site.create({ TROUPE_RUNNER: 'none', TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true' })
  sites.push(site)
  return site
}

export function shopping(...given: Parameters<typeof receiver>): Receiver {
  const shop = receiver(...given)
  receivers.push(shop)
  return shop
}

/** Ends the servers and shops of a file of tests. */
export async function endShops() {
  await endAll()
  for (const { stop } of receivers.splice(0)) stop()
  for (const site of sites.splice(0)) await site.remove()
}

export const step = (id: string, operation: string, more: object = {}) => ({
  id,
  operation: `shop.${operation}`,
  ...more,
})
export const inputOf = (id: string) => ({ input: { what: `{{params.run}}-${id}` } })
export const keys = ({ received }: Receiver, path: string) =>
  received.filter((each) => each.path === path).map(({ headers }) => headers['idempotency-key'])
export const never = () => new Promise<Response>(() => {})
