/** Stripe events update the subscription. Source: contract 8, "Inbound events". */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { webhookSecret } from '../support/services/stripe.ts'
import { newOrganization } from '../support/world/organizations.ts'
import { verdict } from '../support/world/replies.ts'
import { signIn } from '../tenancy/sessions/browser.ts'
import {
  base,
  checkoutBody,
  keyed,
  openStripeWorld,
  portalBody,
  type StripeWorld,
  statusOf,
  tell,
  until,
} from './world.ts'

const day = 86_400_000

let world: StripeWorld
let browser: Awaited<ReturnType<typeof signIn>>
beforeAll(async () => {
  world = await openStripeWorld()
  browser = await signIn(world.troupe)
})
afterAll(() => world?.stop())

/** A separate customer for each test: an organization that opened a checkout. */
async function customer(planKey = 'pro') {
  const { id, client } = await newOrganization(world.troupe, undefined, browser)
  const { status } = await client.post(`${base(id)}/checkout`, checkoutBody(world.troupe, { planKey }), keyed())
  expect(status).toBe(200)
  const [customerId = ''] =
    [...world.stripe.customers].findLast(([, form]) => form['metadata[organizationId]'] === id) ?? []
  const subscription = async () => (await client.get(`${base(id)}/subscription`)).body.data
  const event = (type: string, object: object = {}, options: { at?: number; id?: string; secret?: string } = {}) =>
    world.stripe.event(type, { customer: customerId, ...object }, { at: world.clock.now(), ...options })
  const is = (status: string) => until(async () => (await subscription()).status === status, `it is ${status}`)
  const checkout = () => client.post(`${base(id)}/checkout`, checkoutBody(world.troupe), keyed())
  const portal = () => client.post(`${base(id)}/portal`, portalBody(world.troupe), keyed())
  return { id, client, customerId, subscription, event, is, checkout, portal }
}

test('a paid checkout activates the plan, whatever the event contains', async () => {
  const { id, event, subscription } = await customer()
  expect(await subscription()).toMatchObject({ planKey: 'free', status: 'active', cancelAt: null })
  const { items } = world.stripe.pay(id, world.clock.now())
  const reply = await tell(
    world.troupe,
    await event('checkout.session.completed', { object: 'checkout.session', status: 'lies' }),
  )
  expect([reply.status, reply.body]).toEqual([200, { received: true }])
  await until(async () => (await subscription()).planKey === 'pro', 'it is pro')
  const at = (seconds: unknown) => new Date(Number(seconds) * 1_000).toISOString()
  expect(await subscription()).toEqual({
    planKey: 'pro',
    status: 'active',
    currentPeriod: { start: at(items.data[0]?.current_period_start), end: at(items.data[0]?.current_period_end) },
    cancelAt: null,
  })
})

test.each([
  ['active', 'active'],
  ['trialing', 'trialing'],
  ['past_due', 'past_due'],
  ['unpaid', 'past_due'],
  ['paused', 'past_due'],
  ['canceled', 'canceled'],
])('the Stripe status %s maps to %s', async (status, expected) => {
  const { id, event, is, subscription } = await customer('scale')
  world.stripe.pay(id, world.clock.now(), { status })
  await tell(world.troupe, await event('customer.subscription.updated', { object: 'subscription' }))
  await is(expected)
  if (expected !== 'active') expect((await subscription()).planKey).toBe(expected === 'canceled' ? 'free' : 'scale')
})

test.each(['incomplete', 'incomplete_expired'])('the Stripe status %s is no contract', async (status) => {
  const { id, event, subscription } = await customer()
  world.stripe.pay(id, world.clock.now(), { status })
  const asked = world.stripe.requests('/v1/subscriptions').length
  await tell(world.troupe, await event('customer.subscription.created'))
  await until(() => world.stripe.requests('/v1/subscriptions').length > asked, 'Stripe was asked')
  expect(await subscription()).toMatchObject({ planKey: 'free', status: 'active' })
})

test('a scheduled cancellation sets cancelAt, and can be withdrawn', async () => {
  const { id, event, subscription } = await customer()
  const contract = world.stripe.pay(id, world.clock.now(), { cancel_at_period_end: true })
  await tell(world.troupe, await event('customer.subscription.updated'))
  await until(async () => (await subscription()).cancelAt !== null, 'an end is planned')
  expect((await subscription()).cancelAt).toBe((await subscription()).currentPeriod.end)
  const later = Math.floor(world.clock.now() / 1_000) + 100
  Object.assign(contract, { cancel_at_period_end: false, cancel_at: later })
  await tell(world.troupe, await event('customer.subscription.updated'))
  await until(async () => (await subscription()).cancelAt === new Date(later * 1_000).toISOString(), 'it ends earlier')
  contract.cancel_at = null
  await tell(world.troupe, await event('customer.subscription.updated'))
  await until(async () => (await subscription()).cancelAt === null, 'it goes on')
})

