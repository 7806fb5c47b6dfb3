/** Alert rules: conditions, that each change is announced once, and who may write them. The clock is advanced manually. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import type { Client } from '../../support/client.ts'
import { eventually } from '../../support/process.ts'
import { newOrganization } from '../../support/world/organizations.ts'
import { type Place, placesOf } from '../../support/world/places.ts'
import { data, expectError, outcome } from '../../support/world/replies.ts'
import { openWorld, type World } from '../../support/world/world.ts'

const minute = 60_000
const rules = '/api/v1/alert-rules'

let world: World
let places: ReturnType<typeof placesOf>
let place: Place
beforeAll(async () => {
  world = await openWorld({ clock: new HandClock(), environment: { TROUPE_RUNNER: 'none' } })
  places = placesOf(world)
  place = await places.place()
})
afterAll(() => world?.stop())

type Rule = { id: string; state: string; [field: string]: unknown }
const failing = { type: 'failing', count: 2, withinMinutes: 10 }
const create = (changes: object = {}, client: Client = world.owner) =>
  client.post(rules, { name: 'Failing', environmentId: place.environmentId, condition: failing, ...changes })
const made = (changes: object = {}) => data<Rule>(create(changes))
const get = (id: string) => data<Rule & { now: object }>(world.owner.get(`${rules}/${id}`))
const incidents = async (id: string) =>
  (await data<{ items: { resolution: string | null; value: number }[] }>(world.owner.get(`${rules}/${id}/incidents`)))
    .items
const remove = (id: string) => data(world.owner.delete(`${rules}/${id}`))

/** The alert events in the history of the Environment. */
const alertEvents = async (at = place) => {
  const { body } = await world.owner.get(`${at.path}/events`, { query: { limit: 100 } })
  return (body.events as { type: string; data: { alertRuleId: string; resolution: string | null; test: boolean } }[])
    .filter(({ type }) => type.startsWith('alert.'))
    .map(({ type, data }) => [type, data.alertRuleId, data.resolution, data.test])
}
const subscribe = (at: Place) =>
  data(
    world.owner.post(`${at.path}/webhooks`, {
      endpointUrl: 'https://example.com/hook',
      eventTypes: ['alert.firing', 'alert.resolved'],
    }),
  )

/** Inserts a run of the Environment in this state, as of that time. */
let run: string | undefined
async function plant(state: string, agoMs = 0, at: Place = place): Promise<string> {
  run ??= (await data(world.owner.post('/api/v1/agent-runs', { agentId: 'agt_system_assistant', query: 'Hello' }))).id
  const { projectId, environmentId, organizationId } = at
  const id = world.tenancy.copyOfRun(run, organizationId, { projectId, environmentId, agentId: null })
  const since = world.clock.now() - agoMs
  world.rows('update runs set state = ?, updated_at = ?, state_since = ? where id = ?', state, since, since, id)
  return id
}
/** Makes the server evaluate all rules. */
async function look(afterMs = minute): Promise<void> {
  await world.clock.advance(afterMs)
  await Bun.sleep(0)
}

