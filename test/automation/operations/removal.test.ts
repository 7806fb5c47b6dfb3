/** Invocations go with what they belong to. Source: contract 2, "Deletion". */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually } from '../../support/process.ts'
import { echoOperation } from '../../support/world/places.ts'
import { data } from '../../support/world/replies.ts'
import { calls, type Operations, openOperations, type Served } from './world.ts'

let world: Operations
beforeAll(async () => {
  world = await openOperations()
})
afterAll(() => world?.stop())

/** One that has ended, one that waits, and a run that waits for another. */
async function furnished() {
  const served = await world.serving([echoOperation('echo'), echoOperation('ask', { approval: 'always' })])
  await data(served.invoke('shop.echo'))
  await data(served.invoke('shop.ask'))
  const run = await world.run(served.place, served.agent.agentId, calls(['ask']))
  expect(run.state).toBe('awaitingToolResult')
  return served
}
/** What is left of the invocations of an Agent, in every table. */
function left({ agent: { agentId } }: Served, ids: string[]) {
  const list = ids.map((id) => `'${id}'`).join()
  const count = (table: string, where: string) =>
    world.rows<{ count: number }>(`select count(*) as count from ${table} where ${where}`)[0]!.count
  return {
    invocations: count('operation_invocations', `agent_id = '${agentId}'`),
    approvals: count('operation_approvals', `agent_id = '${agentId}'`),
    transitions: count('transitions', `actor_id in (${list})`),
    timers: count('timers', `actor_id in (${list})`),
    effects: count('effects', `actor_id in (${list})`),
  }
}
const idsOf = ({ agent: { agentId } }: Served) =>
  world.rows<{ id: string }>(`select id from operation_invocations where agent_id = '${agentId}'`).map(({ id }) => id)
const nothing = { invocations: 0, approvals: 0, transitions: 0, timers: 0, effects: 0 }

test('with a Project: nothing of them is left, and nothing waits any more', async () => {
  const served = await furnished()
  const ids = idsOf(served)
  expect(ids).toHaveLength(3)
  expect(left(served, ids)).toMatchObject({ invocations: 3, approvals: 2, timers: 2 })
  expect((await world.owner.delete(served.place.project)).status).toBe(202)
  await eventually('a Project that is gone', async () => (await world.owner.get(served.place.project)).status === 404)
  await eventually('nothing left', () => JSON.stringify(left(served, ids)) === JSON.stringify(nothing))
})

test('a call that comes while its Project is being deleted is refused', async () => {
  const served = await furnished()
  expect((await world.owner.delete(served.place.project)).status).toBe(202)
  expect([404, 409]).toContain((await served.invoke('shop.echo')).status)
})
