/** Usage by Agent and Project in periods of any length, and events of budget thresholds. Source: contract 6, 8. */
import { Database } from 'bun:sqlite'
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { newPlace, type Place } from '../../events/webhooks/world.ts'
import type { Client } from '../../support/client.ts'
import { expectDescribedEvents } from '../../support/event-schemas.ts'
import { eventually } from '../../support/process.ts'
import { completed, type HeldAttempt, lease } from '../../support/simulated-runner.ts'
import { click } from '../embedded.ts'
import { base, keyed, portalBody } from '../world.ts'
import { agentId, minute, openWorld, runnerToken, second, type Tenant, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true' })
})
afterEach(() => world.tidy())
afterAll(() => world?.stop())

const usageOf = ({ client, id }: Tenant, query: Record<string, string>) => client.get(`${base(id)}/usage`, { query })

/** An Environment with a deployed Agent. */
async function served(client: Client): Promise<Place> {
  const place = await newPlace(client)
  const deployment = await place.emit()
  const path = `${place.path}/deployments/${deployment}`
  await eventually('the Deployment', async () => (await client.get(path)).body.data.state === 'ready')
  const reply = await client.post(`${place.path}/activations`, { deploymentId: deployment, expectedGeneration: 0 })
  expect(reply.status).toBeLessThan(300)
  return place
}

/** A run of the Environment's Agent that holds its machine for this long. */
async function ran(client: Client, { environmentId, agentId }: Place, ms: number) {
  const started = await client.post('/api/v1/agent-runs', { agentId, environmentId, query: 'Hello' })
  expect(started.status).toBeLessThan(300)
  const attempt = await lease(world.troupe.as(null), runnerToken)
  await attempt.boot()
  world.clock.advance(ms)
  expect((await attempt.complete(completed('Done.'))).status).toBe(200)
}

test('the usage of each Agent and Project is reported separately, also later, and adds up to the total', async () => {
  const tenant = await world.organization()
  const place = await served(tenant.client)
  await ran(tenant.client, place, 12 * second)
  await tenant.ran(6 * second)
  const byAgent = (await usageOf(tenant, { by: 'agent' })).body.data
  const part = { runs: { started: 1, completed: 1, failed: 0 } }
  const none = { reserved: 0, budget: null, remaining: null }
  expect(byAgent.items).toMatchObject([
    { agentId: place.agentId, name: place.agentName, period: byAgent.period, minutes: { used: 0.2, ...none }, ...part },
    { agentId, name: 'Assistant', period: byAgent.period, minutes: { used: 0.1, ...none }, ...part },
  ])
  const byProject = (await usageOf(tenant, { by: 'project' })).body.data
  expect(byProject.items).toMatchObject([
    { projectId: place.projectId, name: place.projectName, minutes: { used: 0.2 } },
    { projectId: null, name: null, minutes: { used: 0.1 } },
  ])
  expect(byProject.minutes.used).toBe(0.3)
  world.clock.step(31 * 24 * 60 * minute)
  expect((await usageOf(tenant, { by: 'agent' })).body.data.items).toEqual([])
  await ran(tenant.client, place, 18 * second)
  for (const [by, before] of Object.entries({ agent: byAgent, project: byProject })) {
    const past = (await usageOf(tenant, { by, period: before.period.start })).body.data
    expect([past.items, past.minutes.used]).toEqual([before.items, 0.3])
    const now = (await usageOf(tenant, { by })).body.data
    expect(now.items).toMatchObject([{ [`${by}Id`]: place[`${by}Id` as 'agentId'], minutes: { used: 0.3 } }])
  }
  expect((await usageOf(tenant, { by: 'user' })).status).toBe(422)
})

test('the reservation of a run in progress counts for its Agent', async () => {
  const tenant = await world.organization()
  await tenant.start()
  expect((await usageOf(tenant, { by: 'agent' })).body.data.items).toMatchObject([
    { agentId, minutes: { reserved: 1 } },
  ])
})

test('an annual plan has a period of a year', async () => {
  const tenant = await world.organization()
  await tenant.subscribe('yearly')
  const portal = await tenant.client.post(`${base(tenant.id)}/portal`, portalBody(world.troupe), keyed())
  const change = (planKey: string) => click(portal.body.data.url, { action: 'changePlan', plan: planKey })
  const { period } = await tenant.usage()
  const start = Date.parse(period.start)
  expect(Date.parse(period.end) - start).toBeGreaterThan(364 * 24 * 60 * minute)
  await tenant.ran(6 * second)
  // the periods before it were months, and none starts within it
  const before = new Date(Date.UTC(new Date(start).getUTCFullYear() - 1, 3, 1)).toISOString()
  expect((await usageOf(tenant, { period: before })).body.data).toMatchObject({
    period: { start: before, end: before.replace('-04-', '-05-') },
    minutes: { used: 0 },
  })
  expect((await change('more')).status).toBe(303)
  expect((await tenant.usage()).period).not.toEqual(period)
  expect((await usageOf(tenant, { period: period.start })).body.data).toMatchObject({ period, minutes: { used: 0.1 } })
  expect((await change('yearly')).status).toBe(303)
  world.clock.step(40 * 24 * 60 * minute)
  const now = new Date(world.clock.now())
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)).toISOString()
  expect((await usageOf(tenant, { period: month })).status).toBe(422)
})