describe('a rule', () => {
  test('is evaluated on creation, fires once, and is resolved once', async () => {
    await subscribe(place)
    const rule = await made()
    expect(rule).toMatchObject({
      state: 'ok',
      enabled: true,
      firingSince: null,
      threshold: 2,
      summary: '2 runs or more failed within 10 minutes',
      holdMinutes: 0,
      resolveAfterMinutes: 5,
      notify: { webhooks: true, mail: false },
    })
    await plant('failed')
    await plant('expired')
    await eventuallyState(rule.id, 'firing')
    await look()
    await look()
    expect(await alertEvents()).toEqual([['alert.firing', rule.id, null, false]])
    expect(await incidents(rule.id)).toMatchObject([{ value: 2, resolution: null, resolvedAt: null }])
    // the runs are outside the window now
    await eventuallyState(rule.id, 'cooling', 10 * minute)
    expect(await alertEvents()).toHaveLength(1)
    await eventuallyState(rule.id, 'ok', 5 * minute)
    expect(await alertEvents()).toEqual([
      ['alert.firing', rule.id, null, false],
      ['alert.resolved', rule.id, 'cleared', false],
    ])
    expect(await incidents(rule.id)).toMatchObject([{ resolution: 'cleared' }])
    const { body } = await world.owner.get(`/api/v1/actors/alert/${rule.id}/verify`)
    expect(body.data).toMatchObject({ valid: true })
    await remove(rule.id)
  })

  test('is refused at a place that is being deleted', async () => {
    const { projectId, environmentId } = await places.place()
    // the deletion was committed between the look at the Project and the insert
    world.rows("update environments set state = 'deleting' where id = ?", environmentId)
    expectError(await create({ environmentId }), 409, 'concurrent_change')
    world.rows("update projects set status = 'deleting' where id = ?", projectId)
    expectError(await create({ environmentId }), 404, 'not_found')
  })

  test('with a hold time fires only when the condition has held for it', async () => {
    const rule = await made({ holdMinutes: 3, condition: { type: 'stuck', count: 1, forMinutes: 5 } })
    const id = await plant('running', 6 * minute)
    await eventuallyState(rule.id, 'pending')
    await look()
    expect((await get(rule.id)).state).toBe('pending')
    await eventuallyState(rule.id, 'firing', 2 * minute)
    world.rows("update runs set state = 'completed' where id = ?", id)
    await remove(rule.id)
  })

  test('that is changed, disabled or deleted while firing is resolved with the reason', async () => {
    const before = (await alertEvents()).length
    const rule = await made({ condition: { type: 'stuck', count: 1, forMinutes: 5 } })
    const id = await plant('queued', 6 * minute)
    await eventuallyState(rule.id, 'firing')
    const changed = await data<Rule>(
      world.owner.patch(`${rules}/${rule.id}`, { condition: { type: 'stuck', count: 5, forMinutes: 5 } }),
    )
    expect(changed).toMatchObject({ state: 'ok', threshold: 5 })
    expect(await data(world.owner.patch(`${rules}/${rule.id}`, { enabled: false }))).toMatchObject({
      state: 'disabled',
      enabled: false,
    })
    await data(world.owner.patch(`${rules}/${rule.id}`, { condition: { type: 'stuck', count: 1, forMinutes: 5 } }))
    await look()
    expect((await get(rule.id)).state).toBe('disabled')
    expect(await data(world.owner.patch(`${rules}/${rule.id}`, { enabled: true }))).toMatchObject({ state: 'firing' })
    await remove(rule.id)
    expect((await alertEvents()).slice(before).map(([type, , resolution]) => [type, resolution])).toEqual([
      ['alert.firing', null],
      ['alert.resolved', 'changed'],
      ['alert.firing', null],
      ['alert.resolved', 'disabled'],
    ])
    expectError(await world.owner.get(`${rules}/${rule.id}`), 404, 'not_found')
    world.rows("update runs set state = 'completed' where id = ?", id)
  })

  test('counts no further than its threshold, and shows its current value', async () => {
    const rule = await made({ condition: { type: 'failing', count: 3, withinMinutes: 1_000 } })
    await Promise.all([1, 2, 3, 4, 5].map(() => plant('failed')))
    expect((await get(rule.id)).now).toEqual({ value: 3, isBreached: true })
    await remove(rule.id)
  })

  test('of the organization covers all Environments and notifies each of them once', async () => {
    const [one, other] = [await places.place(), await places.place()]
    await subscribe(one)
    await subscribe(other)
    const rule = await made({ environmentId: null, condition: { type: 'stuck', count: 2, forMinutes: 30 } })
    const ids = [await plant('running', 31 * minute, one), await plant('running', 31 * minute, other)]
    await eventuallyState(rule.id, 'firing')
    await look()
    for (const at of [one, other]) {
      await eventuallyEvents(at, [['alert.firing', rule.id, null, false]])
    }
    for (const id of ids) world.rows("update runs set state = 'completed' where id = ?", id)
    await remove(rule.id)
  })

  test('with a budget condition covers the minutes of the organization', async () => {
    const rule = await made({ environmentId: null, condition: { type: 'budget', percent: 50 } })
    expect((await get(rule.id)).now).toMatchObject({ isBreached: false })
    world.rows('update usage_counters set used_ms = 1e12 where organization_id = ?', world.ours)
    expect((await get(rule.id)).now).toMatchObject({ isBreached: true })
    world.rows('update usage_counters set used_ms = 0 where organization_id = ?', world.ours)
    await remove(rule.id)
  })

  test('gets another name and other recipients in every state, which it keeps', async () => {
    const rule = await made()
    const change = (changes: object) => data<Rule>(world.owner.patch(`${rules}/${rule.id}`, changes))
    const { state } = await get(rule.id)
    expect(await change({ name: 'Many fail' })).toMatchObject({ name: 'Many fail', state })
    expect(await change({ notify: { webhooks: false, mail: false } })).toMatchObject({ notify: { webhooks: false } })
    expect(await change({ enabled: false })).toMatchObject({ state: 'disabled', name: 'Many fail' })
    expect(await change({ name: 'Few fail' })).toMatchObject({ name: 'Few fail', state: 'disabled' })
    expect(await get(rule.id)).toMatchObject({ name: 'Few fail', notify: { webhooks: false } })
    await remove(rule.id)
  })

  test('can be tested: the notification changes no state and is marked as a test', async () => {
    const before = (await alertEvents()).length
    const rule = await made({ notify: { webhooks: true, mail: true }, condition: { ...failing, count: 900 } })
    expect(await data<object>(world.owner.post(`${rules}/${rule.id}/test`))).toEqual({ webhooks: true, mail: false })
    expect((await alertEvents()).slice(before)).toEqual([['alert.firing', rule.id, null, true]])
    expect((await get(rule.id)).state).toBe(rule.state)
    await remove(rule.id)
  })
})

