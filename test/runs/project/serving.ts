/** Active Agents with operations as tools, which a run then uses. */

import { expect } from 'bun:test'
import type { AgentPin, Place } from '../../support/world/places.ts'
import type { World } from './world.ts'

/** The directive that makes the sandbox model use a tool. */
export const call = (tool: string, input: object = {}) => `/call ${tool} ${JSON.stringify(input)}\n/say Done`

interface Bound {
  place: Place
  agent: AgentPin
  /** Runs the tool; returns its outcome. */
  use(input?: object, tool?: string): Promise<{ output: unknown; error: { code: string; message: string } | null }>
}

export const servingIn = (world: World) =>
  /** An active Agent with operations as tools of the same names. */
  async function serving(
    operations: { name: string }[],
    configure: (place: Place, agentId: string) => Promise<unknown> = (place, agentId) =>
      world.connection(place, agentId),
    bindings: object[] = [],
  ): Promise<Bound> {
    const place = await world.place()
    const names = operations.map(({ name }) => `shop.${name}`)
    const tools = operations.map(({ name }) => ({ kind: 'operation', name, operation: `shop.${name}` }))
    const agent = await world.agent(place, { tools, bindings }, names)
    const definition = await world.operations(place, 'shop', operations)
    await configure(place, agent.agentId)
    await world.serve(place, [agent], [definition])
    return {
      place,
      agent,
      async use(input = {}, tool = operations[0]!.name) {
        const run = await world.run(place, agent.agentId, call(tool, input))
        expect(run).toMatchObject({ state: 'completed' })
        return world.called(run.id)
      },
    }
  }

/** None of the secrets is in the store, the log or an answer. */
export function expectHidden(world: World, secrets: readonly string[]) {
  const texts = world
    .rows<{ name: string }>("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
    .map(({ name }) => JSON.stringify(world.rows(`select * from "${name}"`)))
  for (const secret of secrets) {
    for (const text of [...texts, JSON.stringify(world.lines)]) expect(text).not.toContain(secret)
  }
}