/** A webhook for budget events. */
async function asksForBudget(client: Client, { path }: Place) {
  const body = { endpointUrl: 'https://127.0.0.1:9/hook', eventTypes: ['budget.warning', 'budget.exhausted'] }
  expect((await client.post(`${path}/webhooks`, body)).status).toBe(200)
}
async function usageEvents(client: Client, { path }: Place) {
  const { events } = (await client.get(`${path}/events`, { query: { limit: 100 } })).body
  return events.filter(({ type }: { type: string }) => type.startsWith('budget.'))
}

test('an event is sent once per period at 80 % of a budget and at its end, if a webhook subscribes to it', async () => {
  const tenant = await world.organization()
  const other = await world.organization()
  const [place, deaf, foreign] = [
    await served(tenant.client),
    await newPlace(tenant.client),
    await newPlace(other.client),
  ]
  await asksForBudget(tenant.client, place)
  await asksForBudget(other.client, foreign)
  const count = async () => (await usageEvents(tenant.client, place)).length
  await ran(tenant.client, place, 100 * second)
  expect(await count()).toBe(0)
  await ran(tenant.client, place, 20 * second)
  await eventually('the warning', async () => (await count()) === 1)
  await ran(tenant.client, place, 5 * second)
  await ran(tenant.client, place, 40 * second)
  await eventually('the end', async () => (await count()) === 2)
  const { period } = await tenant.usage()
  const subject = { type: 'organization', id: tenant.id }
  const data = { organizationId: tenant.id, period, budgetMinutes: 2.5 }
  expect(await usageEvents(tenant.client, place)).toMatchObject([
    { type: 'budget.warning', subject, data: { ...data, percent: 80 } },
    { type: 'budget.exhausted', subject, data: { ...data, percent: 100 } },
  ])
  expect([...expectDescribedEvents(world.troupe.file)]).toContain('budget.exhausted')
  expect([await usageEvents(tenant.client, deaf), await usageEvents(other.client, foreign)]).toEqual([[], []])
})

test('a change of the plan within a period announces the marks of the new budget', async () => {
  const tenant = await world.organization()
  const place = await served(tenant.client)
  await asksForBudget(tenant.client, place)
  const told = async () =>
    (await usageEvents(tenant.client, place)).map(({ data }: { data: Record<string, number> }) => [
      data.budgetMinutes,
      data.percent,
    ])
  await tenant.subscribe('more')
  await ran(tenant.client, place, 5 * minute)
  await eventually('the end of the first budget', async () => (await told()).length === 2)
  const portal = await tenant.client.post(`${base(tenant.id)}/portal`, portalBody(world.troupe), keyed())
  expect((await click(portal.body.data.url, { action: 'changePlan', plan: 'most' })).status).toBe(303)
  await ran(tenant.client, place, minute)
  await eventually('the end of the second budget', async () => (await told()).length === 4)
  expect(await told()).toEqual([
    [5, 80],
    [5, 100],
    [6, 80],
    [6, 100],
  ])
})

test('the threshold is 80 % to the millisecond, is crossed once by runs that end together, and applies again in the next period', async () => {
  const tenant = await world.organization()
  const place = await served(tenant.client)
  await asksForBudget(tenant.client, place)
  const database = new Database(world.troupe.file, { readonly: true })
  const types = async (): Promise<string[]> => {
    await eventually('all that is announced', () => !database.query('select id from announcements').get())
    return (await usageEvents(tenant.client, place)).map(({ type }: { type: string }) => type)
  }
  /** Runs that held their machines for this long, all ended at once. */
  const together = async (count: number, ms: number) => {
    const attempts: HeldAttempt[] = []
    for (let number = 0; number < count; number += 1) attempts.push(await tenant.running())
    world.clock.advance(ms)
    const ends = await Promise.all(attempts.map((attempt) => attempt.complete(completed('Done.'))))
    for (const { status } of ends) expect(status).toBe(200)
  }
  await ran(tenant.client, place, 40 * second)
  await together(2, 40 * second - 1)
  await tenant.ran(1)
  expect(await types()).toEqual([])
  await tenant.ran(1)
  expect(await types()).toEqual(['budget.warning'])
  await tenant.ran(30 * second - 1)
  expect(await types()).toEqual(['budget.warning'])
  await tenant.ran(1)
  expect(await types()).toEqual(['budget.warning', 'budget.exhausted'])

  world.clock.step(31 * 24 * 60 * minute)
  await together(3, 50 * second)
  // the events of the previous period have expired
  expect((await types()).toSorted()).toEqual(['budget.exhausted', 'budget.warning'])
  const { period } = await tenant.usage()
  for (const { data } of await usageEvents(tenant.client, place)) expect(data.period).toEqual(period)
  database.close()
})
