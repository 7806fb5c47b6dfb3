/** Read and write access to billing. Source: requirement 4.1, 5; contract 1, 8. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { api } from '../support/client.ts'
import { newOrganization } from '../support/world/organizations.ts'
import { data, verdict } from '../support/world/replies.ts'
import { type Browser, newMember, signIn } from '../tenancy/sessions/browser.ts'
import { base, checkoutBody, keyed, openWorld, portalBody, type World } from './world.ts'

let world: World
let browser: Browser
let other: Browser
beforeAll(async () => {
  world = await openWorld()
  browser = await signIn(world.troupe)
  other = await signIn(world.troupe)
})
afterAll(() => world?.troupe.stop())

/** Posts like a browser form, without the header that other writes carry. */
const post = (to: 'checkout' | 'portal', body: unknown, headers: Record<string, string> = {}) =>
  api(world.troupe.url).post(
    `${base(world.organizationId)}/${to}`,
    body,
    keyed(undefined, { cookie: browser.cookie, ...headers }),
  )

describe("a session's token", () => {
  test('in the body is accepted', async () => {
    const body = checkoutBody(world.troupe, { csrfToken: browser.csrfToken })
    expect((await post('checkout', body)).status).toBe(200)
    expect(verdict(await post('portal', portalBody(world.troupe, { csrfToken: browser.csrfToken })))).toEqual([
      400,
      'no_contract',
    ])
  })

  const wrong: [string, () => object, () => Record<string, string>][] = [
    ['missing', () => ({}), () => ({})],
    ['empty', () => ({ csrfToken: '' }), () => ({})],
    ['wrong', () => ({ csrfToken: 'x'.repeat(browser.csrfToken.length) }), () => ({})],
    ['of another session', () => ({ csrfToken: other.csrfToken }), () => ({})],
    ['that is not text', () => ({ csrfToken: [browser.csrfToken] }), () => ({})],
    ['in the header alone', () => ({}), () => ({ 'x-csrf-token': browser.csrfToken })],
    [
      'wrong in the body, and right in the header',
      () => ({ csrfToken: 'wrong' }),
      () => ({ 'x-csrf-token': browser.csrfToken }),
    ],
  ]
  test.each(wrong)('%s returns 403 csrf_required', async (_, changes, headers) => {
    expect(verdict(await post('checkout', checkoutBody(world.troupe, changes()), headers()))).toEqual([
      403,
      'csrf_required',
    ])
    expect(verdict(await post('portal', portalBody(world.troupe, changes()), headers()))).toEqual([
      403,
      'csrf_required',
    ])
    // before the rest of the body is validated
    expect(verdict(await post('checkout', { ...changes(), nothing: 1 }, headers()))).toEqual([403, 'csrf_required'])
  })

  test('is checked in a well-formed body only: malformed JSON returns 400', async () => {
    const headers = { 'content-type': 'application/json' }
    expect(verdict(await post('checkout', '{', headers))).toEqual([400, 'malformed_request'])
  })

  test('is not part of the request hash: another session with the same key gets the same response', async () => {
    const options = (session: Browser) => keyed('same', { cookie: session.cookie })
    const send = (session: Browser) =>
      api(world.troupe.url).post(
        `${base(world.organizationId)}/checkout`,
        checkoutBody(world.troupe, { csrfToken: session.csrfToken }),
        options(session),
      )
    const [first, second] = [await send(browser), await send(other)]
    expect(second.body).toEqual(first.body)
    expect(second.headers.get('idempotency-replayed')).toBe('true')
  })

  test.each([{}, { csrfToken: 'whatever' }])('is not required with an API key: %j', async (changes) => {
    const reply = await world.troupe.owner.post(
      `${base(world.organizationId)}/checkout`,
      checkoutBody(world.troupe, changes),
      keyed(),
    )
    expect(reply.status).toBe(200)
  })
})

