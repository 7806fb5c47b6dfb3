/** Registering an organization's own OAuth client. Source: requirement 4.8, rules 1 to 4, 7; contract 4. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { expectError } from '../../support/world/replies.ts'
import { failures, outages } from './outcomes.ts'
import { refusing } from './provider.ts'
import { anotherOrganization, clientOf, credentials, dataOf, openWorld, type World } from './world.ts'

const clock = new HandClock()
let world: World
beforeAll(async () => {
  world = await openWorld({ clock, presetKeys: ['racing', 'kept'] })
})
afterAll(() => world?.stop())
beforeEach(() => world.provider.answers(refusing('invalid_grant')))

describe.each(Object.entries({ ...failures, ...outages }))('when the provider responds with %s', (_, row) => {
  test(`registering returns ${row.status} ${row.code} and writes nothing`, async () => {
    world.provider.answers(row.answer)
    const reply = await world.register()
    expectError(reply, row.status, row.code)
    expect(reply.headers.get('retry-after')).toBe(row.retryAfter ?? null)
    if (row.providerError !== undefined) expect(reply.body.error.details.providerError).toBe(row.providerError)
    expect(JSON.stringify(reply.body)).not.toContain('provider text')
    for (const table of ['integrations', 'integration_versions']) expect(world.rows(table)).toEqual([])
    expect(world.rows('transitions').filter(({ kind }) => kind === 'integration')).toEqual([])
  })
})

test('an unregistered redirect URI is named in the error, so that it can be registered', async () => {
  world.provider.answers(refusing('redirect_uri_mismatch'))
  const { body } = await world.register()
  expect(body.error.message).toContain(`http://localhost:${new URL(world.troupe.url).port}/api/oauth/callback/acme`)
})

describe('invalid input returns 422 without a request to the provider', () => {
  const refused: [string, object, string][] = [
    ['no client id', { clientId: undefined }, '/body/clientId'],
    ['an empty client id', { clientId: '' }, '/body/clientId'],
    ['a client id of 513 characters', { clientId: 'x'.repeat(513) }, '/body/clientId'],
    ['a client id with spaces around it', { clientId: ' client ' }, '/body/clientId'],
    ['a client id with a line break', { clientId: 'client\nid' }, '/body/clientId'],
    ['a client id that is not text', { clientId: 1 }, '/body/clientId'],
    ['no client secret', { clientSecret: undefined }, '/body/clientSecret'],
    ['an empty client secret', { clientSecret: '' }, '/body/clientSecret'],
    ['a client secret of 2,049 characters', { clientSecret: 'x'.repeat(2_049) }, '/body/clientSecret'],
    ['a client secret that is null', { clientSecret: null }, '/body/clientSecret'],
    ['an unknown preset', { presetKey: 'nobody' }, '/body/presetKey'],
    ['the name of a built-in property', { presetKey: '__proto__' }, '/body/presetKey'],
    ['a preset that is a list', { presetKey: ['acme'] }, '/body/presetKey'],
    ['an unknown field', { verifiedAt: null }, '/body/verifiedAt'],
  ]
  test.each(refused)('%s', async (_, body, path) => {
    const before = world.provider.asked.length
    const reply = await world.register(body)
    expectError(reply, 422, 'validation_failed')
    expect(reply.body.error.details.issues.map((issue: { path: string }) => issue.path)).toEqual([path])
    expect(world.provider.asked).toHaveLength(before)
  })
})

test('the longest client id and secret are accepted', async () => {
  const integration = dataOf(
    await world.register({ presetKey: 'kept', clientId: 'i'.repeat(512), clientSecret: '~'.repeat(2_048) }),
  )
  expect(integration.clientId).toBe('i'.repeat(512))
})

test('of eight identical concurrent registrations, one is created and the others return 400', async () => {
  const replies = await Promise.all(Array.from({ length: 8 }, () => world.register({ presetKey: 'racing' })))
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400, 400, 400])
  for (const reply of replies.filter(({ status }) => status === 400)) expectError(reply, 400, 'integration_exists')
  const made = replies.find(({ status }) => status === 200)?.body.data
  expect(world.rows('integrations').filter(({ preset_key }) => preset_key === 'racing')).toHaveLength(1)
  expect(world.rows('integration_versions').filter(({ integration_id }) => integration_id === made.id)).toHaveLength(1)
  expect((await world.get(made.id)).body.data).toEqual(made)
})

test('a new registration is active, verified at that moment, and shows no secret', async () => {
  const at = new Date(clock.now()).toISOString()
  const integration = dataOf(await world.register())
  expect(integration).toEqual({
    id: expect.stringMatching(/^int_/),
    presetKey: 'acme',
    clientId: credentials.clientId,
    status: 'active',
    verifiedAt: at,
    lastVerification: { outcome: 'verified', code: null, message: expect.any(String), at },
    currentVersion: { id: expect.stringMatching(/^inv_/), number: 1 },
    createdAt: at,
    updatedAt: at,
  })
  expect((await world.get(integration.id)).body.data).toEqual(integration)
  expect((await world.list()).body.data.items).toContainEqual(integration)
})

test('a second registration for the preset returns 400 without a request to the provider', async () => {
  const before = world.provider.asked.length
  expectError(await world.register({ clientId: 'another' }), 400, 'integration_exists')
  expect(world.provider.asked).toHaveLength(before)
})

test('another organization can register for the same preset', async () => {
  const { client, path } = await anotherOrganization(world.troupe)
  const theirs = dataOf(await clientOf(client, path).register())
  expect((await clientOf(client, path).list()).body.data.items).toEqual([theirs])
})

test('a provider receives at most 60 requests a minute for an organization', async () => {
  world.provider.answers(refusing('invalid_client'))
  const [integration] = (await world.list()).body.data.items
  let limited: Awaited<ReturnType<World['verify']>> | undefined
  for (let count = 0; count < 61 && !limited; count += 1) {
    const reply = await world.rotate(integration.id, { clientSecret: 'other' })
    if (reply.status === 429) limited = reply
  }
  expect(limited?.body.error.code).toBe('rate_limited')
  expect(limited?.body.error.message).toContain('TROUPE_RATE_LIMIT_PER_MINUTE=0')
  expect(Number(limited?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
})

test('without rate limits, requests to providers are not limited either', async () => {
  const unlimited = await openWorld({ environment: { TROUPE_RATE_LIMIT_PER_MINUTE: '0' } })
  try {
    const { id } = dataOf(await unlimited.register())
    for (let count = 0; count < 70; count += 1) expect((await unlimited.verify(id)).status).toBe(200)
  } finally {
    await unlimited.stop()
  }
})
