/** Invocations are deleted with their parents. Source: contract 2, "Deletion". */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually } from '../../../support/process.ts'
import { echoOperation } from '../../../support/world/places.ts'
import { data } from '../../../support/world/replies.ts'
import { calls, type Operations, openOperations, type Served } from '../world.ts'

let world: Operations
beforeAll(async () => {
  world = await openOperations()
})
afterAll(() => world?.stop())

/** An ended invocation, one that waits for an approval, and a run that waits for another. */
async function servedWithCalls() {
  const served = await world.serving([echoOperation('echo'), echoOperation('ask', { approval: 'always' })])
  await data(served.invoke('shop.echo'))
  await data(served.invoke('shop.ask'))
  const run = await world.run(served.place, served.agent.agentId, calls(['ask']))
  expect(run.state).toBe('awaitingToolResult')
  return served
}
/** What remains of the invocations of an Agent, in every table. */
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

test('with their Project: nothing remains, and no timer is left', async () => {
  const served = await servedWithCalls()
  const ids = idsOf(served)
  expect(ids).toHaveLength(3)
  expect(left(served, ids)).toMatchObject({ invocations: 3, approvals: 2, timers: 2 })
  expect((await world.owner.delete(served.place.project)).status).toBe(202)
  await eventually(
    'the deletion of a Project',
    async () => (await world.owner.get(served.place.project)).status === 404,
  )
  await eventually('nothing left', () => JSON.stringify(left(served, ids)) === JSON.stringify(nothing))
})

test('a call during the deletion of its Project is rejected', async () => {
  const served = await servedWithCalls()
  expect((await world.owner.delete(served.place.project)).status).toBe(202)
  expect([404, 409]).toContain((await served.invoke('shop.echo')).status)
})

test('an Agent that works as a delegate in a live run is not deleted with the approval that the run waits for', async () => {
  const place = await world.place()
  const shop = await world.operations(place, 'shop', [echoOperation('ask', { approval: 'always' })])
  const tools = [{ kind: 'operation', name: 'ask', operation: 'shop.ask' }]
  const helper = await world.agent(place, { tools }, ['shop.ask'])
  const delegates = [{ name: 'helper', description: 'Helps.', agentId: helper.agentId }]
  const lead = await world.agent(place, { delegates })
  await world.serve(place, [lead, helper], [shop])
  const run = await world.run(place, lead.agentId, calls(['helper', { query: calls(['ask']) }]))
  expect(run.state).toBe('awaitingToolResult')

  // nothing but the run depends on it any more
  await world.serve(place, [await world.agent(place)])
  const path = `${place.project}/agents/${helper.agentId}`
  const refused = await world.owner.delete(path)
  expect([refused.status, refused.body.error]).toMatchObject([
    409,
    { code: 'agent_in_use', details: { dependents: [{ type: 'agentRun', id: run.id }] } },
  ])

  const approvals = `${place.path}/operation-approvals`
  const { id } = await world.pending({ approvals })
  await data(world.owner.post(`${approvals}/${id}/approve`))
  expect(await world.ended(run.id, ['completed', 'failed'])).toMatchObject({ state: 'completed' })
  expect((await world.owner.delete(path)).status).toBe(202)
})
