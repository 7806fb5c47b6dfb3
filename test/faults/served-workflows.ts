/** Workflows that are authored, released and deployed on a server that is another process. */
import { operations, type Run } from '../automation/workflows/world.ts'
import type { Receiver } from '../events/webhooks/world.ts'
import type { Client } from '../support/client.ts'
import { eventually } from '../support/process.ts'
import { placesAt } from '../support/world/places.ts'

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
