/**
 * The server is killed around its requests to Stripe: before the one that follows an event, and before it stores the
 * response to one. Source: contract 0, "Calls to outside providers"; contract 8; trust 3.3, cases 74, 78.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { endAll, eventually, type Server, Site } from '../support/process.ts'
import { FakeStripe } from '../support/services/stripe.ts'
import { base, checkoutBody, keyed, stripeSettings } from './world.ts'

/** The same for every server of the site. */
const consoleUrl = 'http://localhost:1'

let stripe: FakeStripe
let site: Site
beforeAll(async () => {
  stripe = new FakeStripe()
  const settings = { TROUPE_CONSOLE_URL: consoleUrl, TROUPE_STRIPE_TIMEOUT_MS: '60000' }
  site = await Site.create({ TROUPE_RUNNER: 'none', ...stripeSettings(stripe), ...settings })
})
afterAll(async () => {
  await endAll()
  await site?.remove()
  await stripe?.stop()
})

const organizationOf = async ({ client }: Server): Promise<string> =>
  (await client.get('/api/v1/organizations')).body.data.items[0].id

test.each(['/v1/customers', '/v1/checkout/sessions'])(
  'killed once Stripe has carried out POST %s: the same request continues with the same customer and session',
  async (path) => {
    const before = await site.start()
    const organizationId = await organizationOf(before)
    const options = keyed()
    const ask = ({ client }: Server) =>
      client.post(`${base(organizationId)}/checkout`, checkoutBody({ url: consoleUrl }), options)
    const sessions = stripe.sessions.size
    stripe.loses = path
    const unanswered = ask(before).catch(() => undefined)
    await eventually('a lost response', () => stripe.loses === undefined)
    await before.end('SIGKILL')
    await unanswered

    const after = await site.start()
    const reply = await ask(after)
    expect(reply.status).toBe(200)
    expect([stripe.customers.size, stripe.sessions.size]).toEqual([1, sessions + 1])
    expect((await ask(after)).body).toEqual(reply.body)
    expect(await after.end('SIGTERM')).toBe(0)
  },
)

test('killed before the request that follows an event: the next server sends it', async () => {
  const before = await site.start()
  const organizationId = await organizationOf(before)
  const options = keyed()
  const { status } = await before.client.post(
    `${base(organizationId)}/checkout`,
    checkoutBody({ url: consoleUrl }),
    options,
  )
  expect(status).toBe(200)
  const { customer } = stripe.pay(organizationId, Date.now())
  // the checkouts have asked too
  const earlier = stripe.requests('/v1/subscriptions').length
  const asked = () => stripe.requests('/v1/subscriptions').length - earlier
  stripe.always = 'hang'
  const { body, signature } = await stripe.event('invoice.paid', { customer }, { at: Date.now() })
  const headers = { 'stripe-signature': signature, 'content-type': 'application/json' }
  const reply = await before.client.call('POST', '/api/billing/stripe/webhook', body, { headers })
  expect(reply.status).toBe(200)
  await eventually('a question', () => asked() === 1)
  await before.end('SIGKILL')

  stripe.always = undefined
  const after = await site.start()
  await eventually('a contract', async () => {
    const reply = await after.client.get(`${base(organizationId)}/subscription`)
    return reply.body.data.planKey === 'pro'
  })
  expect(asked()).toBe(2)
  expect(before.output() + after.output()).not.toContain('FakeKey')
})