test('events out of order, repeated and concurrent lead to the state at Stripe', async () => {
  const { id, event, is, subscription } = await customer()
  const contract = world.stripe.pay(id, world.clock.now())
  const created = await event('customer.subscription.created')
  const deleted = await event('customer.subscription.deleted')
  await tell(world.troupe, created)
  await until(async () => (await subscription()).planKey === 'pro', 'it is pro')
  contract.status = 'canceled'
  await tell(world.troupe, deleted)
  await is('canceled')
  const late = await event('customer.subscription.updated', { status: 'active' })
  const replies = await Promise.all([late, late, created, deleted, late, late].map((each) => tell(world.troupe, each)))
  expect(replies.map(({ status }) => status)).toEqual(Array(6).fill(200))
  await is('canceled')
  expect(await subscription()).toMatchObject({ planKey: 'free', status: 'canceled', cancelAt: null })
})

test('a repeated event causes no further request', async () => {
  const { event, client, id } = await customer()
  const paid = await event('invoice.paid')
  const read = async () => (await client.get(`/api/v1/actors/subscription/${id}`)).body.data.context
  await Promise.all(Array.from({ length: 8 }, () => tell(world.troupe, paid)))
  expect((await read()).reports).toBe(1)
  await tell(world.troupe, paid)
  expect((await read()).reports).toBe(1)
  await tell(world.troupe, await event('invoice.paid'))
  expect((await read()).reports).toBe(2)
})

test('an older response that arrives late is discarded', async () => {
  const { id, event, is, subscription } = await customer()
  const contract = world.stripe.pay(id, world.clock.now())
  world.stripe.troubles = ['hang']
  await tell(world.troupe, await event('customer.subscription.created'))
  contract.status = 'past_due'
  await tell(world.troupe, await event('customer.subscription.updated'))
  await is('past_due')
  world.stripe.release()
  expect((await subscription()).status).toBe('past_due')
})

test('of several contracts the newest active one counts, and the log warns the operator', async () => {
  const { customerId, event, subscription } = await customer()
  const at = world.clock.now()
  world.stripe.subscribe(customerId, 'pro', at - day)
  world.stripe.subscribe(customerId, 'scale', at)
  world.stripe.subscribe(customerId, 'pro', at + day, { status: 'canceled' })
  await tell(world.troupe, await event('customer.subscription.created'))
  await until(async () => (await subscription()).planKey === 'scale', 'it is scale')
  expect(world.troupe.lines).toContainEqual(
    expect.objectContaining({ msg: expect.stringContaining('more than one running') }),
  )
})

