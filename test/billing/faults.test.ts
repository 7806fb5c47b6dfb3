/** Stripe events while Stripe or the server is down. Source: contract 8, "Precise points". */

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HandClock } from '../runtime/statecharts/clock.ts'
import { FakeStripe } from '../support/services/stripe.ts'
import { verdict } from '../support/world/replies.ts'
import {
  base,
  checkoutBody,
  keyed,
  openWorld,
  portalBody,
  statusOf,
  stripeSettings,
  tell,
  until,
  type World,
} from './world.ts'

const minute = 60_000
const day = 24 * 60 * minute

let folder: string
let stripe: FakeStripe
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-billing-'))
  stripe = new FakeStripe()
})
afterAll(async () => {
  await stripe?.stop()
  await rm(folder, { recursive: true, force: true })
})

const clock = new HandClock()
const open = () => openWorld({ folder, clock, environment: stripeSettings(stripe) })
const toCheckout = ({ troupe, organizationId }: World) =>
  troupe.owner.post(`${base(organizationId)}/checkout`, checkoutBody(troupe), keyed())
const asked = () => stripe.requests('/v1/subscriptions').length
const plan = async (world: World) => (await statusOf(world)).planKey

test('an event accepted while Stripe was down is processed later, by another process if necessary', async () => {
  const first = await open()
  expect((await toCheckout(first)).status).toBe(200)
  stripe.pay(first.organizationId, clock.now())
  const customer = [...stripe.customers.keys()][0]
  const before = asked()
  stripe.always = 'html'
  const created = await stripe.event('customer.subscription.created', { customer }, { at: clock.now() })
  expect((await tell(first.troupe, created)).status).toBe(200)
  await until(() => asked() === before + 1, 'Stripe was asked')
  await until(() => first.troupe.lines.length > 0, 'the failure was noted')
  expect(await plan(first)).toBe('free')
  await first.troupe.stop()

  stripe.always = undefined
  clock.advance(minute)
  const second = await open()
  await until(async () => (await plan(second)) === 'pro', 'it is pro')
  expect((await tell(second.troupe, { ...created })).status).toBe(200)
  await second.troupe.stop()
})

test('a failed request to Stripe is retried until it succeeds', async () => {
  const world = await open()
  stripe.always = { status: 500 }
  const contract = stripe.subscriptions.at(-1)!
  contract.status = 'past_due'
  const failed = await stripe.event('invoice.payment_failed', { customer: contract.customer }, { at: clock.now() })
  await tell(world.troupe, failed)
  const askedAgain = async () => {
    const before = asked()
    await until(async () => {
      clock.advance(1_000)
      await new Promise((resolve) => setTimeout(resolve, 1))
      return asked() > before
    }, 'Stripe was asked again')
  }
  for (let failures = 0; failures < 5; failures += 1) await askedAgain()
  stripe.always = undefined
  await askedAgain()
  await until(async () => (await statusOf(world)).status === 'past_due', 'it is past_due')
  await world.troupe.stop()
})

test('a lost event is compensated within a day', async () => {
  const world = await open()
  stripe.subscriptions.at(-1)!.status = 'canceled'
  clock.advance(day)
  await until(async () => (await statusOf(world)).status === 'canceled', 'it is canceled')
  await world.troupe.stop()
})

test('a checkout whose event was lost is completed after a day', async () => {
  const world = await open()
  expect((await toCheckout(world)).status).toBe(200)
  stripe.pay(world.organizationId, clock.now() + day)
  clock.advance(day + 60 * minute)
  await until(async () => (await plan(world)) === 'pro', 'it is pro')
  await world.troupe.stop()
})

test('events are deleted after a month, and their effects stay', async () => {
  const world = await open()
  const database = new Database(world.troupe.file, { readonly: true })
  const kept = () => database.query('select count(*) as count from billing_events').get() as { count: number }
  expect(kept().count).toBe(2)
  clock.advance(31 * day)
  await until(() => {
    clock.advance(10 * minute)
    return kept().count === 0
  }, 'the events are forgotten')
  expect(await plan(world)).toBe('pro')
  database.close()
  await world.troupe.stop()
})

test("with another provider the previous provider's contract is void, and a new one can start", async () => {
  const stopped = await openWorld({ folder, clock })
  expect(await statusOf(stopped)).toMatchObject({ planKey: 'free', status: 'active' })
  const { troupe, organizationId } = stopped
  expect(verdict(await troupe.owner.post(`${base(organizationId)}/portal`, portalBody(troupe), keyed()))).toEqual([
    400,
    'no_contract',
  ])
  const { body } = await toCheckout(stopped)
  const paid = await fetch(body.data.url, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ action: 'pay' }),
  })
  expect(paid.status).toBe(303)
  expect(await statusOf(stopped)).toMatchObject({ planKey: 'pro', status: 'active' })
  await troupe.stop()
})

test('in production without Stripe a checkout returns 503 billing_unconfigured', async () => {
  const environment = { NODE_ENV: 'production', TROUPE_MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}` }
  const world = await openWorld({ environment })
  const { troupe, organizationId } = world
  const replies = [
    await troupe.owner.post(`${base(organizationId)}/checkout`, checkoutBody(troupe), keyed()),
    await troupe.owner.post(`${base(organizationId)}/portal`, portalBody(troupe), keyed()),
  ]
  expect(replies.map(verdict)).toEqual(Array(2).fill([503, 'billing_unconfigured']))
  expect(replies[0]?.headers.get('retry-after')).toBe('60')
  expect(await statusOf(world)).toMatchObject({ planKey: 'free', status: 'active' })
  expect((await fetch(`${troupe.url}/api/billing/embedded/x`)).status).toBe(404)
  await troupe.stop()
})
