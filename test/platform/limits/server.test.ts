/** The limits of the whole server, as callers see them. Source: contract 0, "Rate limits". */
import { afterEach, describe, expect, test } from 'bun:test'
import { newSecret } from '../../../src/tenancy/api-keys/secret.ts'
import { type RedisServer, redisIsInstalled, startRedis } from '../../support/services/redis.ts'
import { serverCount } from '../../support/stores/engine.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'

const path = '/api/v1/system-agents'
let troupe: Troupe | undefined
afterEach(async () => {
  await troupe?.stop()
  troupe = undefined
})

test('a credential has the configured number of requests per minute, and each answer shows the remaining number', async () => {
  troupe = await openTroupe({ environment: { TROUPE_RATE_LIMIT_PER_MINUTE: '3' } })
  for (const remaining of [2, 1, 0]) {
    const { status, headers } = await troupe.owner.get(path)
    expect(status).toBe(200)
    expect(headers.get('ratelimit-policy')).toBe('"credential";q=3;w=60')
    expect(headers.get('ratelimit')).toStartWith(`"credential";r=${remaining};t=`)
  }
  const { status, headers, body } = await troupe.owner.get(path)
  expect([status, body.error.code]).toEqual([429, 'rate_limited'])
  const seconds = Number(headers.get('retry-after'))
  expect(seconds).toBeWithin(1, 61)
  expect(headers.get('ratelimit')).toBe(`"credential";r=0;t=${seconds}`)
  expect((await troupe.owner.get('/api/v1/system-agents/nonsense')).status).toBe(429)
  expect((await troupe.owner.get('/healthz')).status).toBe(200)
  expect((await troupe.as(null).get(path)).status).toBe(401)
})

test("refusals count, and another organization's path does not circumvent the limit", async () => {
  troupe = await openTroupe({ environment: { TROUPE_RATE_LIMIT_PER_MINUTE: '2' } })
  expect((await troupe.owner.get('/api/v1/system-agents/nonsense')).status).toBe(404)
  const foreign = '/api/v1/organizations/org_01h455vb4pex5vsknk084sn02q'
  expect((await troupe.owner.get(foreign, { unchecked: true })).headers.get('ratelimit')).toContain(';r=0;')
  expect((await troupe.owner.get(foreign, { unchecked: true })).status).toBe(429)
})

test('requests of a user outside of organizations count too', async () => {
  troupe = await openTroupe({ environment: { TROUPE_RATE_LIMIT_PER_MINUTE: '2' } })
  const current = () => troupe!.owner.get('/api/v1/api-keys/current')
  expect([(await current()).status, (await current()).status]).toEqual([200, 200])
  const { status, body } = await current()
  expect([status, body.error.code]).toEqual([429, 'rate_limited'])
})

test('0 disables limits: no headers, no refusals, not even of invalid keys', async () => {
  troupe = await openTroupe({ environment: { TROUPE_RATE_LIMIT_PER_MINUTE: '0' } })
  const { status, headers } = await troupe.owner.get(path)
  expect([status, headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([200, null, null])
  for (let time = 0; time < 25; time += 1) expect((await troupe.as(newSecret()).get(path)).status).toBe(401)
})

test('an address simulates statecharts 120 times a minute, with or without a key, and others are not affected', async () => {
  troupe = await openTroupe({ environment: { TROUPE_TRUSTED_PROXIES: '1' } })
  const simulate = async (address: string, client = troupe!.as(null)) =>
    client.post('/api/v1/machines/run/simulate', { steps: [] }, { headers: { 'x-forwarded-for': address } })
  // the addresses of an IPv6 network are one
  for (let time = 0; time < 120; time += 1) expect((await simulate(`2001:db8::${time + 1}`)).status).toBe(200)
  const { status, headers, body } = await simulate('2001:db8::ffff')
  expect([status, body.error.code]).toEqual([429, 'rate_limited'])
  expect(body.error.message).toContain('120 times a minute')
  expect(Number(headers.get('retry-after'))).toBeWithin(1, 61)
  expect((await simulate('2001:db8::1', troupe.owner)).status).toBe(429)
  expect((await simulate('2001:db8:0:1::1')).status).toBe(200)
})

describe('the address of the client', () => {
  /** The statuses of failures from this address. */
  const failuresFrom = async (times: number, forwarded: () => string) => {
    const statuses = new Map<number, number>()
    for (let time = 0; time < times; time += 1) {
      const { status } = await troupe!.as(newSecret()).get(path, { headers: { 'x-forwarded-for': forwarded() } })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    return Object.fromEntries(statuses)
  }
  const madeUp = () => `198.51.100.${Math.floor(Math.random() * 256)}`

  test('without trusted proxies is that of the connection, whatever the client says', async () => {
    troupe = await openTroupe()
    expect(await failuresFrom(22, madeUp)).toEqual({ 401: 20, 429: 2 })
  })

  test('behind a trusted proxy is the one that the proxy has added; earlier values do not count', async () => {
    troupe = await openTroupe({ environment: { TROUPE_TRUSTED_PROXIES: '1' } })
    expect(await failuresFrom(22, () => `${madeUp()}, 192.0.2.1`)).toEqual({ 401: 20, 429: 2 })
    expect(await failuresFrom(5, () => '192.0.2.2')).toEqual({ 401: 5 })
    expect((await troupe.owner.get(path, { headers: { 'x-forwarded-for': '192.0.2.1' } })).status).toBe(200)
  })
})

// while Redis is unavailable each server counts for itself
describe.skipIf(!redisIsInstalled() || serverCount > 1)('with Redis', () => {
  let redis: RedisServer
  afterEach(() => redis?.stop())

  test('requests are served while it is unavailable, with the same limits', async () => {
    redis = await startRedis()
    troupe = await openTroupe({ environment: { REDIS_URL: redis.url, TROUPE_RATE_LIMIT_PER_MINUTE: '10' } })
    const remaining = async () => /r=(\d+)/.exec((await troupe!.owner.get(path)).headers.get('ratelimit') ?? '')?.[1]
    expect([await remaining(), await remaining()]).toEqual(['9', '8'])
    await redis.kill()
    const statuses: number[] = []
    for (let time = 0; time < 15; time += 1) statuses.push((await troupe.owner.get(path)).status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(5)
    const outages = troupe.lines.map(({ msg }) => String(msg)).filter((line) => line.includes('counts requests'))
    expect(outages).toHaveLength(1)
  })
})
