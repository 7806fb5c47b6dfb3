/** One contract: of several checkouts one can be paid, and none during a contract. Source: contract 8. */

import { afterAll, beforeAll, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { StripeProvider } from '../../src/billing/stripe/provider.ts'
import { newOrganization } from '../support/world/organizations.ts'
import { verdict } from '../support/world/replies.ts'
import { signIn } from '../tenancy/sessions/browser.ts'
import { base, checkoutBody, keyed, openStripeWorld, type StripeWorld, tell, until } from './world.ts'

let world: StripeWorld
let browser: Awaited<ReturnType<typeof signIn>>
beforeAll(async () => {
  world = await openStripeWorld()
  browser = await signIn(world.troupe)
})
afterAll(() => world?.stop())
beforeEach(() => {
  world.stripe.troubles = []
})

const notOpen = '{"error":{"type":"invalid_request_error","message":"Only open ones can be expired."}}'
const checkout = (changes: object = {}, options = keyed()) =>
  world.troupe.owner.post(`${base(world.organizationId)}/checkout`, checkoutBody(world.troupe, changes), options)

/** A new organization that opened a checkout. */
async function customer() {
  const { id, client } = await newOrganization(world.troupe, undefined, browser)
  await client.post(`${base(id)}/checkout`, checkoutBody(world.troupe), keyed())
  const [customerId = ''] =
    [...world.stripe.customers].findLast(([, form]) => form['metadata[organizationId]'] === id) ?? []
  const subscription = async () => (await client.get(`${base(id)}/subscription`)).body.data
  const event = (type: string, object: object) =>
    world.stripe.event(type, { customer: customerId, ...object }, { at: world.clock.now() })
  return { id, client, customerId, subscription, event }
}

describe('of several checkouts of an organization', () => {
  const payable = () => world.stripe.payable(world.organizationId)

  test('the last one can be paid, and no other', async () => {
    await checkout()
    const { body } = await checkout({ planKey: 'scale' })
    expect(payable()).toHaveLength(1)
    expect(body.data.url).toEndWith(`/${payable()[0]}`)
  })

  test('of concurrent checkouts, one can be paid', async () => {
    const replies = await Promise.all(Array.from({ length: 8 }, () => checkout()))
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(payable()).toHaveLength(1)
    const urls: string[] = replies.map(({ body }) => body.data.url)
    expect(urls.filter((url) => url.endsWith(`/${payable()[0]}`))).toHaveLength(1)
  })

  test('a checkout being paid at that moment cannot be closed, and no request is rejected', async () => {
    await checkout()
    // requests for the price, the new session, the open ones; then for closing them
    world.stripe.troubles = [undefined, undefined, undefined, { status: 400, body: notOpen }]
    expect((await checkout()).status).toBe(200)
    expect(payable()).toHaveLength(2)
    await checkout()
    expect(payable()).toHaveLength(1)
  })

  test('no new checkout is returned before the others are closed; repeating the request continues with the same session', async () => {
    const options = keyed()
    const before = world.stripe.sessions.size
    world.stripe.troubles = [undefined, undefined, undefined, { status: 500 }]
    expect(verdict(await checkout({}, options))).toEqual([503, 'provider_unavailable'])
    expect((await checkout({}, options)).status).toBe(200)
    expect(world.stripe.sessions.size).toBe(before + 1)
    expect(payable()).toHaveLength(1)
  })
})

describe('once a contract is active', () => {
  test('a checkout that was accepted before is refused, and cannot be paid', async () => {
    const { id, client, subscription, event } = await customer()
    const checkout = StripeProvider.prototype.checkout
    const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const spy = spyOn(StripeProvider.prototype, 'checkout').mockImplementationOnce(async function (
      this: StripeProvider,
      visit,
    ) {
      asked.resolve()
      await gate.promise
      return checkout.call(this, visit)
    })
    const accepted = client.post(`${base(id)}/checkout`, checkoutBody(world.troupe, { planKey: 'scale' }), keyed())
    await asked.promise
    spy.mockRestore()
    world.stripe.pay(id, world.clock.now())
    await tell(world.troupe, await event('checkout.session.completed', { object: 'checkout.session' }))
    await until(async () => (await subscription()).planKey === 'pro', 'it is pro')

    gate.resolve()
    expect(verdict(await accepted)).toEqual([400, 'contract_active'])
    expect(world.stripe.payable(id)).toEqual([])
  })

  /** Two payable checkouts, as when one could not be closed; the first one is paid. */
  async function paidBesides() {
    const found = await customer()
    const [first = ''] = world.stripe.payable(found.id)
    const left = `${first}left`
    world.stripe.sessions.set(left, { ...world.stripe.sessions.get(first)! })
    world.stripe.sessions.get(first)!.status = 'complete'
    world.stripe.subscribe(found.customerId, 'pro', world.clock.now())
    const checkoutCompleted = () => found.event('checkout.session.completed', { object: 'checkout.session' })
    return { ...found, left: () => world.stripe.sessions.get(left)!.status, checkoutCompleted }
  }

  test('open checkouts are closed', async () => {
    const { left, checkoutCompleted, subscription } = await paidBesides()
    await tell(world.troupe, await checkoutCompleted())
    await until(() => left() === 'expired', 'the other one is closed')
    await until(async () => (await subscription()).planKey === 'pro', 'it is pro')
  })

  test('a provider that refuses to close one does not block the contract, and the log warns the operator', async () => {
    const { id, left, checkoutCompleted, subscription } = await paidBesides()
    world.stripe.troubles = [undefined, { status: 403 }]
    await tell(world.troupe, await checkoutCompleted())
    await until(async () => (await subscription()).planKey === 'pro', 'it is pro')
    expect(left()).toBe('open')
    const msg = expect.stringContaining('could not be closed')
    expect(world.troupe.lines).toContainEqual(expect.objectContaining({ msg, organizationId: id }))
  })

  test('a request to an unavailable provider is retried', async () => {
    const { left, checkoutCompleted } = await paidBesides()
    world.stripe.troubles = [undefined, { status: 500 }]
    await tell(world.troupe, await checkoutCompleted())
    await until(() => world.stripe.troubles.length === 0, 'it has been asked')
    await until(() => {
      world.clock.advance(60_000)
      return left() === 'expired'
    }, 'the other one is closed')
  })
})
