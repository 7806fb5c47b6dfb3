/**
 * Faults between the server and Redis: lost answers, closed and dead connections, a failover. Source: contract 0,
 * "Redis away".
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { Redis } from 'ioredis'
import { type Leases, LeasesUnavailable } from '../../../src/platform/leases/leases.ts'
import { openLeases } from '../../../src/platform/leases/open-leases.ts'
import { type RedisServer, redisIsInstalled, startRedis } from '../../support/services/redis.ts'
import { type Detour, detourTo } from './detour.ts'
import { eventually, recovered, refusal } from './outcomes.ts'

const minute = 60_000

describe.skipIf(!redisIsInstalled())('on the way to Redis', () => {
  let server: RedisServer
  let admin: Redis
  let detour: Detour
  let leases: Leases

  beforeAll(async () => {
    server = await startRedis()
    admin = new Redis(server.url)
  })
  beforeEach(async () => {
    await admin.flushall()
    detour = detourTo(server.port)
    leases = await openLeases({ redisUrl: detour.url })
  })
  afterEach(async () => {
    await leases?.close()
    detour?.stop()
  })
  afterAll(async () => {
    admin?.disconnect()
    await server?.stop()
  })

  test('an answer is lost: the lease was granted, nobody knows it, and it expires', async () => {
    detour.loseNextAnswer()
    expect(await refusal(leases.acquire('machine/1', 'att_a', 50))).toEqual(new LeasesUnavailable('connection lost'))
    const [unheardToken, , holder] = (await admin.get('troupe:lease:machine/1'))!.split(' ')
    expect(holder).toBe('att_a')

    const lease = await eventually(() => leases.acquire('machine/1', 'att_b', minute))
    expect(lease.token).toBeGreaterThan(Number(unheardToken))
  })

  test('an answer is lost: the acquisition is not sent again', async () => {
    await leases.acquire('machine/1', 'att_a', minute)
    const before = await scriptCalls(admin)
    detour.loseNextAnswer()
    expect(await refusal(leases.acquire('machine/2', 'att_a', minute))).toBeInstanceOf(LeasesUnavailable)
    expect((await leases.read(['machine/2'])).get('machine/2')?.holder).toBe('att_a')
    expect((await scriptCalls(admin)) - before).toBe(2)
  })

  test('an answer is lost: the renewal counts, and the next one succeeds', async () => {
    const lease = await leases.acquire('machine/1', 'att_a', minute)
    detour.loseNextAnswer()
    expect(await refusal(leases.renew('machine/1', 'att_a', lease!.token, 2 * minute))).toBeInstanceOf(
      LeasesUnavailable,
    )
    expect((await leases.read(['machine/1'])).get('machine/1')!.expiresAt).toBeGreaterThan(lease!.expiresAt)
    expect((await leases.renew('machine/1', 'att_a', lease!.token, minute))?.token).toBe(lease!.token)
  })

  test('the connection is closed: at most the current call is refused, the next one works', async () => {
    await leases.acquire('machine/1', 'att_a', minute)
    await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    const underWay = await leases.acquire('machine/2', 'att_a', minute).catch((error) => error)
    if (underWay instanceof Error) expect(underWay).toEqual(new LeasesUnavailable('connection lost'))
    expect(await leases.acquire('machine/3', 'att_a', minute)).not.toBeNull()
    expect((await leases.read(['machine/1'])).size).toBe(1)
  })

  test('the connection dies silently: another one is made', async () => {
    const lease = await leases.acquire('machine/1', 'att_a', minute)
    detour.fallSilent()
    expect(await refusal(leases.renew('machine/1', 'att_a', lease!.token, minute))).toEqual(
      new LeasesUnavailable('no answer within 2000 ms'),
    )
    expect((await recovered(() => leases.renew('machine/1', 'att_a', lease!.token, minute)))?.token).toBe(lease!.token)
  })

  test('the primary became a replica: the same address leads to the new primary', async () => {
    const lease = await leases.acquire('machine/1', 'att_a', minute)
    const newPrimary = await startRedis()
    try {
      await admin.replicaof('127.0.0.1', '1')
      detour.leadTo(newPrimary.port)
      expect((await recovered(() => leases.renew('machine/1', 'att_a', lease!.token, minute)))?.token).toBe(
        lease!.token,
      )
    } finally {
      await admin.replicaof('NO', 'ONE')
      await newPrimary.stop()
    }
  })
})

/** The number of scripts that Redis has run. */
async function scriptCalls(admin: Redis): Promise<number> {
  const statistics = await admin.info('commandstats')
  return [...statistics.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].reduce(
    (sum, [, calls]) => sum + Number(calls),
    0,
  )
}
