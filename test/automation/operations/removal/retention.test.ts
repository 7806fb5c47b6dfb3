/** Retention of invocations. Source: contract 9, "Configuration". */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { HandClock } from '../../../runtime/statecharts/clock.ts'
import { eventually } from '../../../support/process.ts'
import { echoOperation } from '../../../support/world/places.ts'
import { data } from '../../../support/world/replies.ts'
import { calls, type Invocation, type Operations, openOperations, type Served } from '../world.ts'

const clock = new HandClock()
const [minute, day] = [60_000, 86_400_000]
let world: Operations
let served: Served
beforeAll(async () => {
  world = await openOperations({ clock, environment: { TROUPE_OPERATION_RETENTION_DAYS: '1.5' } })
  served = await world.serving([echoOperation('echo'), echoOperation('ask', { approval: 'always' })], {
    tools: [{ kind: 'interactive', name: 'choose', description: 'Asks.', inputSchema: { type: 'object' } }],
  })
})
afterAll(() => world?.stop())

const kept = async () => {
  const { items } = await data<{ items: Invocation[] }>(world.owner.get(served.invocations, { query: { limit: 100 } }))
  return items.map(({ id }) => id).sort()
}
const invoked = async (operation: string, body: object = { input: {} }) =>
  (await served.invoke(operation, body)).body.data.id as string
/** Maintenance runs every ten minutes. */
const inTime = (what: string, until: () => Promise<boolean>) =>
  eventually(what, () => {
    clock.advance(10 * minute)
    return until()
  })

test('ended invocations are deleted with their approvals and journals; waiting ones, and calls of live runs, are kept', async () => {
  const keyed = { input: { n: 1 }, idempotencyKey: 'once' }
  const first = await invoked('shop.echo', keyed)
  const run = await world.run(served.place, served.agent.agentId, calls(['echo'], ['choose']))
  expect(run.state).toBe('awaitingToolResult')
  const [called] = (
    await data<{ items: Invocation[] }>(world.owner.get(served.invocations, { query: { agentRunId: run.id } }))
  ).items
  const asked = await invoked('shop.ask')
  const { id: approvalId } = await world.pending(served)
  await data(world.owner.post(`${served.approvals}/${approvalId}/reject`))
  clock.advance(day)
  const waiting = await invoked('shop.ask')
  const recent = await invoked('shop.echo')
  expect(await kept()).toHaveLength(5)

  clock.advance(day / 2)
  await inTime('a removal', async () => (await kept()).length === 3)
  expect(await kept()).toEqual([called!.id, waiting, recent].sort())
  expect((await world.owner.get(`${served.invocations}/${first}`)).status).toBe(404)
  expect((await world.owner.get(`${served.approvals}/${approvalId}`)).status).toBe(404)
  for (const id of [first, asked]) {
    expect(world.rows('select 1 from transitions where actor_id = ?', id)).toEqual([])
  }
  expect(await invoked('shop.echo', keyed)).not.toBe(first)

  await data(world.owner.post(`/api/v1/agent-runs/${run.id}/cancel`))
  await inTime('the call of the run', async () => !(await kept()).includes(called!.id))
})
