/** The incidents of an alert rule, and the notifications at their end. The clock is advanced manually. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { eventually } from '../../support/process.ts'
import { type Place, placesOf } from '../../support/world/places.ts'
import { data, walk } from '../../support/world/replies.ts'
import { openWorld, type World } from '../../support/world/world.ts'

const minute = 60_000
const rules = '/api/v1/alert-rules'

let world: World
let place: Place
beforeAll(async () => {
  world = await openWorld({ clock: new HandClock(), environment: { TROUPE_RUNNER: 'none' } })
  place = await placesOf(world).place()
  const eventTypes = ['alert.firing', 'alert.resolved']
  await data(world.owner.post(`${place.path}/webhooks`, { endpointUrl: 'https://example.com/hook', eventTypes }))
  const { id } = await data(world.owner.post('/api/v1/agent-runs', { agentId: 'agt_system_assistant', query: 'Hello' }))
  const { projectId, environmentId, organizationId } = place
  const copy = world.tenancy.copyOfRun(id, organizationId, { projectId, environmentId, agentId: null })
  const since = world.clock.now() - 6 * minute
  world.rows("update runs set state = 'running', updated_at = ?, state_since = ? where id = ?", since, since, copy)
})
afterAll(() => world?.stop())

/** A rule with an incident: a run of the Environment is stuck. `before` it fires. */
async function firing(before: (id: string) => void = () => {}): Promise<string> {
  const condition = { type: 'stuck', count: 1, forMinutes: 5 }
  const body = { name: 'Stuck', environmentId: place.environmentId, condition, holdMinutes: 1 }
  const { id } = await data(world.owner.post(rules, body))
  before(id)
  await eventually('the alert', async () => {
    await world.clock.advance(minute)
    return (await data<{ state: string }>(world.owner.get(`${rules}/${id}`))).state === 'firing'
  })
  return id
}

test('a rule that gets another condition while it fires is resolved with the one that had held', async () => {
  const id = await firing()
  const condition = { type: 'failing', count: 900, withinMinutes: 10 }
  await data(world.owner.patch(`${rules}/${id}`, { name: 'Failing', condition }))
  const { body } = await world.owner.get(`${place.path}/events`, { query: { limit: 100 } })
  const told = (body.events as { data: { alertRuleId?: string } }[]).filter(({ data }) => data.alertRuleId === id)
  const asBefore = { name: 'Stuck', summary: '1 run or more stuck for 5 minutes', threshold: 1 }
  expect(told.map(({ data }) => data)).toMatchObject([
    { ...asBefore, resolution: null },
    { ...asBefore, resolution: 'changed' },
  ])
})

test('the last hundred are kept', async () => {
  const id = await firing((rule) => {
    const insert = 'insert into alert_incidents (id, alert_rule_id, fired_at, value, resolved_at, resolution)'
    for (let value = 1; value <= 100; value += 1)
      world.rows(`${insert} values (?, ?, ?, ?, ?, 'cleared')`, newId('ali', value), rule, value, value, value)
  })
  const { items } = await walk(world.owner, `${rules}/${id}/incidents`, 100)
  expect([items.length, items.at(-1)?.value]).toEqual([100, 2])
})
