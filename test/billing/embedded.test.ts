/** The embedded provider: the checkout and portal pages for development. Source: contract 8, "Providers". */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Client } from '../support/client.ts'
import { data, type Loose, verdict } from '../support/world/replies.ts'
import { type Browser, signIn } from '../tenancy/sessions/browser.ts'
import { click, embeddedOrganization, open } from './embedded.ts'
import { base, consoleOf, keyed, openWorld, portalBody, type World } from './world.ts'

const hour = 3_600_000

let world: World
let browser: Browser
beforeAll(async () => {
  world = await openWorld()
  browser = await signIn(world.troupe)
})
afterAll(() => world?.troupe.stop())

const organization = () => embeddedOrganization(world, browser)

test('a paid checkout activates the plan and redirects to the success page', async () => {
  const { checkout, subscription } = await organization()
  const { status, body } = await checkout()
  expect(status).toBe(200)
  const page = await open(body.data.url)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(page.headers.get('referrer-policy')).toBe('no-referrer')
  const html = await page.text()
  expect(html).toContain('<html lang="en">')
  expect(html).toContain('$49.00 a month')
  expect((await subscription()).planKey).toBe('free')
  const paid = await click(body.data.url, { action: 'pay' })
  expect([paid.status, paid.headers.get('location')]).toEqual([303, `${consoleOf(world.troupe.url)}/billing/success`])
  const now = new Date(world.clock.now()).toISOString()
  expect(await subscription()).toMatchObject({
    planKey: 'pro',
    status: 'active',
    cancelAt: null,
    currentPeriod: { start: now },
  })
})

test('an abandoned checkout redirects to the cancel page and changes nothing', async () => {
  const { checkout, subscription } = await organization()
  const { body } = await checkout()
  const left = await click(body.data.url, { action: 'leave' })
  expect([left.status, left.headers.get('location')]).toEqual([303, `${consoleOf(world.troupe.url)}/billing/canceled`])
  expect(await subscription()).toMatchObject({ planKey: 'free', status: 'active' })
})

test('of eight concurrent payments one counts', async () => {
  const { checkout } = await organization()
  const { body } = await checkout()
  const paid = await Promise.all(Array.from({ length: 8 }, () => click(body.data.url, { action: 'pay' })))
  expect(paid.map(({ status }) => status).sort()).toEqual([303, ...Array(7).fill(409)])
})

test('a name is rendered as text, whatever it contains', async () => {
  const { id, client, checkout } = await organization()
  await client.patch(`/api/v1/organizations/${id}`, { name: '<script>alert("1")</script>' })
  const { body } = await checkout()
  const html = await (await open(body.data.url)).text()
  expect(html).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;')
  expect(html).not.toContain('<script')
})

describe('an address', () => {
  test.each([
    ['made up', () => `${consoleOf(world.troupe.url)}/api/billing/embedded/x`],
    ['changed at its end', (url: string) => `${url.slice(0, -2)}${url.endsWith('AA') ? 'BB' : 'AA'}`],
    ['without its signature', (url: string) => url.slice(0, url.lastIndexOf('.') + 1)],
  ] as [string, (url: string) => string][])('%s leads nowhere', async (_, change) => {
    const { checkout, subscription } = await organization()
    const url = change((await checkout()).body.data.url)
    for (const answer of [await open(url), await click(url, { action: 'pay' })]) expect(answer.status).toBe(404)
    expect((await subscription()).planKey).toBe('free')
  })
})

describe('an address of someone who may no longer manage the billing', () => {
  const shown = async (url: string) => [
    (await open(url)).status,
    (await click(url, { action: 'cancelAtPeriodEnd' })).status,
  ]

  test('leads nowhere: an owner who became an administrator, or a member who left', async () => {
    const { id, client, subscribe, subscription } = await organization()
    const ofCreator = await subscribe()
    for (const lose of [
      (path: string) => client.patch(path, { role: 'admin' }),
      (path: string) => client.delete(path),
    ]) {
      const userId = world.troupe.user('owner', id)
      const second = world.troupe.keyOf(userId, { organizationId: id })
      const { body } = await second.post(`${base(id)}/portal`, portalBody(world.troupe), keyed())
      expect((await open(body.data.url)).status).toBe(200)
      expect([200, 204]).toContain((await lose(`/api/v1/organizations/${id}/members/${userId}`)).status)
      expect(await shown(body.data.url)).toEqual([404, 404])
    }
    expect((await subscription()).cancelAt).toBeNull()
    expect((await open(ofCreator)).status).toBe(200)
  })

  const revoke = (client: Client, keyId: string) => client.post(`/api/v1/api-keys/${keyId}/revoke`)
  test.each([
    ['is revoked', revoke],
    ['has expired', () => world.clock.advance(hour)],
  ])('leads nowhere once the key that asked for it %s', async (_, end) => {
    const { id, client, subscribe } = await organization()
    await subscribe()
    const expiresAt = new Date(world.clock.now() + hour).toISOString()
    const key = { name: 'billing', operations: ['billing:manage'], expiresAt }
    const { id: keyId, secret } = (await client.post('/api/v1/api-keys', key)).body.data
    const asked = await world.troupe.as(secret).post(`${base(id)}/portal`, portalBody(world.troupe), keyed())
    expect((await open(asked.body.data.url)).status).toBe(200)
    await end(client, keyId)
    expect(await shown(asked.body.data.url)).toEqual([404, 404])
  })
})

