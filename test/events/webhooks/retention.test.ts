/** Expired deliveries are hidden, and later removed. Source: contract 7, "Deliveries expire after 30 days". */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { dataOf } from '../../support/world/replies.ts'
import { eventually, openWorld, receiver, type World } from './world.ts'

const hour = 3_600_000
const clock = new HandClock()
let world: World
beforeAll(async () => {
  world = await openWorld({ clock, environment: { TROUPE_EVENT_RETENTION_DAYS: '2' } })
})
afterAll(() => world?.stop())

const rowsOf = (webhookId: string) => ({
  deliveries: world.rows('select id from deliveries where webhook_id = ?', webhookId).length,
  journals: world.rows(
    "select distinct actor_id from transitions where kind = 'delivery' and actor_id in (select id from deliveries where webhook_id = ?)",
    webhookId,
  ).length,
})
const orphaned = () =>
  world.rows("select * from transitions where kind = 'delivery' and actor_id not in (select id from deliveries)").length
const metric = async (state: string) => {
  const text = await (await fetch(`${world.troupe.url}/metrics`)).text()
  return Number(new RegExp(`^troupe_webhook_deliveries\\{state="${state}"\\} (\\d+)$`, 'm').exec(text)?.[1])
}

test('deliveries expire with their events: first hidden, then removed with their journals', async () => {
  const { id } = await world.webhook(receiver().url)
  await world.place.emit()
  await world.settled(id, 1, 'delivered')
  clock.advance(hour)
  await world.place.emit()
  const [younger, older] = await world.settled(id, 2, 'delivered')
  expect(await metric('delivered')).toBe(2)
  expect(Date.parse(older.expiresAt)).toBe(Date.parse(older.createdAt) + 48 * hour)

  clock.advance(47 * hour)
  expect((await world.deliveries(id)).map(({ deliveryId }) => deliveryId)).toEqual([younger.deliveryId])
  await eventually('the removal', () => {
    clock.advance(60_000)
    return rowsOf(id).deliveries === 1
  })
  expect([rowsOf(id), orphaned()]).toEqual([{ deliveries: 1, journals: 1 }, 0])
  expect(await metric('delivered')).toBe(1)
  expect((await world.owner.get(`/api/v1/actors/delivery/${older.deliveryId}`)).status).toBe(404)
})

test('a waiting delivery expires too, and is no longer sent', async () => {
  const answer = { status: 500 }
  const at = receiver(() => new Response(null, { status: answer.status }))
  const { id } = await world.webhook(at.url)
  await world.place.emit()
  await world.settled(id, 1, 'retrying')
  clock.advance(48 * hour)
  const sent = at.received.length
  await eventually('the removal', () => {
    clock.advance(60_000)
    return rowsOf(id).deliveries === 0
  })
  expect(at.received.length).toBe(sent)
})

test('the deliveries of a deleted webhook are removed in the background, and then the webhook', async () => {
  const { id } = await world.webhook(receiver().url)
  for (let count = 0; count < 3; count += 1) await world.place.emit()
  await world.settled(id, 3, 'delivered')
  await world.owner.delete(`${world.path}/webhooks/${id}`)
  expect(rowsOf(id).deliveries).toBe(3)
  await eventually('the removal', () => {
    clock.advance(60_000)
    return world.rows('select id from webhooks where id = ?', id).length === 0
  })
  expect([rowsOf(id).deliveries, orphaned()]).toEqual([0, 0])
})

test('secrets that no longer sign are removed', async () => {
  const { id } = await world.webhook(receiver().url)
  dataOf(await world.owner.post(`${world.path}/webhooks/${id}/secrets`))
  const versions = () => world.rows('select version from webhook_secrets where webhook_id = ? order by version', id)
  expect(versions()).toEqual([{ version: 1 }, { version: 2 }])
  clock.advance(24 * hour)
  await eventually('the removal', () => {
    clock.advance(600_000)
    return versions().length === 1
  })
  expect(versions()).toEqual([{ version: 2 }])
})
