/** Checkout and portal with Stripe. Source: requirement 4.1; contract 8. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Trouble } from '../support/services/stripe.ts'
import { newOrganization } from '../support/world/organizations.ts'
import { verdict } from '../support/world/replies.ts'
import { base, checkoutBody, consoleOf, keyed, openStripeWorld, portalBody, type StripeWorld } from './world.ts'

let world: StripeWorld
beforeAll(async () => {
  world = await openStripeWorld()
})
afterAll(() => world?.stop())
beforeEach(() => {
  world.stripe.troubles = []
})

const checkout = (changes: object = {}, options = keyed()) =>
  world.troupe.owner.post(`${base(world.organizationId)}/checkout`, checkoutBody(world.troupe, changes), options)
const portal = (changes: object = {}, options = keyed()) =>
  world.troupe.owner.post(`${base(world.organizationId)}/portal`, portalBody(world.troupe, changes), options)

test('a portal before any contract returns 400 no_contract', async () => {
  expect(verdict(await portal())).toEqual([400, 'no_contract'])
  await checkout()
  expect(verdict(await portal())).toEqual([400, 'no_contract'])
})

test("a checkout returns the provider's address, for the organization's one customer", async () => {
  const { status, body } = await checkout()
  expect(status).toBe(200)
  expect(body.data.url).toStartWith('https://checkout.stripe.test/c/')
  const { form } = world.stripe.requests('/v1/checkout/sessions', 'POST').at(-1)!
  expect(form).toEqual({
    mode: 'subscription',
    customer: [...world.stripe.customers.keys()][0]!,
    client_reference_id: world.organizationId,
    'line_items[0][price]': 'price_pro',
    'line_items[0][quantity]': '1',
    success_url: `${consoleOf(world.troupe.url)}/billing/success`,
    cancel_url: `${consoleOf(world.troupe.url)}/billing/canceled`,
    'metadata[organizationId]': world.organizationId,
    'metadata[planKey]': 'pro',
    'subscription_data[metadata][organizationId]': world.organizationId,
    'subscription_data[metadata][planKey]': 'pro',
  })
  expect(world.stripe.customers.size).toBe(1)
})

describe('an Idempotency-Key', () => {
  test.each([
    ['missing', {}],
    ['of 256 characters', { 'idempotency-key': 'k'.repeat(256) }],
    ['that is not printable', { 'idempotency-key': 'é' }],
  ])('%s returns 400', async (_, headers) => {
    expect(verdict(await checkout({}, { headers } as never))).toEqual([400, 'invalid_idempotency_key'])
    expect(verdict(await portal({}, { headers } as never))).toEqual([400, 'invalid_idempotency_key'])
  })

  test('returns the first response again, without a request to the provider', async () => {
    const options = keyed()
    const first = await checkout({}, options)
    const asked = world.stripe.seen.length
    const again = await checkout({}, options)
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(world.stripe.seen.length).toBe(asked)
  })

  test('with another request returns 422 idempotency_key_reused', async () => {
    const options = keyed()
    await checkout({}, options)
    expect(verdict(await checkout({ planKey: 'scale' }, options))).toEqual([422, 'idempotency_key_reused'])
  })

  test('of eight concurrent requests creates one session', async () => {
    const before = world.stripe.sessions.size
    const options = keyed()
    const replies = await Promise.all(Array.from({ length: 8 }, () => checkout({}, options)))
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(new Set(replies.map(({ body }) => body.data.url)).size).toBe(1)
    expect(world.stripe.sessions.size).toBe(before + 1)
  })

  test('repeated after a lost response of the provider creates one session', async () => {
    const before = world.stripe.sessions.size
    const options = keyed()
    world.stripe.loses = '/v1/checkout/sessions'
    expect(verdict(await checkout({}, options))).toEqual([503, 'provider_unavailable'])
    expect((await checkout({}, options)).status).toBe(200)
    const keys = world.stripe.requests('/v1/checkout/sessions', 'POST').map(({ key }) => key)
    expect(keys.at(-1)).toMatch(/^[\w-]{43}$/)
    expect(keys.at(-2)).toBe(keys.at(-1)!)
    expect(world.stripe.sessions.size).toBe(before + 1)
  })
})

test.each([
  ['an unknown plan', { planKey: 'gold' }, [404, 'plan_not_found']],
  ['the plan of price zero', { planKey: 'free' }, [422, 'validation_failed']],
  ['a malformed plan key', { planKey: '../x' }, [422, 'validation_failed']],
  ['an unknown field', { coupon: 'x' }, [422, 'validation_failed']],
])('a checkout for %s is rejected without a request to the provider', async (_, changes, expected) => {
  const asked = world.stripe.seen.length
  expect(verdict(await checkout(changes))).toEqual(expected as [number, string])
  expect(world.stripe.seen.length).toBe(asked)
})

test('a checkout for an unknown plan tells where the plans are', async () => {
  const { body } = await checkout({ planKey: 'gold' })
  expect(body.error.message).toContain('GET /api/v1/billing/plans')
})

describe('an address that is not exactly one of the console', () => {
  const spellings: [string, (console: string) => string][] = [
    ['of another path', (url) => `${url}/settings`],
    ['longer', (url) => `${url}/billing/success/more`],
    ['with a slash at the end', (url) => `${url}/billing/`],
    ['in upper case', (url) => `${url.toUpperCase()}/billing`],
    ['with a capital', (url) => `${url}/Billing`],
    ['encoded', (url) => `${url}/%62illing`],
    ['with dots', (url) => `${url}/x/../billing`],
    ['with a user', (url) => `${url.replace('//', '//user@')}/billing`],
    ['with a fragment', (url) => `${url}/billing#x`],
    ['with a query', (url) => `${url}/billing?x=1`],
    ['of another host', (url) => `${url}.example.com/billing`],
    ['of another port of the machine', () => 'http://127.0.0.1:1/billing'],
    ['of another scheme', (url) => `${url.replace('http:', 'https:')}/billing`],
    ['with white space', (url) => ` ${url}/billing`],
    ['relative', () => '/billing'],
    ['of a script', () => 'javascript:alert(1)'],
    ['empty', () => ''],
  ]
  test.each(spellings)('%s returns 422 url_not_allowed', async (_, spell) => {
    const url = spell(consoleOf(world.troupe.url))
    const [success, cancel, back] = [
      await checkout({ successUrl: url }),
      await checkout({ cancelUrl: url }),
      await portal({ returnUrl: url }),
    ]
    expect([success, cancel, back].map(verdict)).toEqual(Array(3).fill([422, 'url_not_allowed']))
    expect(cancel.body.error.details.issues).toMatchObject([{ path: '/body/cancelUrl' }])
  })

  test.each(['/billing', '/billing/success', '/billing/canceled', '/pricing'])('%s is allowed', async (path) => {
    const url = consoleOf(world.troupe.url) + path
    expect((await checkout({ successUrl: url, cancelUrl: url })).status).toBe(200)
  })

  test('the address that the server prints is one of the console without a setting', async () => {
    const url = `http://127.0.0.1:${new URL(world.troupe.url).port}/billing`
    expect((await checkout({ successUrl: url, cancelUrl: url })).status).toBe(200)
  })
})

describe('when the provider', () => {
  const troubles: [string, Trouble, number, string, string][] = [
    [
      'returns 429 with a Retry-After',
      { status: 429, headers: { 'retry-after': '7' } },
      429,
      'provider_rate_limited',
      '7',
    ],
    ['returns 429 without one', { status: 429 }, 429, 'provider_rate_limited', '5'],
    [
      'returns 429 in HTML',
      { status: 429, body: '<h1>slow</h1>', headers: { 'retry-after': '3' } },
      429,
      'provider_rate_limited',
      '3',
    ],
    [
      'sends a Retry-After of a year',
      { status: 429, headers: { 'retry-after': '31536000' } },
      429,
      'provider_rate_limited',
      '3600',
    ],
    ['asks for 0 s', { status: 503, headers: { 'retry-after': '0' } }, 503, 'provider_unavailable', '1'],
    ['asks for 1.5 s', { status: 503, headers: { 'retry-after': '1.5' } }, 503, 'provider_unavailable', '2'],
    ['answers 500', { status: 500 }, 503, 'provider_unavailable', '5'],
    ['answers 409', { status: 409 }, 503, 'provider_unavailable', '5'],
    ['returns an error in HTML', 'html', 503, 'provider_unavailable', '5'],
    ['returns 200 in HTML', 'garbage', 503, 'provider_unavailable', '5'],
    ['answers null', 'half', 503, 'provider_unavailable', '5'],
    ['redirects', 'redirect', 503, 'provider_unavailable', '5'],
    ['hangs', 'hang', 503, 'provider_unavailable', '5'],
    ['rejects the key', { status: 401 }, 503, 'billing_unconfigured', '60'],
    ['rejects the request', { status: 400 }, 503, 'billing_unconfigured', '60'],
  ]
  test.each(troubles)('%s, the response is as documented (%#)', async (_, trouble, status, code, retryAfter) => {
    world.stripe.troubles = [trouble]
    const reply = await checkout()
    expect([...verdict(reply), reply.headers.get('retry-after')]).toEqual([status, code, retryAfter])
    expect(JSON.stringify(reply.body)).not.toContain('sk_test')
  })

  test.each([
    ['a customer', '/v1/customers'],
    ['a session', '/v1/checkout/sessions'],
  ])('fails to make %s, and says so again for a day, a repeated request succeeds', async (_, path) => {
    const { id, client } = await newOrganization(world.troupe)
    const options = keyed()
    const ask = () => client.post(`${base(id)}/checkout`, checkoutBody(world.troupe), options)
    world.stripe.breaks = path
    expect(verdict(await ask())).toEqual([503, 'provider_unavailable'])
    expect((await ask()).status).toBe(200)
    expect(world.stripe.payable(id)).toHaveLength(1)
  })

  test('has no price for the plan, the response is 503 billing_unconfigured', async () => {
    world.stripe.lookupKeys = []
    expect(verdict(await checkout())).toEqual([503, 'billing_unconfigured'])
    world.stripe.lookupKeys = ['pro', 'scale']
  })

  test('has deleted the customer, a new one is created', async () => {
    await checkout()
    world.stripe.customers.clear()
    const replies = await Promise.all([checkout(), checkout()])
    expect(replies.map(({ status }) => status)).toEqual([200, 200])
    expect(world.stripe.customers.size).toBe(1)
  })
})

test('an unreachable provider returns 503 provider_unavailable', async () => {
  const away = await openStripeWorld({ environment: { TROUPE_STRIPE_BASE_URL: 'http://127.0.0.1:1' } })
  const { organizationId, troupe } = away
  const reply = await troupe.owner.post(`${base(organizationId)}/checkout`, checkoutBody(troupe), keyed())
  expect(verdict(reply)).toEqual([503, 'provider_unavailable'])
  await away.stop()
})

test('the log contains no secret of the provider', () => {
  const log = JSON.stringify(world.troupe.lines)
  expect(log).toContain('Stripe refuses what it is asked')
  expect(log).not.toContain('FakeKey')
  expect(log).not.toContain('whsec_')
})
