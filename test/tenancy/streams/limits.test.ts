/** The limits of open streams, of a credential and of an organization. They are counted exactly, however they end. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventReader } from '../../runs/stream/event-stream.ts'
import { data } from '../../support/world/replies.ts'
import { openWorld, type Reader, streams, type Watched, type World, watching } from './world.ts'

const ofCredentialMax = 20
const ofOrganizationMax = 30

let folder: string
let world: World
let watched: Watched
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-plans-'))
  const plansFile = join(folder, 'plans.json')
  const price = { amount: 0, currency: 'usd', interval: 'month' }
  const free = { planKey: 'free', name: 'Free', price, minuteBudget: null, features: [] }
  await Bun.write(plansFile, JSON.stringify([{ ...free, limits: { openStreams: ofOrganizationMax } }]))
  world = await openWorld({
    environment: { TROUPE_STREAMS_PER_CREDENTIAL: String(ofCredentialMax), TROUPE_PLANS_FILE: plansFile },
  })
  watched = await world.watched()
})
afterAll(async () => {
  await world?.close()
  await rm(folder, { recursive: true, force: true })
})

const open: EventReader[] = []
const metric = async () => {
  const { body } = await world.as(null).get('/metrics', { unchecked: true })
  return Number(/^troupe_open_streams (\d+)$/m.exec(body as string)?.[1])
}
/** Waits until this many streams are open, by the server's own count. */
async function untilOpen(count: number) {
  const end = performance.now() + 10_000
  while ((await metric()) !== count) {
    if (performance.now() > end) throw new Error(`${await metric()} streams are open, not ${count}.`)
    await Bun.sleep(5)
  }
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((stream) => stream.cancel()))
  await untilOpen(0)
})

const follow = async (reader: Reader, path = streams['a run'](watched)) => {
  const stream = await world.follow(reader, path)
  open.push(stream)
  return stream
}
const fill = async (reader: Reader, count: number) => {
  for (let index = 0; index < count; index += 1) {
    await follow(reader, index % 2 === 0 ? streams['a run'](watched) : streams['the actor of an Environment'](watched))
  }
}
const refused = async ({ client }: Reader, path = streams['a run'](watched)) => {
  const answer = await client.raw('GET', path)
  const { error } = (await answer.json()) as { error: Record<string, unknown> }
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), error }
}

test('a credential has a limited number, of all kinds together', async () => {
  const reader = world.person('owner')
  await fill(reader, ofCredentialMax)
  expect(await refused(reader)).toMatchObject({
    status: 429,
    retryAfter: '5',
    error: { code: 'too_many_streams', details: { limit: ofCredentialMax } },
  })
  expect((await refused(reader, streams['the actor of a run'](watched))).status).toBe(429)
  // another credential of the same user is not affected
  await follow(world.keyOf(reader.userId))
  await open[0]!.cancel()
  await untilOpen(ofCredentialMax)
  await follow(reader)
})

test('an organization has as many as its plan allows', async () => {
  await fill(world.person('owner'), ofCredentialMax)
  const other = world.person('owner')
  await fill(other, ofOrganizationMax - ofCredentialMax)
  const answer = await refused(world.browser('owner'))
  expect(answer).toMatchObject({
    status: 422,
    error: { code: 'limit_exceeded', details: { name: 'openStreams', limit: ofOrganizationMax } },
  })
  expect(answer.error.message).toContain(String(ofOrganizationMax))
})

test('of many concurrent requests, exactly the allowed number succeeds', async () => {
  const reader = world.person('owner')
  const answers = await Promise.all(
    Array.from({ length: 3 * ofCredentialMax }, () => reader.client.raw('GET', streams['a run'](watched))),
  )
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(ofCredentialMax)
  expect(statuses.filter((status) => status === 429)).toHaveLength(2 * ofCredentialMax)
  await Promise.all(answers.map(({ body }) => body?.cancel()))
})

test('a thousand that were opened and abandoned leave nothing behind', async () => {
  const reader = world.person('owner')
  const kinds = Object.values(streams)
  for (let round = 0; round < 50; round += 1) {
    await Promise.all(
      Array.from({ length: ofCredentialMax }, async (_, index) => {
        const hangUp = new AbortController()
        const path = kinds[index % kinds.length]!(watched)
        const asked = reader.client.raw('GET', path, undefined, { signal: hangUp.signal }).catch(() => undefined)
        // some disconnect before the answer, some with it, some while they read
        if (index % 3 === 0) return hangUp.abort()
        const answer = await asked
        if (index % 3 === 1) await answer?.body?.getReader().read()
        hangUp.abort()
      }),
    )
    await untilOpen(0)
  }
})