describe('keys with', () => {
  const keyWith = async (operations: string[]) => {
    const { body } = await world.troupe.owner.post('/api/v1/api-keys', { name: 'key', operations })
    return world.troupe.as(body.data.secret)
  }
  const calls = (organizationId: string) =>
    [
      ['GET', '/api/v1/billing/plans'],
      ['GET', `${base(organizationId)}/subscription`],
      ['GET', `${base(organizationId)}/usage`],
      ['POST', `${base(organizationId)}/checkout`],
      ['POST', `${base(organizationId)}/portal`],
    ] as const

  test.each([
    [['billing:read'], [200, 200, 200, 403, 403]],
    [['billing:manage'], [403, 403, 403, 200, 400]],
    [['agents:get'], [403, 403, 403, 403, 403]],
  ] as [string[], number[]][])('%j hear %j', async (operations, expected) => {
    const client = await keyWith(operations)
    const statuses = []
    for (const [method, path] of calls(world.organizationId)) {
      const body = path.endsWith('checkout')
        ? checkoutBody(world.troupe)
        : path.endsWith('portal')
          ? portalBody(world.troupe)
          : undefined
      statuses.push((await client.call(method, path, body, body && keyed())).status)
    }
    expect(statuses).toEqual(expected)
  })
})

test('the statechart of a subscription is there for those who may read the billing of that organization', async () => {
  const subscribed = async () => {
    const organization = await newOrganization(world.troupe, undefined, browser)
    const checkout = organization.client.post(`${base(organization.id)}/checkout`, checkoutBody(world.troupe), keyed())
    expect((await checkout).status).toBe(200)
    return { ...organization, path: `/api/v1/actors/subscription/${organization.id}` }
  }
  const [ours, foreign] = [await subscribed(), await subscribed()]
  const { id: projectId } = await data(ours.client.post('/api/v1/projects', { slug: 'narrow', name: 'Narrow' }))
  const keys: [object, number][] = [
    [{ operations: ['billing:read'] }, 200],
    [{ operations: ['agent-runs:get'] }, 403],
    [{ operations: ['*'], projectId }, 404],
  ]
  for (const [key, expected] of keys) {
    const { secret } = await data<{ secret: string }>(ours.client.post('/api/v1/api-keys', { name: 'key', ...key }))
    expect((await world.troupe.as(secret).get(ours.path)).status).toBe(expected)
  }
  expect((await foreign.client.get(foreign.path)).status).toBe(200)
  expect((await foreign.client.get(ours.path)).status).toBe(404)
})

test.each([
  ['admin', 200, 403],
  ['member', 403, 403],
])('an %s gets %i for the subscription and %i for the checkout', async (role, reads, pays) => {
  const them = await newMember(world.troupe, world.organizationId, `${role}@example.com`, role)
  expect((await them.get(`${base(world.organizationId)}/subscription`)).status).toBe(reads)
  const body = checkoutBody(world.troupe, { csrfToken: them.csrfToken })
  expect((await them.post(`${base(world.organizationId)}/checkout`, body, keyed())).status).toBe(pays)
})

test('an organization can be named by its slug too, and idempotency keys cover both', async () => {
  const options = keyed()
  const first = await world.troupe.owner.post(`${base('default')}/checkout`, checkoutBody(world.troupe), options)
  const second = await world.troupe.owner.post(
    `${base(world.organizationId)}/checkout`,
    checkoutBody(world.troupe),
    options,
  )
  expect([first.status, second.body]).toEqual([200, first.body])
})

test('the plans are listed, the cheapest first', async () => {
  const { body } = await world.troupe.owner.get('/api/v1/billing/plans')
  expect(body.data.items.map(({ planKey }: { planKey: string }) => planKey)).toEqual(['free', 'pro', 'scale'])
  expect(body.data.items[0]).toMatchObject({ price: { amount: 0 }, minuteBudget: 1000 })
})

test('without a contract, usage covers the calendar month and has the budget of the free plan', async () => {
  const { body } = await world.troupe.owner.get(`${base(world.organizationId)}/usage`)
  expect(body.data).toEqual({
    period: { start: '2026-01-01T00:00:00.000Z', end: '2026-02-01T00:00:00.000Z' },
    minutes: { used: 0, reserved: 0, budget: 1000, remaining: 1000 },
    runs: { started: 0, completed: 0, failed: 0 },
    tokens: { input: 0, output: 0 },
    pastPeriods: [],
    limits: {
      projects: { used: 0, limit: 100 },
      agents: { used: 0, limit: 1_000 },
      liveRuns: { used: 0, limit: 10_000 },
      openStreams: { used: 0, limit: 1_000 },
      storedBytes: { used: 0, limit: null },
    },
  })
})
