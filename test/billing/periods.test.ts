/** Expiry of periods and addresses with the embedded provider. Source: contract 8. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { signIn } from '../tenancy/sessions/browser.ts'
import { click, embeddedOrganization } from './embedded.ts'
import { openWorld, until, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.troupe.stop())

/** An organization of a user who signs in again: last month's sessions have expired. */
const organization = async () => embeddedOrganization(world, await signIn(world.troupe))

test('an address older than a day leads to an error', async () => {
  const { checkout, subscription } = await organization()
  const { body } = await checkout()
  world.clock.advance(24 * 3_600_000 + 1_000)
  expect((await click(body.data.url, { action: 'pay' })).status).toBe(404)
  expect((await subscription()).planKey).toBe('free')
})

test('periods follow each other, and a scheduled cancellation takes effect', async () => {
  const { subscribe, subscription } = await organization()
  const url = await subscribe()
  const first = (await subscription()).currentPeriod
  world.clock.advance(Date.parse(first.end) - world.clock.now())
  expect((await subscription()).currentPeriod.start).toBe(first.end)
  const portal = await click(url, { action: 'cancelAtPeriodEnd' })
  // the address is from last month
  expect(portal.status).toBe(404)
})

test('a scheduled cancellation takes effect at the end of the period', async () => {
  const { subscribe, subscription, client, id } = await organization()
  await click(await subscribe(), { action: 'cancelAtPeriodEnd' })
  const { cancelAt } = await subscription()
  world.clock.advance(Date.parse(cancelAt) - world.clock.now())
  await until(async () => (await subscription()).status === 'canceled', 'it is canceled')
  const { body } = await client.get(`/api/v1/actors/subscription/${id}`)
  expect(body.data.state).toBe('canceled')
  expect((await client.get(`/api/v1/actors/subscription/${id}/verify`)).body.data.valid).toBe(true)
})