test('two servers that evaluate concurrently with an update send each notification once', async () => {
  const before = (await alertEvents()).length
  const rule = await made({ condition: { type: 'stuck', count: 1, forMinutes: 7 } })
  const id = await plant('running', 8 * minute)
  const patch = () => world.owner.patch(`${rules}/${rule.id}`, { name: 'Stuck' })
  expect((await Promise.all([patch(), patch(), patch()])).map(outcome)).toEqual([200, 200, 200])
  await look()
  const mine = (await alertEvents()).slice(before).filter(([, of]) => of === rule.id)
  const fired = mine.filter(([type]) => type === 'alert.firing').length
  const resolved = mine.filter(([type]) => type === 'alert.resolved').length
  expect([fired, resolved, (await incidents(rule.id)).length]).toEqual([1, 0, 1])
  world.rows("update runs set state = 'completed' where id = ?", id)
  await remove(rule.id)
})

describe('rejected', () => {
  test.each([
    ['no name', { name: '' }, '/body/name'],
    ['no condition', { condition: undefined }, '/body/condition'],
    ['another condition', { condition: { type: 'sad', count: 1 } }, '/body/condition'],
    ['a count of zero', { condition: { ...failing, count: 0 } }, '/body/condition/count'],
    ['too large a count', { condition: { ...failing, count: 1_001 } }, '/body/condition/count'],
    ['a condition with an extra field', { condition: { ...failing, forMinutes: 1 } }, '/body/condition'],
    ['more than a day', { holdMinutes: 1_441 }, '/body/holdMinutes'],
    ['an unknown field', { severity: 'high' }, '/body/severity'],
    ['a budget of an Environment', { condition: { type: 'budget', percent: 80 } }, '/body/condition/type'],
  ])('%s', async (_, changes, path) => {
    const reply = await create(changes)
    expectError(reply, 422, 'validation_failed')
    expect(reply.body.error.details.issues[0].path).toStartWith(path)
  })

  test('more than a hundred rules of an organization', async () => {
    const { client } = await newOrganization(world)
    const one = () => client.post(rules, { name: 'Budget', condition: { type: 'budget', percent: 80 } })
    const replies = await Promise.all(Array.from({ length: 101 }, one))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(100)
    expect(replies.filter(({ status }) => status !== 201).map(outcome)).toEqual(['422 limit_exceeded'])
  })
})

describe('permissions', () => {
  test('a member with access grants writes rules of the Project, and none of the organization', async () => {
    const userId = world.user('member')
    const member = world.keyOf(userId)
    expectError(await create({}, member), 403, 'permission_denied')
    const permissions = ['alerts:list', 'alerts:manage']
    await data(
      world.owner.post(`${place.project}/access-grants`, { subject: { type: 'user', id: userId }, permissions }),
    )
    const theirs = await data<Rule>(create({}, member))
    const ours = await made({ environmentId: null, condition: { type: 'budget', percent: 80 } })
    expectError(await create({ environmentId: null }, member), 403, 'permission_denied')
    const { items } = await data<{ items: Rule[] }>(member.get(rules))
    expect(items.map(({ id }) => id)).toContain(theirs.id)
    expect(items.map(({ id }) => id)).not.toContain(ours.id)
    expectError(await member.get(`${rules}/${ours.id}`), 403, 'permission_denied')
    await remove(theirs.id)
    await remove(ours.id)
  })

  test('a change requires no permission to read', async () => {
    const { id } = await made()
    const manager = world.keyOf(world.ownerId, { operations: ['alerts:manage'] })
    expect(await data<Rule>(manager.patch(`${rules}/${id}`, { name: 'Changed' }))).toMatchObject({ name: 'Changed' })
    expectError(await manager.get(`${rules}/${id}`), 403, 'permission_denied')
    await remove(id)
  })

  test('a rule of another organization is not found', async () => {
    const { client } = await newOrganization(world)
    const rule = await made()
    for (const asked of [client.get(`${rules}/${rule.id}`), client.delete(`${rules}/${rule.id}`)]) {
      expectError(await asked, 404, 'not_found')
    }
    expectError(await create({}, client), 404, 'not_found')
    expectError(await create({ environmentId: 'env_01h455vb4pex5vsknk084sn02q' }), 404, 'not_found')
    expect((await data<{ items: Rule[] }>(client.get(rules))).items).toEqual([])
    await remove(rule.id)
  })
})

async function eventuallyState(id: string, state: string, afterMs = minute): Promise<void> {
  await look(afterMs)
  await eventually(`the state ${state}`, async () => (await get(id)).state === state)
}

async function eventuallyEvents(at: Place, expected: unknown[]): Promise<void> {
  await eventually('the events', async () => (await alertEvents(at)).length >= expected.length)
  expect(await alertEvents(at)).toEqual(expected as never)
}
