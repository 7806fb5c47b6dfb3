/** Which runs and rules the evaluation of alert rules looks at. The clock is advanced manually. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { eventually } from '../../support/process.ts'
import { activate, placesOf } from '../../support/world/places.ts'
import { data } from '../../support/world/replies.ts'
import { openWorld, type World } from '../../support/world/world.ts'

const minute = 60_000
const rules = '/api/v1/alert-rules'

let world: World
beforeAll(async () => {
  world = await openWorld({ clock: new HandClock(), environment: { TROUPE_RUNNER: 'none' } })
})
afterAll(() => world?.stop())

interface Rule {
  id: string
  state: string
  now: object
}
const get = (id: string) => data<Rule>(world.owner.get(`${rules}/${id}`))

/** A queued run that may begin after this time, and a rule for runs that are stuck for five minutes. */
async function waiting(delayMs: number): Promise<string> {
  const places = placesOf(world)
  const at = await places.place()
  const agent = await places.agent(at)
  await activate({ ...at, deploymentId: await places.deploy(at, [agent]) })
  const startAt = new Date(world.clock.now() + delayMs).toISOString()
  const { agentId } = agent
  const { environmentId } = at
  await data(world.owner.post('/api/v1/agent-runs', { agentId, environmentId, query: 'Later', startAt }))
  const condition = { type: 'stuck', count: 1, forMinutes: 5 }
  return (await data<Rule>(world.owner.post(rules, { name: 'Stuck', environmentId, condition }))).id
}

test('a delayed run is stuck only once it has been due for that time', async () => {
  const id = await waiting(60 * minute)
  await world.clock.advance(20 * minute)
  expect((await get(id)).now).toEqual({ value: 0, isBreached: false })
  await world.clock.advance(44 * minute)
  expect((await get(id)).now).toEqual({ value: 0, isBreached: false })
  await world.clock.advance(minute)
  expect((await get(id)).now).toEqual({ value: 1, isBreached: true })
})

test('a damaged rule does not stop the evaluation of others', async () => {
  const id = await waiting(0)
  const [row] = world.rows('select * from alert_rules where id = ?', id) as [Record<string, string | number>]
  // it comes before the others
  const damaged = { ...row, id: newId('alr', 1), condition: '{' }
  const names = Object.keys(damaged)
  world.rows(`insert into alert_rules (${names}) values (${names.map(() => '?')})`, ...Object.values(damaged))
  await eventually('the alert', async () => {
    await world.clock.advance(minute)
    return (await get(id)).state === 'firing'
  })
})

test('a run that waits for a person counts once, whatever the others wait for', async () => {
  const { projectId, environmentId, organizationId } = await placesOf(world).place()
  const { id } = await data<Rule>(
    world.owner.post('/api/v1/agent-runs', { agentId: 'agt_system_assistant', query: 'Hello' }),
  )
  const since = world.clock.now() - 6 * minute
  for (const state of ['awaitingToolResult', 'awaitingDelegateResult']) {
    const run = world.tenancy.copyOfRun(id, organizationId, { projectId, environmentId, agentId: null })
    world.rows('update runs set state = ?, updated_at = ?, state_since = ? where id = ?', state, since, since, run)
    world.tenancy.insert('waiting_runs', {
      run_id: run,
      organization_id: organizationId,
      project_id: projectId,
      environment_id: environmentId,
      place: environmentId,
      agent_id: 'a',
      tool: 'ask',
      since,
    })
  }
  const condition = { type: 'waiting', count: 4, forMinutes: 5 }
  const rule = await data<Rule>(world.owner.post(rules, { name: 'Waiting', environmentId, condition }))
  expect((await get(rule.id)).now).toEqual({ value: 2, isBreached: false })
})