test('refused streams, ended ones and HEAD requests are not counted', async () => {
  const reader = world.person('owner')
  const path = streams['a run'](watched)
  expect((await reader.client.get('/api/v1/agent-runs/run_01h00000000000000000000000/stream')).status).toBe(404)
  expect((await reader.client.get(`${path}?after=99999`)).status).toBe(422)
  const beyond = { headers: { 'last-event-id': '99999' } }
  expect((await reader.client.get(streams['the actor of an Environment'](watched), beyond)).status).toBe(422)
  expect((await reader.client.raw('HEAD', path)).status).toBe(200)
  await untilOpen(0)
})

test('a stream that the server ends makes room', async () => {
  const own = await world.watched()
  const reader = world.person('owner')
  for (let index = 0; index < ofCredentialMax; index += 1) await follow(reader, streams['a run'](own))
  await data(world.owner.post(`/api/v1/agent-runs/${own.runId}/cancel`))
  await Promise.all(open.map((stream) => stream.all()))
  await untilOpen(0)
  expect((await reader.client.raw('GET', `${streams['a run'](own)}?after=99`)).status).toBe(422)
  await follow(reader)
})

test('a revoked stream makes room', async () => {
  const reader = world.person('owner')
  await fill(reader, 4)
  await data(world.owner.post(`/api/v1/api-keys/${reader.credentialId}/revoke`))
  await Promise.all(open.map((stream) => stream.all()))
  await untilOpen(0)
})

test('a request that waits for a run counts, until it is answered or abandoned', async () => {
  const own = await world.watched()
  const path = `/api/v1/agent-runs/${own.runId}?waitSeconds=60`
  const { userId } = world.person('owner')
  const reader = world.keyOf(userId, {}, [...watching, 'agent-runs:create', 'agent-runs:list'])
  const hangUp = new AbortController()
  const givenUp = reader.client.raw('GET', path, undefined, { signal: hangUp.signal }).catch(() => undefined)
  const waiting = reader.client.get(path)
  await fill(reader, ofCredentialMax - 2)
  await untilOpen(ofCredentialMax)

  const full = { status: 429, error: { code: 'too_many_streams' } }
  expect(await refused(reader)).toMatchObject(full)
  expect(await refused(reader, path)).toMatchObject(full)
  const started = async () => {
    const asked = { agentId: 'agt_system_assistant', query: 'Hello' }
    return reader.client.raw('POST', '/api/v1/agent-runs?waitSeconds=60', asked)
  }
  const listed = async () => (await reader.client.get('/api/v1/agent-runs')).body.agentRuns.length as number
  const before = await listed()
  expect((await started()).status).toBe(429)
  // a refused request has started nothing
  expect(await listed()).toBe(before)
  // a request that does not wait is not counted
  expect((await reader.client.get(`/api/v1/agent-runs/${own.runId}?waitSeconds=0`)).status).toBe(200)

  hangUp.abort()
  await givenUp
  await untilOpen(ofCredentialMax - 1)
  await data(world.owner.post(`/api/v1/agent-runs/${own.runId}/cancel`))
  expect((await waiting).body.data.state).toBe('canceled')
  await untilOpen(ofCredentialMax - 2)
})

describe('a caller who loses the right to wait for a run is refused like a new request', () => {
  test.each([
    ['a revoked key', 401, ({ credentialId }: Reader) => world.owner.post(`/api/v1/api-keys/${credentialId}/revoke`)],
    [
      'another role of its user',
      403,
      ({ userId }: Reader) =>
        world.owner.patch(`/api/v1/organizations/${world.ours}/members/${userId}`, { role: 'member' }),
    ],
  ] as const)('%s: %d', async (_, status, lose) => {
    const reader = world.person('owner')
    const path = `/api/v1/agent-runs/${watched.runId}`
    const waiting = reader.client.get(`${path}?waitSeconds=60`)
    await untilOpen(1)
    await data(lose(reader))
    const [ended, anew] = [await waiting, await reader.client.get(path)]
    expect([ended.status, ended.body.error.code]).toEqual([anew.status, anew.body.error.code])
    expect(ended.status).toBe(status)
  })
})