test('each click that changes something leaves a line in the audit log', async () => {
  const { id, client, checkout, subscribe } = await organization()
  const url = await subscribe()
  await click(url, { action: 'cancelAtPeriodEnd' })
  await click(url, { action: 'cancelAtPeriodEnd' })
  await click(url, { action: 'resume' })
  await click(url, { action: 'changePlan', plan: 'scale' })
  await click(url, { action: 'cancel' })
  await click((await checkout()).body.data.url, { action: 'leave' })
  const linesOf = async (operation: string) =>
    (await data<Loose>(client.get(`/api/v1/organizations/${id}/audit-events`, { query: { operation } }))).items
  const items = await linesOf('changeSubscription')
  // the clock of the test stands still, so the lines have no order
  expect(items.map(({ changed }: Loose) => changed.join()).sort()).toEqual([
    'cancelAt',
    'cancelAt',
    'currentPeriod,planKey',
    'currentPeriod,planKey,status',
    'planKey',
  ])
  const [{ actor }] = await linesOf('createPortal')
  const resource = { type: 'subscription', id }
  for (const line of items) expect(line).toMatchObject({ actor, resource, outcome: 'allowed', ip: '127.0.0.1' })
}, 30_000)

describe('the portal', () => {
  test('schedules the cancellation and withdraws it', async () => {
    const { subscribe, subscription } = await organization()
    const url = await subscribe()
    const planned = await click(url, { action: 'cancelAtPeriodEnd' })
    expect(planned.status).toBe(303)
    expect((await subscription()).cancelAt).toBe((await subscription()).currentPeriod.end)
    expect(await (await open(url)).text()).toContain('Keep the contract')
    expect((await click(url, { action: 'cancelAtPeriodEnd' })).status).toBe(409)
    await click(url, { action: 'resume' })
    expect((await subscription()).cancelAt).toBeNull()
  })

  test('ends the contract immediately, and a new one can start', async () => {
    const { subscribe, subscription, checkout } = await organization()
    const url = await subscribe()
    await click(url, { action: 'cancel' })
    expect(await subscription()).toMatchObject({ planKey: 'free', status: 'canceled', cancelAt: null })
    expect((await click(url, { action: 'cancel' })).status).toBe(409)
    const { body } = await checkout({ planKey: 'scale' })
    expect((await click(body.data.url, { action: 'pay' })).status).toBe(303)
    expect(await subscription()).toMatchObject({ planKey: 'scale', status: 'active' })
  })

  test('changes the plan within the period', async () => {
    const { subscribe, subscription, client, id } = await organization()
    const url = await subscribe()
    const { currentPeriod } = await subscription()
    await click(url, { action: 'changePlan', plan: 'scale' })
    expect(await subscription()).toMatchObject({ planKey: 'scale', status: 'active', currentPeriod })
    const { body } = await client.get(`${base(id)}/usage`)
    expect(body.data).toMatchObject({ period: currentPeriod, minutes: { used: 0, budget: null, remaining: null } })
  })

  test.each([
    [{ action: 'changePlan', plan: 'free' }, 422],
    [{ action: 'changePlan', plan: 'gold' }, 422],
    [{ action: 'changePlan', plan: 'pro' }, 409],
    [{ action: 'changePlan' }, 422],
    [{ action: 'pay' }, 422],
    [{ action: 'fetched' }, 422],
    [{}, 422],
  ] as [Record<string, string>, number][])('responds to %j with %i and changes nothing', async (form, status) => {
    const { subscribe, subscription } = await organization()
    const url = await subscribe()
    const before = await subscription()
    expect((await click(url, form)).status).toBe(status)
    expect(await subscription()).toEqual(before)
  })

  test('is not available before any contract', async () => {
    const { portal, checkout } = await organization()
    expect(verdict(await portal())).toEqual([400, 'no_contract'])
    await checkout()
    expect(verdict(await portal())).toEqual([400, 'no_contract'])
  })
})

test('during a contract a checkout returns 400 contract_active', async () => {
  const { subscribe, checkout } = await organization()
  await subscribe()
  expect(verdict(await checkout({ planKey: 'scale' }))).toEqual([400, 'contract_active'])
})

describe('an organization with an active contract', () => {
  test('cannot be deleted, even with a scheduled cancellation; afterwards it can', async () => {
    const { id, subscribe, client } = await organization()
    const url = await subscribe()
    const remove = () => client.delete(`/api/v1/organizations/${id}`)
    expect(verdict(await remove())).toEqual([409, 'billing_active'])
    await click(url, { action: 'cancelAtPeriodEnd' })
    expect(verdict(await remove())).toEqual([409, 'billing_active'])
    await click(url, { action: 'cancel' })
    expect((await remove()).status).toBe(202)
    expect((await open(url)).status).toBe(404)
    expect((await click(url, { action: 'resume' })).status).toBe(404)
  })

  test('that only opened a checkout can be deleted, and the checkout can no longer be paid', async () => {
    const { id, checkout, client } = await organization()
    const { body } = await checkout()
    expect((await client.delete(`/api/v1/organizations/${id}`)).status).toBe(202)
    expect((await click(body.data.url, { action: 'pay' })).status).toBe(404)
  })
})

test('the Stripe webhook does not exist', async () => {
  expect(verdict(await world.troupe.as(null).post('/api/billing/stripe/webhook', {}))).toEqual([404, 'not_found'])
})
