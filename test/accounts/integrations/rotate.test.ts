/** Replacing the client id or secret of an integration. Source: requirement 4.8, rules 1, 3 to 5; contract 4. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { expectError } from '../../support/world/replies.ts'
import { failures, outages } from './outcomes.ts'
import { knowing, refusing } from './provider.ts'
import { credentials, dataOf, openWorld, type World } from './world.ts'

const clock = new HandClock()
let world: World
let id: string
const stored = () => [world.rows('integrations'), world.rows('integration_versions')]

beforeAll(async () => {
  // these tests rotate more often than the limit per minute allows
  world = await openWorld({ clock, environment: { TROUPE_RATE_LIMIT_PER_MINUTE: '0' } })
  id = dataOf(await world.register()).id
})
afterAll(() => world?.stop())
beforeEach(() => {
  world.provider.answers(refusing('invalid_grant'))
  clock.advance(1_000)
})

describe.each(Object.entries({ ...failures, ...outages }))('when the provider responds with %s', (_, row) => {
  test(`a rotation returns ${row.status} ${row.code}, and the integration is unchanged`, async () => {
    const before = stored()
    world.provider.answers(row.answer)
    const reply = await world.rotate(id, { clientId: 'client-2', clientSecret: 'secret-2' })
    expectError(reply, row.status, row.code)
    expect(reply.headers.get('retry-after')).toBe(row.retryAfter ?? null)
    expect(stored()).toEqual(before)
  })
})

test('a new secret alone is verified with the stored client id, and becomes the next version', async () => {
  world.provider.answers(knowing(credentials.clientId, 'secret-2'))
  const before = dataOf(await world.get(id))
  const after = dataOf(await world.rotate(id, { clientSecret: 'secret-2' }))
  const at = new Date(clock.now()).toISOString()
  expect(after).toEqual({
    ...before,
    verifiedAt: at,
    lastVerification: { ...before.lastVerification, at },
    currentVersion: { id: expect.stringMatching(/^inv_/), number: before.currentVersion.number + 1 },
    updatedAt: at,
  })
  expect(after.currentVersion.id).not.toBe(before.currentVersion.id)
  expect(dataOf(await world.verify(id)).outcome).toBe('verified')
})

test('a new client id alone is verified with the stored secret', async () => {
  world.provider.answers(knowing('client-3', 'secret-2'))
  expect(dataOf(await world.rotate(id, { clientId: 'client-3' })).clientId).toBe('client-3')
  expect(dataOf(await world.get(id)).clientId).toBe('client-3')
})

test('previous versions are unchanged', async () => {
  const before = world.rows('integration_versions')
  dataOf(await world.rotate(id, { clientSecret: 'secret-4' }))
  const after = world.rows('integration_versions')
  expect(after.filter(({ id }) => before.some((version) => version.id === id))).toEqual(before)
  expect(after).toHaveLength(before.length + 1)
})

test('a rotation makes a misconfigured integration active again', async () => {
  world.provider.answers(refusing('invalid_client'))
  expect(dataOf(await world.verify(id)).integration.status).toBe('misconfigured')
  world.provider.answers(refusing('invalid_grant'))
  const { status, lastVerification } = dataOf(await world.rotate(id, { clientSecret: 'secret-5' }))
  expect([status, lastVerification.outcome]).toEqual(['active', 'verified'])
})

test('a rotation without changes returns 200, sends no request and changes nothing', async () => {
  const before = stored()
  const asked = world.provider.asked.length
  expect(dataOf(await world.rotate(id, {})).id).toBe(id)
  expect(stored()).toEqual(before)
  expect(world.provider.asked).toHaveLength(asked)
})

test.each([
  ['the preset, which cannot be changed', { presetKey: 'acme' }, '/body/presetKey'],
  ['an empty secret', { clientSecret: '' }, '/body/clientSecret'],
  ['a client id that is null', { clientId: null }, '/body/clientId'],
  ['a status', { status: 'active' }, '/body/status'],
] as const)('%s returns 422', async (_, body, path) => {
  const reply = await world.rotate(id, body)
  expectError(reply, 422, 'validation_failed')
  expect(reply.body.error.details.issues[0].path).toBe(path)
})

test('concurrent rotations run one after the other, and each creates a version', async () => {
  const before = dataOf(await world.get(id)).currentVersion.number
  const replies = await Promise.all(
    ['a', 'b', 'c', 'd'].map((letter) => world.rotate(id, { clientSecret: `secret-${letter}` })),
  )
  const numbers = replies.map((reply) => dataOf(reply).currentVersion.number).sort((a, b) => a - b)
  expect(numbers).toEqual([1, 2, 3, 4].map((step) => before + step))
  expect(dataOf(await world.get(id)).currentVersion.number).toBe(before + 4)
})

test('ten concurrent rotations send ten requests to the provider, one at a time', async () => {
  const before = dataOf(await world.get(id)).currentVersion.number
  let atOnce = 0
  let most = 0
  let probes = 0
  world.provider.answers(async () => {
    probes += 1
    atOnce += 1
    most = Math.max(most, atOnce)
    await Bun.sleep(5)
    atOnce -= 1
    return Response.json({ error: 'invalid_grant' }, { status: 400 })
  })
  const rotations = Array.from({ length: 10 }, (_, at) => world.rotate(id, { clientSecret: `secret-at-once-${at}` }))
  for (const reply of await Promise.all(rotations)) expect(reply.status).toBe(200)
  expect([probes, most]).toEqual([10, 1])
  expect(dataOf(await world.get(id)).currentVersion.number).toBe(before + 10)
})

test('after a rotation that the provider refuses, the next one proceeds', async () => {
  let count = 0
  world.provider.answers(() => {
    count += 1
    return Response.json({ error: count === 1 ? 'invalid_client' : 'invalid_grant' }, { status: 400 })
  })
  const replies = await Promise.all(['x', 'y'].map((letter) => world.rotate(id, { clientSecret: `secret-${letter}` })))
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 400])
})

test('rotations beyond twenty waiting ones return 503, and the waiting ones complete', async () => {
  const release = Promise.withResolvers<void>()
  world.provider.answers(async () => {
    await release.promise
    return Response.json({ error: 'invalid_grant' }, { status: 400 })
  })
  const rotations = Array.from({ length: 24 }, () => world.rotate(id, { clientSecret: 'secret-many' }))
  expect((await Promise.race(rotations)).status).toBe(503)
  release.resolve()
  const statuses = (await Promise.all(rotations)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 503)).toHaveLength(3)
  expect(statuses.filter((status) => status === 200)).toHaveLength(21)
})

test('a result for a client that was rotated meanwhile is discarded, and the provider is asked again', async () => {
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<Response>()
  let count = 0
  world.provider.answers(() => {
    count += 1
    if (count > 1) return Response.json({ error: 'invalid_grant' }, { status: 400 })
    asked.resolve()
    return answer.promise
  })
  const verification = world.verify(id)
  await asked.promise
  dataOf(await world.rotate(id, { clientSecret: 'secret-6' }))
  answer.resolve(Response.json({ error: 'invalid_client' }, { status: 401 }))
  expect(dataOf(await verification)).toMatchObject({ outcome: 'verified' })
  expect(dataOf(await world.get(id)).status).toBe('active')
  expect(count).toBe(3)
})

test('a rotation of an integration that is deleted meanwhile returns 404 and leaves nothing behind', async () => {
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<Response>()
  world.provider.answers(() => {
    asked.resolve()
    return answer.promise
  })
  const rotation = world.rotate(id, { clientSecret: 'secret-7' })
  await asked.promise
  expect((await world.remove(id)).status).toBe(204)
  answer.resolve(Response.json({ error: 'invalid_grant' }, { status: 400 }))
  expectError(await rotation, 404, 'not_found')
  expect(stored()).toEqual([[], []])
  expect(world.rows('transitions').filter(({ kind }) => kind === 'integration')).toEqual([])
})

test('an integration has at most 100 versions', async () => {
  const integration = dataOf(await world.register())
  const { Database } = await import('bun:sqlite')
  const db = new Database(world.troupe.file)
  db.run('update integrations set current_version = 100, version = version + 1 where id = ?', [integration.id])
  db.close()
  expectError(await world.rotate(integration.id, { clientSecret: 'secret-101' }), 422, 'limit_exceeded')
})