describe('an event', () => {
  test.each([
    ['with another secret', { secret: 'whsec_other' }],
    ['of 301 s ago', { age: 301_000 }],
  ] as [string, { secret?: string; age?: number }][])(
    '%s returns 400 invalid_signature and changes nothing',
    async (_, given) => {
      const { id, event, client } = await customer()
      world.stripe.pay(id, world.clock.now())
      const { secret, age = 0 } = given
      const forged = await event(
        'customer.subscription.created',
        {},
        { at: world.clock.now() - age, ...(secret && { secret }) },
      )
      expect(verdict(await tell(world.troupe, forged))).toEqual([400, 'invalid_signature'])
      const { body } = await client.get(`/api/v1/actors/subscription/${id}`)
      expect(body.data.context.reports).toBe(0)
    },
  )

  test('of 299 s ago is accepted', async () => {
    const { event } = await customer()
    const { status } = await tell(world.troupe, await event('invoice.paid', {}, { at: world.clock.now() - 299_000 }))
    expect(status).toBe(200)
  })

  test('with several signatures is accepted if one of them is valid, as while its secret is rolled', async () => {
    const { id, event, is } = await customer()
    world.stripe.pay(id, world.clock.now())
    const { body, signature } = await event('customer.subscription.created')
    const [time, valid] = signature.split(',')
    const wrong = `v1=${'0'.repeat(64)}`
    expect(verdict(await tell(world.troupe, { body, signature: `${time},${wrong}` }))[0]).toBe(400)
    expect((await tell(world.troupe, { body, signature: `${time},${wrong},${valid},v0=1` })).status).toBe(200)
    await is('active')
  })

  test.each(['t=%,', ',t=%'])('with a second time (%s) that it was not signed with returns 400', async (form) => {
    const { event } = await customer()
    const old = await event('invoice.paid', {}, { at: world.clock.now() - 301_000 })
    const now = form.replace('%', String(Math.floor(world.clock.now() / 1_000)))
    const signature = form.startsWith(',') ? `${old.signature}${now}` : `${now}${old.signature}`
    expect(verdict(await tell(world.troupe, { ...old, signature }))).toEqual([400, 'invalid_signature'])
  })

  test.each([
    ['without a signature', ''],
    ['with half a signature', 't=1'],
    ['with a signature of another scheme', 't=1769860800,v0=00'],
  ])('%s returns 400', async (_, signature) => {
    expect(verdict(await tell(world.troupe, { body: '{}', signature }))).toEqual([400, 'invalid_signature'])
  })

  test('changed by one space returns 400', async () => {
    const { event } = await customer()
    const paid = await event('invoice.paid')
    const reply = await tell(world.troupe, { ...paid, body: `${paid.body} ` })
    expect(verdict(reply)).toEqual([400, 'invalid_signature'])
  })

  test('that is signed but is not an event returns 400', async () => {
    for (const body of ['no JSON', '[]', 'null', '{"id":1}', '{"object":"v2.core.event"}']) {
      const { Stripe } = await import('stripe')
      const timestamp = Math.floor(world.clock.now() / 1_000)
      const given = { payload: body, secret: webhookSecret, timestamp }
      const signature = await Stripe.webhooks.generateTestHeaderStringAsync(given as never)
      expect(verdict(await tell(world.troupe, { body, signature }))).toEqual([400, 'invalid_signature'])
    }
  })

  test('of more than 1 MiB returns 413', async () => {
    const body = 'x'.repeat(1024 * 1024 + 1)
    expect(verdict(await tell(world.troupe, { body, signature: 't=1,v1=00' }))).toEqual([413, 'payload_too_large'])
  })

  test('of an unknown customer is accepted and ignored', async () => {
    const foreign = await world.stripe.event(
      'customer.subscription.created',
      { customer: 'cus_other' },
      { at: world.clock.now() },
    )
    expect((await tell(world.troupe, foreign)).status).toBe(200)
  })

  test('leaves no line in the audit log; a checkout leaves one', async () => {
    const { id, client, event } = await customer()
    await tell(world.troupe, await event('invoice.paid'))
    const { body } = await client.get(`/api/v1/organizations/${id}/audit-events`)
    const operations = body.data.items.map(({ operation }: { operation: string }) => operation)
    expect(operations.filter((each: string) => each !== 'createApiKey' && each !== 'createOrganization')).toEqual([
      'createCheckout',
    ])
  })
})

test('during a contract a checkout returns 400 contract_active, and the portal opens', async () => {
  const { id, event, is, subscription, checkout, portal } = await customer()
  const contract = world.stripe.pay(id, world.clock.now())
  await tell(world.troupe, await event('customer.subscription.created'))
  await until(async () => (await subscription()).planKey === 'pro', 'it is pro')
  expect(verdict(await checkout())).toEqual([400, 'contract_active'])
  expect((await portal()).body.data.url).toStartWith('https://billing.stripe.test/p/')
  contract.status = 'canceled'
  await tell(world.troupe, await event('customer.subscription.deleted'))
  await is('canceled')
  expect((await portal()).status).toBe(200)
  expect((await checkout()).status).toBe(200)
})

test('when the customer was deleted at Stripe, the contract ends, and there is no portal', async () => {
  const { id, event, is, customerId, subscription, portal, checkout } = await customer()
  world.stripe.pay(id, world.clock.now())
  await tell(world.troupe, await event('customer.subscription.created'))
  await until(async () => (await subscription()).planKey === 'pro', 'it is pro')
  world.stripe.customers.delete(customerId)
  await tell(world.troupe, await event('customer.deleted', { object: 'customer', id: customerId, customer: undefined }))
  await is('canceled')
  expect(verdict(await portal())).toEqual([400, 'no_contract'])
  expect((await checkout()).status).toBe(200)
})

test('the first organization has no contract: the free plan for the calendar month', async () => {
  expect(await statusOf(world)).toMatchObject({
    planKey: 'free',
    status: 'active',
    currentPeriod: { start: '2026-01-01T00:00:00.000Z', end: '2026-02-01T00:00:00.000Z' },
    cancelAt: null,
  })
})
