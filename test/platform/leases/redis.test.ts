/** Faults of a real Redis and its leases. Source: contract 0, "Redis away". */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { inspect } from 'node:util'
import { Redis } from 'ioredis'
import { type Leases, LeasesUnavailable } from '../../../src/platform/leases/leases.ts'
import { openLeases } from '../../../src/platform/leases/open-leases.ts'
import { type RedisServer, redisIsInstalled, startRedis } from '../../support/services/redis.ts'
import { eventually, recovered, refusal } from './outcomes.ts'

const minute = 60_000

describe.skipIf(!redisIsInstalled())('leases in a Redis that', () => {
  let server: RedisServer
  let admin: Redis
  const opened: Leases[] = []
  const open = async (redisUrl = server.url) => {
    const leases = await openLeases({ redisUrl })
    opened.push(leases)
    return leases
  }

  beforeAll(async () => {
    server = await startRedis()
    admin = new Redis(server.url, { maxRetriesPerRequest: null, retryStrategy: () => 20 })
    admin.on('error', () => {})
  })
  beforeEach(() => admin.flushall())
  afterEach(async () => {
    for (const leases of opened.splice(0)) await leases.close()
  })
  afterAll(async () => {
    admin?.disconnect()
    await server?.stop()
  })

  test('is restarted without its data: tokens grow and a renewal restores the lease', async () => {
    const leases = await open()
    const lease = await leases.acquire('machine/1', 'att_a', minute)
    await server.restart()

    const outsider = await open()
    expect((await outsider.acquire('machine/2', 'att_b', minute))!.token).toBeGreaterThan(lease!.token)
    const renewed = await recovered(() => leases.renew('machine/1', 'att_a', lease!.token, minute))
    expect(renewed?.token).toBe(lease!.token)
    expect(await outsider.acquire('machine/1', 'att_b', minute)).toBeNull()
  })

  test('is killed: calls are refused, and they succeed again once it is back', async () => {
    const leases = await open()
    await leases.acquire('machine/1', 'att_a', minute)
    await server.kill()
    for (const call of everyCall(leases)) expect(await refusal(call)).toBeInstanceOf(LeasesUnavailable)
    expect(await refusal(leases.acquire('machine/1', 'att_a', minute))).toEqual(
      new LeasesUnavailable('connection refused'),
    )
    expect(await leases.health()).toBe('connection refused')

    // Known to be unavailable: refused at once, without waiting for the next attempt to connect.
    const refusedAtOnce = refusal(leases.acquire('machine/1', 'att_a', minute))
    expect(await Promise.race([refusedAtOnce, Bun.sleep(0)])).toBeInstanceOf(LeasesUnavailable)

    await server.restart()
    expect(await recovered(() => leases.acquire('machine/1', 'att_a', minute))).not.toBeNull()
    expect(await leases.health()).toBe('ok')
  })

  test('is missing at the start: opening succeeds, calls are refused until it is there', async () => {
    await server.kill()
    const leases = await open()
    expect(await refusal(leases.acquire('machine/1', 'att_a', minute))).toEqual(
      new LeasesUnavailable('connection refused'),
    )
    await server.restart()
    expect(await recovered(() => leases.acquire('machine/1', 'att_a', minute))).not.toBeNull()
  })

  test('hangs: calls are refused after a while, and leases granted without an answer expire', async () => {
    const leases = await open()
    await leases.acquire('machine/1', 'att_a', minute)
    server.pause()
    const calls = everyCall(leases)
    const unheard = leases.acquire('machine/9', 'att_a', 300)
    const health = leases.health()
    for (const call of [...calls, unheard]) {
      expect(await refusal(call)).toEqual(new LeasesUnavailable('no answer within 2000 ms'))
    }
    expect(await health).toBe('no answer within 2000 ms')

    server.resume()
    expect(await recovered(() => leases.renew('machine/3', 'att_a', 1, minute))).not.toBeNull()
    expect(await eventually(() => leases.acquire('machine/9', 'att_b', minute))).toMatchObject({ holder: 'att_b' })
  })

  test('forgets its scripts: they are sent again', async () => {
    const leases = await open()
    for (let round = 0; round < 3; round++) {
      const lease = await leases.acquire(`machine/${round}`, 'att_a', minute)
      await admin.script('FLUSH')
      expect(await leases.renew(`machine/${round}`, 'att_a', lease!.token, minute)).not.toBeNull()
      await admin.script('FLUSH')
      expect((await leases.read([`machine/${round}`])).size).toBe(1)
      await admin.script('FLUSH')
      expect(await leases.release(`machine/${round}`, lease!.token)).toBe(true)
      await admin.script('FLUSH')
    }
    await leases.acquire('machine/7', 'att_a', minute)
    await admin.script('FLUSH')
    const many = await Promise.all(
      Array.from({ length: 20 }, (_, n) => leases.acquire(`machine/${n + 10}`, 'att_a', minute)),
    )
    expect(many.filter((lease) => lease === null)).toEqual([])
  })

  test.each([
    ['became a replica', () => admin.replicaof('127.0.0.1', '1'), () => admin.replicaof('NO', 'ONE'), 'READONLY'],
    ['is full', () => admin.config('SET', 'maxmemory', '1'), () => admin.config('SET', 'maxmemory', '0'), 'OOM'],
  ])('%s: calls are refused with its reason, until it takes leases again', async (_what, hurt, heal, code) => {
    const leases = await open()
    await hurt()
    try {
      const error = await refusal(leases.acquire('machine/1', 'att_a', minute))
      expect(error).toBeInstanceOf(LeasesUnavailable)
      expect((error as LeasesUnavailable).reason).toStartWith(`Redis refused: ${code}`)
      expect(await leases.health()).toStartWith(`Redis refused: ${code}`)
    } finally {
      await heal()
    }
    expect(await recovered(() => leases.acquire('machine/1', 'att_a', minute))).not.toBeNull()
    expect(await leases.health()).toBe('ok')
  })

  test('requires another password: the reason says so, without the password', async () => {
    await admin.config('SET', 'requirepass', 'right-secret')
    const lines: unknown[] = []
    try {
      const redisUrl = server.url.replace('://', '://:wrong-secret@')
      const leases = await openLeases({ redisUrl, log: { warn: (...line) => lines.push(line) } })
      opened.push(leases)
      const error = await refusal(leases.acquire('machine/1', 'att_a', minute))
      expect(error).toBeInstanceOf(LeasesUnavailable)
      expect(await leases.health()).toContain('WRONGPASS')
      expect(inspect([error, lines], { depth: 9, showHidden: true })).not.toContain('wrong-secret')

      const welcome = await open(server.url.replace('://', '://:right-secret@'))
      expect(await welcome.acquire('machine/1', 'att_a', minute)).not.toBeNull()
    } finally {
      await admin.config('SET', 'requirepass', '')
    }
  })

  test('has another value under the name of a lease: calls are refused', async () => {
    const leases = await open()
    await admin.set('troupe:lease:machine/1', 'nonsense')
    await admin.lpush('troupe:lease:machine/2', 'a list')
    for (const key of ['machine/1', 'machine/2']) {
      expect(await refusal(leases.acquire(key, 'att_a', minute))).toBeInstanceOf(LeasesUnavailable)
      expect(await refusal(leases.read([key]))).toBeInstanceOf(LeasesUnavailable)
    }
    expect(await leases.acquire('machine/3', 'att_a', minute)).not.toBeNull()
  })

  test('keeps nothing forever: each key expires', async () => {
    const leases = await open()
    const lease = await leases.acquire('machine/1', 'att_a', minute)
    await leases.acquireAny(['machine/1', 'machine/2'], 'att_a', minute)
    await leases.renew('machine/2', 'att_a', 1, minute)
    await leases.renew('machine/3', 'att_a', lease!.token, minute)
    await leases.release('machine/1', lease!.token)
    await leases.health()

    const keys = await admin.keys('*')
    expect(keys.filter((key) => key.startsWith('troupe:lease'))).toHaveLength(keys.length)
    expect(keys.length).toBeGreaterThanOrEqual(4)
    const expiries = await Promise.all(keys.map((key) => admin.pttl(key)))
    expect(expiries.filter((ms) => ms <= 0)).toEqual([])
  })

  test('lost the counter of tokens: they keep growing', async () => {
    const leases = await open()
    const before = await leases.acquire('machine/1', 'att_a', minute)
    await admin.del('troupe:lease-token')
    expect((await (await open()).acquire('machine/2', 'att_a', minute))!.token).toBeGreaterThan(before!.token)
  })

  test('was replaced by a replica with older data and time: tokens grow for all clients of the former one', async () => {
    const leases = await open()
    const ahead = Date.now() * 1000 + 3_600_000_000
    await admin.set('troupe:lease-token', ahead)
    const before = await leases.acquire('machine/1', 'att_a', minute)
    expect(before!.token).toBe(ahead + 1)
    await admin.flushall()
    expect((await leases.acquire('machine/1', 'att_a', minute))!.token).toBe(ahead + 2)
  })

  test('has a counter ahead of its clock: servers that acquire in turns, or concurrently, get growing tokens', async () => {
    const [one, other] = [await open(), await open()]
    const ahead = Date.now() * 1000 + 3_600_000_000
    await admin.set('troupe:lease-token', ahead)
    const tokens: number[] = []
    for (const [turn, leases] of [one, other, one, other].entries()) {
      tokens.push((await leases.acquire(`machine/${turn}`, 'att_a', minute))!.token)
    }
    expect(tokens).toEqual([ahead + 1, ahead + 2, ahead + 3, ahead + 4])

    const atOnce = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 ? one : other).acquire(`machine/${n + 10}`, 'att_a', minute)),
    )
    expect(atOnce.map((lease) => lease!.token).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, n) => ahead + 5 + n),
    )
    expect(Number(await admin.get('troupe:lease-token'))).toBe(ahead + 24)
  })

  test('restored a lease with a token ahead of its counter: later tokens are greater', async () => {
    const leases = await open()
    const ahead = Date.now() * 1000 + 3_600_000_000
    await admin.set('troupe:lease-token', ahead)
    const lease = await leases.acquire('machine/1', 'att_a', minute)
    await admin.flushall()
    await leases.renew('machine/1', 'att_a', lease!.token, minute)
    expect((await (await open()).acquire('machine/2', 'att_b', minute))!.token).toBeGreaterThan(lease!.token)
  })
})

const everyCall = (leases: Leases): Promise<unknown>[] => [
  leases.acquire('machine/1', 'att_b', minute),
  leases.acquireAny(['machine/1', 'machine/2'], 'att_b', minute),
  leases.renew('machine/1', 'att_a', 1, minute),
  leases.release('machine/1', 1),
  leases.read(['machine/1']),
]
