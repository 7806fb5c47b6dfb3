/** Statements about one webhook leave the others as they are. Source: contract 7. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  auditFailing,
  auditGone,
  deleteEmptiedWebhooks,
  disableFailing,
  disableGone,
  insertFailure,
  noteFailure,
  noteSuccess,
  pruneFailures,
} from '../../../storage/events/webhooks.ts'
import { type Guards, openGuards } from './world.ts'

let world: Guards
beforeAll(async () => {
  world = await openGuards()
})
afterAll(() => world?.close())

const webhook = (values: object = {}): string =>
  world.plant('webhooks', { ...world.tree(), enabled: 1, capture_responses: 0, updated_at: 5, ...values }).id
const stored = (id: string) => world.rows('select * from webhooks where id = ?', id)[0]
const fail = (webhookId: string, times: number, from = 10) =>
  world.store.commit(
    Array.from({ length: times }, (_, index) =>
      insertFailure(world.store, { webhook_id: webhookId, at: from + index, delivery_id: 'del_1', attempt: index }),
    ),
  )
const auditedAs = (id: string) => ({ webhookId: id, id: `aud_${id}`, requestId: 'req_1', at: 40 })
const audited = (id: string) => world.rows('select id from audit_events where resource_id = ?', id).length

const gone = (id: string, attemptedAt = 5) =>
  world.store.commit([
    auditGone(world.store, { ...auditedAs(id), attemptedAt }),
    disableGone(world.store, { webhookId: id, attemptedAt, at: 40 }),
  ])
const failing = (id: string) =>
  world.store.commit([
    auditFailing(world.store, { ...auditedAs(id), since: 10 }),
    disableFailing(world.store, { webhookId: id, since: 10, at: 40 }),
  ])

test('an endpoint that is gone disables its webhook only', async () => {
  const [one, other] = [webhook(), webhook()]
  const before = stored(other)
  await gone(one)
  expect(stored(one)).toMatchObject({ enabled: 0, disabled_reason: 'endpoint_gone', updated_at: 40 })
  expect(stored(other)).toEqual(before)
  expect([audited(one), audited(other)]).toEqual([1, 0])
})

test.each([
  ['was changed since the attempt', { updated_at: 6 }],
  ['is disabled', { enabled: 0, disabled_reason: 'failing' }],
])('an endpoint that is gone does not disable a webhook that %s', async (_, values) => {
  const id = webhook(values)
  const before = stored(id)
  await gone(id)
  expect([stored(id), audited(id)]).toEqual([before, 0])
})

test('failures disable their webhook only', async () => {
  const [one, other] = [webhook({ failing_since: 10 }), webhook({ failing_since: 10 })]
  for (const id of [one, other]) await fail(id, 10)
  const before = stored(other)
  await failing(one)
  expect(stored(one)).toMatchObject({ enabled: 0, disabled_reason: 'failing', updated_at: 40 })
  expect(stored(other)).toEqual(before)
  expect([audited(one), audited(other)]).toEqual([1, 0])
})

test.each([
  ['has failed less often', { failing_since: 10 }, 9],
  ['has not failed for long enough', { failing_since: 11 }, 20],
  ['has succeeded since', { failing_since: null }, 10],
  ['is disabled', { failing_since: 10, enabled: 0, disabled_reason: 'endpoint_gone' }, 10],
] as const)('failures do not disable a webhook that %s', async (_, values, times) => {
  const [id, other] = [webhook(values), webhook({ failing_since: 10 })]
  await fail(id, times)
  await fail(other, 10)
  const before = stored(id)
  await failing(id)
  expect([stored(id), audited(id)]).toEqual([before, 0])
})

test('the first failure of a webhook begins its window, and a success ends it; not those of others', async () => {
  const [one, other] = [webhook(), webhook({ failing_since: 3 })]
  const since = () => [stored(one).failing_since, stored(other).failing_since]
  await world.store.commit([noteFailure(world.store, { webhookId: one, at: 7 })])
  await world.store.commit([noteFailure(world.store, { webhookId: one, at: 8 })])
  expect(since()).toEqual([7, 3])
  await world.store.commit([noteSuccess(world.store, { webhookId: one })])
  expect(since()).toEqual([null, 3])
})

test('the last ten failures of each webhook are kept', async () => {
  const [one, other, third] = [webhook(), webhook(), webhook()]
  await fail(one, 12, 10)
  await fail(other, 5, 1)
  await fail(third, 12, 30)
  await world.store.commit([pruneFailures(world.store, { webhookId: one })])
  const left = (id: string) => {
    const found = world.rows('select at from webhook_failures where webhook_id = ? order by at', id)
    return [found.length, found[0].at]
  }
  expect([left(one), left(other), left(third)]).toEqual([
    [10, 12],
    [5, 1],
    [12, 30],
  ])
})

test('of webhooks without deliveries, those that were deleted are removed', async () => {
  const [standing, deleted, delivering] = [webhook(), webhook({ deleted_at: 8 }), webhook({ deleted_at: 8 })]
  world.plant('deliveries', { ...world.tree(), webhook_id: delivering, state: 'delivered', context: '{}' })
  await world.store.commit([deleteEmptiedWebhooks(world.store, {})])
  expect([standing, deleted, delivering].map((id) => stored(id)?.id ?? null)).toEqual([standing, null, delivering])
})
