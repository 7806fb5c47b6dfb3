/** The server is killed after storing an event and before the request to Stripe that follows. Source: contract 8. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { endAll, eventually, Site } from '../support/process.ts'
import { FakeStripe } from '../support/services/stripe.ts'
import { base, checkoutBody, keyed, stripeSettings } from './world.ts'

let stripe: FakeStripe
let site: Site
beforeAll(async () => {
  stripe = new FakeStripe()
  site = await Site.create({ TROUPE_RUNNER: 'none', ...stripeSettings(stripe), TROUPE_STRIPE_TIMEOUT_MS: '60000' })
})
afterAll(async () => {
  await endAll()
  await site?.remove()
  await stripe?.stop()
})

test('the next server sends the request', async () => {
  const before = await site.start()
  const organizationId: string = (await before.client.get('/api/v1/organizations')).body.data.items[0].id
  const options = keyed()
  const { status } = await before.client.post(`${base(organizationId)}/checkout`, checkoutBody(before), options)
  expect(status).toBe(200)
  const { customer } = stripe.pay(organizationId, Date.now())
  // the checkout has asked too
  const asked = () => stripe.requests('/v1/subscriptions').length - 1
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
