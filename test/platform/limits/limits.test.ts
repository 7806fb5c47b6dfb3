/** Contract 0, "Rate limits"; contract 1, "Session": the same in memory, over Redis, and while Redis is unavailable. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setSystemTime, test } from 'bun:test'
import { Redis } from 'ioredis'
import { type Limits, openLimits } from '../../../src/platform/limits/open-limits.ts'
import { type RedisServer, redisIsInstalled, startRedis } from '../../support/services/redis.ts'
import { counting, guess, left, refusedKey, request } from './counting.ts'

const startedAt = Date.UTC(2026, 0, 1)
const open: Limits[] = []
let lines: string[]

beforeEach(() => {
  lines = []
})
afterEach(() => {
  setSystemTime()
  for (const limits of open.splice(0)) limits.close()
})

async function limitsOf(requestsPerMinute: number, redisUrl?: string, now?: () => number): Promise<Limits> {
  const log = { warn: (details: object, message: string) => void lines.push(JSON.stringify({ ...details, message })) }
  const limits = await openLimits({
    requestsPerMinute,
    failuresMax: 3,
    log,
    ...(redisUrl && { redisUrl }),
    ...(now && { now }),
  })
  open.push(limits)
  return limits
}

describe('in memory', () => {
  counting(limitsOf)

  test('0 disables the limit, but not that of sign-ins', async () => {
    const limits = await limitsOf(0)
    expect(limits.rateLimiter).toBeUndefined()
    expect(limits.signIns).toBeDefined()
  })

  test('after a minute the count restarts', async () => {
    setSystemTime(startedAt)
    const limits = await limitsOf(1)
    await request(limits)
    setSystemTime(startedAt + 59_500)
    const { headers, refusal } = await request(limits)
    expect([left(headers), refusal?.retryAfterSeconds]).toEqual([[0, 1], 1])
    setSystemTime(startedAt + 60_000)
    expect((await request(limits)).refusal).toBeUndefined()
  })

  test('after a quarter of an hour attempts are free again; refused ones do not extend it', async () => {
    setSystemTime(startedAt)
    const limits = await limitsOf(0)
    for (let time = 0; time < 20; time += 1) await guess(limits)
    setSystemTime(startedAt + 15 * 60_000 - 1)
    expect(await guess(limits)).toBe(1)
    setSystemTime(startedAt + 15 * 60_000)
    expect(await guess(limits)).toBe(0)
  })
})

describe.skipIf(!redisIsInstalled())('over Redis', () => {
  let server: RedisServer
  let redis: Redis
  beforeAll(async () => {
    server = await startRedis()
    redis = new Redis(server.url)
  })
  afterAll(async () => {
    redis.disconnect()
    await server?.stop()
  })
  beforeEach(async () => {
    await redis.flushall()
  })

  counting((requestsPerMinute) => limitsOf(requestsPerMinute, server.url))

  test('processes count together', async () => {
    const [one, other] = [await limitsOf(2, server.url), await limitsOf(2, server.url)]
    await request(one)
    await request(other)
    expect((await request(one)).refusal?.status).toBe(429)
    expect((await request(other)).refusal?.status).toBe(429)
    for (let time = 0; time < 10; time += 1) await guess(time % 2 === 0 ? one : other)
    expect(await guess(other)).toBeGreaterThan(0)
    await one.signIns.succeeded('ada@example.com', '192.0.2.1')
    expect(await guess(other)).toBe(0)
    expect(lines).toEqual([])
  })

  test('processes count failures of one network together, keys separate from passwords', async () => {
    const [one, other] = [await limitsOf(0, server.url), await limitsOf(0, server.url)]
    expect([await refusedKey(one), await refusedKey(other), await refusedKey(one)]).toEqual([401, 401, 401])
    expect(await refusedKey(other)).toBeWithin(1, 61)
    expect(await refusedKey(one)).toBeWithin(1, 61)
    // a known excess does not query Redis again
    await redis.flushall()
    expect(await refusedKey(one)).toBeWithin(1, 61)
    expect(await refusedKey(one, '192.0.2.2')).toBe(401)
    expect(await refusedKey(one, null)).toBe(401)
    for (const limits of [one, other, one]) expect(await limits.failures!.attempt('2001:db8::1')).toBe(0)
    expect(await other.failures!.attempt('2001:db8::2')).toBeWithin(1, 61)
  })

  test('processes count probes of providers together, by organization; without limits none is counted', async () => {
    const [one, other] = [await limitsOf(2, server.url), await limitsOf(2, server.url)]
    for (let time = 0; time < 60; time += 1) await (time % 2 === 0 ? one : other).probeLimiter.admit('org_1')
    for (const { probeLimiter } of [one, other]) {
      await expect(probeLimiter.admit('org_1')).rejects.toMatchObject({ status: 429, code: 'rate_limited' })
      await probeLimiter.admit('org_2')
    }
    await (await limitsOf(0, server.url)).probeLimiter.admit('org_1')
  })

  test('an attempt with a correct password, or one that was not checked, is subtracted at all of them', async () => {
    const [one, other] = [await limitsOf(0, server.url), await limitsOf(0, server.url)]
    for (let time = 0; time < 5; time += 1) {
      expect(await one.failures!.attempt('192.0.2.1')).toBe(0)
      await other.failures!.takeBack('192.0.2.1')
    }
    for (let time = 0; time < 3; time += 1) expect(await one.failures!.attempt('192.0.2.1')).toBe(0)
    expect(await other.failures!.attempt('192.0.2.1')).toBeWithin(1, 61)
  })

  test('each key expires, and none shows who signs in from where', async () => {
    const limits = await limitsOf(2, server.url)
    await Promise.all([request(limits), guess(limits), refusedKey(limits), limits.failures!.attempt('192.0.2.1')])
    const keys = await redis.keys('*')
    expect(keys).toHaveLength(4)
    for (const key of keys) {
      expect(await redis.pttl(key)).toBeGreaterThan(0)
      expect(key).not.toMatch(/ada|192/)
    }
  })
})

describe.skipIf(!redisIsInstalled())('with a Redis that', () => {
  let server: RedisServer
  beforeEach(async () => {
    server = await startRedis()
  })
  afterEach(() => server?.stop())

  const outage = 'each process counts requests for itself until it is up'

  test('is missing at the start: requests are served and limited in memory, with one line in the log', async () => {
    await server.kill()
    const limits = await limitsOf(3, server.url)
    const answers = await Promise.all(Array.from({ length: 20 }, () => request(limits)))
    expect(answers.filter(({ refusal }) => refusal === undefined)).toHaveLength(3)
    expect(answers.find(({ refusal }) => refusal)?.refusal?.status).toBe(429)
    for (let time = 0; time < 10; time += 1) expect(await guess(limits)).toBe(0)
    expect(await guess(limits)).toBeGreaterThan(0)
    await limits.signIns.succeeded('ada@example.com', '192.0.2.1')
    expect(await guess(limits)).toBe(0)
    for (let time = 0; time < 3; time += 1) expect(await refusedKey(limits)).toBe(401)
    expect(await refusedKey(limits)).toBeWithin(1, 61)
    for (let time = 0; time < 3; time += 1) expect(await limits.failures!.attempt('192.0.2.1')).toBe(0)
    await limits.failures!.takeBack('192.0.2.1')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(outage)
    expect(lines[0]).not.toContain('127.0.0.1')
  })

  test('is unavailable for long: it is logged once a minute', async () => {
    let now = startedAt
    const limits = await limitsOf(100, server.url, () => now)
    await server.kill()
    for (let second = 0; second <= 120; second += 20) {
      now = startedAt + second * 1_000
      await request(limits)
    }
    expect(lines).toHaveLength(3)
  })

  test('is killed during requests: none fails', async () => {
    const limits = await limitsOf(1_000, server.url)
    const answers = Array.from({ length: 100 }, () => request(limits))
    const killed = server.kill()
    answers.push(...Array.from({ length: 100 }, () => request(limits)))
    expect((await Promise.all(answers)).filter(({ refusal }) => refusal)).toEqual([])
    await killed
    expect((await request(limits)).refusal).toBeUndefined()
  })

  test('hangs: requests wait briefly and are served; once it is known, they do not wait', async () => {
    const limits = await limitsOf(3, server.url)
    server.pause()
    try {
      const answers = await Promise.all(Array.from({ length: 5 }, () => request(limits)))
      expect(answers.filter(({ refusal }) => refusal === undefined)).toHaveLength(3)
      expect((await request(limits)).refusal?.status).toBe(429)
      expect(lines).toHaveLength(1)
    } finally {
      server.resume()
    }
  })

  test('is full: requests are counted in memory', async () => {
    const limits = await limitsOf(2, server.url)
    const redis = new Redis(server.url)
    await redis.config('SET', 'maxmemory', '1')
    for (let time = 0; time < 2; time += 1) expect((await request(limits)).refusal).toBeUndefined()
    expect((await request(limits)).refusal?.status).toBe(429)
    expect(lines).toHaveLength(1)
    redis.disconnect()
  })

  test('recovers: processes count together again', async () => {
    const [one, other] = [await limitsOf(2, server.url), await limitsOf(2, server.url)]
    await server.restart()
    const redis = new Redis(server.url)
    const counts = async (limits: Limits, credentialId: string) => {
      await request(limits, credentialId)
      return (await redis.keys(`*${credentialId}`)).length > 0
    }
    for (let time = 0; !(await counts(one, `probe_${time}`)); time += 1) await Bun.sleep(5)
    for (let time = 0; !(await counts(other, `again_${time}`)); time += 1) await Bun.sleep(5)
    await request(one)
    await request(other)
    expect((await request(other)).refusal?.status).toBe(429)
    redis.disconnect()
  })
})
