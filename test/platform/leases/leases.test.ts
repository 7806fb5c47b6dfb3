/** Properties of leases wherever they are stored. Source: design.md section 4; contract 5, "Runner protocol". */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { LeasesUnavailable, ttlMsMax } from '../../../src/platform/leases/leases.ts'
import { refusal } from './outcomes.ts'
import { keepers, type World } from './worlds.ts'

const minute = 60_000

describe.each(keepers)('%s leases', (_name, build) => {
  let world: World
  beforeAll(async () => {
    world = await build()
  })
  beforeEach(() => world.reset())
  afterAll(() => world?.stop())

  test('a free lease is granted, with a token and an expiry', async () => {
    const before = await world.now()
    const lease = await world.leases.acquire('machine/1', 'att_a', minute)
    expect(lease).toEqual({
      key: 'machine/1',
      holder: 'att_a',
      token: lease?.token ?? Number.NaN,
      expiresAt: lease?.expiresAt ?? Number.NaN,
    })
    expect(Number.isSafeInteger(lease?.token)).toBe(true)
    expect(lease?.expiresAt).toBeGreaterThanOrEqual(before + minute)
    expect(lease?.expiresAt).toBeLessThanOrEqual((await world.now()) + minute)
  })

  test.each(['att_b', 'att_a'])('a held lease is not granted again, by %s', async (holder) => {
    const lease = await world.leases.acquire('machine/1', 'att_a', minute)
    expect(await world.leases.acquire('machine/1', holder, minute)).toBeNull()
    expect(await world.leases.read(['machine/1'])).toEqual(new Map([['machine/1', lease!]]))
  })

  test.each([
    ['numbers and spaces', ' 42 7 '],
    ['other alphabets', 'ünïcødé 🎭'],
    ['several lines', 'line\nbreak'],
    ['a NUL', 'nul\0byte'],
    ['5,000 characters', 'x'.repeat(5000)],
  ])('a key and a holder may be any text: %s', async (_what, text) => {
    const lease = await world.leases.acquire(text, text, minute)
    expect((await world.leases.read([text])).get(text)).toEqual(lease!)
    expect(await world.leases.renew(text, text, lease!.token, minute)).toMatchObject({ token: lease!.token })
    expect(await world.leases.release(text, lease!.token)).toBe(true)
  })

  test('keys are independent of each other', async () => {
    const first = await world.leases.acquire('machine/1', 'att_a', minute)
    const second = await world.leases.acquire('machine/2', 'att_a', minute)
    expect(second!.token).toBeGreaterThan(first!.token)
    expect(await world.leases.release('machine/1', first!.token)).toBe(true)
    expect([...(await world.leases.read(['machine/1', 'machine/2'])).keys()]).toEqual(['machine/2'])
  })

  test('the holder renews its lease with the same token', async () => {
    const lease = await world.leases.acquire('machine/1', 'att_a', minute)
    const renewed = await world.leases.renew('machine/1', 'att_a', lease!.token, 2 * minute)
    expect(renewed).toEqual({ ...lease!, expiresAt: renewed!.expiresAt })
    expect(renewed!.expiresAt).toBeGreaterThanOrEqual(lease!.expiresAt + minute)
    expect((await world.leases.read(['machine/1'])).get('machine/1')).toEqual(renewed!)
  })

  test('a renewal may shorten the lease', async () => {
    const lease = await world.leases.acquire('machine/1', 'att_a', minute)
    const renewed = await world.leases.renew('machine/1', 'att_a', lease!.token, 20)
    expect(renewed!.expiresAt).toBeLessThan(lease!.expiresAt)
    await world.lapse('machine/1', 20)
    expect(await world.leases.acquire('machine/1', 'att_b', minute)).not.toBeNull()
  })

  test.each([
    ['another token', 'att_a', (token: number) => token + 1],
    ['an earlier token', 'att_a', (token: number) => token - 1],
    ['another holder', 'att_b', (token: number) => token],
    ['no token', 'att_a', () => Number.NaN],
    ['a fraction', 'att_a', (token: number) => token + 0.5],
    ['nought', 'att_a', () => 0],
  ])('a renewal with %s is refused and changes nothing', async (_what, holder, tokenOf) => {
    const lease = await world.leases.acquire('machine/1', 'att_a', minute)
    expect(await world.leases.renew('machine/1', holder, tokenOf(lease!.token), 2 * minute)).toBeNull()
    expect((await world.leases.read(['machine/1'])).get('machine/1')).toEqual(lease!)
  })

  test('a released lease is free at once, and its token is stale', async () => {
    const first = await world.leases.acquire('machine/1', 'att_a', minute)
    expect(await world.leases.release('machine/1', first!.token)).toBe(true)
    expect((await world.leases.read(['machine/1'])).size).toBe(0)
    expect(await world.leases.renew('machine/1', 'att_a', first!.token, minute)).toBeNull()

    const second = await world.leases.acquire('machine/1', 'att_b', minute)
    expect(second!.token).toBeGreaterThan(first!.token)
  })

  test.each([1, -1, Number.NaN])(
    'a release with a token that differs by %d is refused and changes nothing',
    async (off) => {
      const lease = await world.leases.acquire('machine/1', 'att_a', minute)
      expect(await world.leases.release('machine/1', lease!.token + off)).toBe(false)
      expect((await world.leases.read(['machine/1'])).get('machine/1')).toEqual(lease!)
    },
  )

  test('a lease is released only once, and an unknown one never', async () => {
    const lease = await world.leases.acquire('machine/1', 'att_a', minute)
    expect(await world.leases.release('machine/1', lease!.token)).toBe(true)
    expect(await world.leases.release('machine/1', lease!.token)).toBe(false)
    expect(await world.leases.release('machine/2', lease!.token)).toBe(false)
  })

  test('an expired lease is taken over, and its former holder can neither renew nor release it', async () => {
    const old = await world.leases.acquire('machine/1', 'att_a', 20)
    await world.lapse('machine/1', 20)

    const taken = await world.leases.acquire('machine/1', 'att_b', minute)
    expect(taken!.token).toBeGreaterThan(old!.token)
    expect(await world.leases.renew('machine/1', 'att_a', old!.token, minute)).toBeNull()
    expect(await world.leases.release('machine/1', old!.token)).toBe(false)
    expect((await world.leases.read(['machine/1'])).get('machine/1')).toEqual(taken!)
  })

  test('a former holder stays refused after the next one has released the lease', async () => {
    const old = await world.leases.acquire('machine/1', 'att_a', 20)
    await world.lapse('machine/1', 20)
    const taken = await world.leases.acquire('machine/1', 'att_b', minute)
    await world.leases.release('machine/1', taken!.token)
    expect(await world.leases.renew('machine/1', 'att_a', old!.token, minute)).toBeNull()
  })

  test('a former holder stays refused after the lease of the next one has expired', async () => {
    const old = await world.leases.acquire('machine/1', 'att_a', 20)
    await world.lapse('machine/1', 20)
    await world.leases.acquire('machine/1', 'att_b', 20)
    await world.lapse('machine/1', 20)
    expect(await world.leases.renew('machine/1', 'att_a', old!.token, minute)).toBeNull()
  })

  test('a late heartbeat renews an expired lease that nobody took', async () => {
    const lease = await world.leases.acquire('machine/1', 'att_a', 20)
    await world.lapse('machine/1', 20)
    expect(await world.leases.renew('machine/1', 'att_a', lease!.token, minute)).toMatchObject({ token: lease!.token })
    expect(await world.leases.acquire('machine/1', 'att_b', minute)).toBeNull()
  })

  test('an expired lease that nobody took is released, and not renewed afterwards', async () => {
    const lease = await world.leases.acquire('machine/1', 'att_a', 20)
    await world.lapse('machine/1', 20)
    expect(await world.leases.release('machine/1', lease!.token)).toBe(true)
    expect(await world.leases.renew('machine/1', 'att_a', lease!.token, minute)).toBeNull()
  })

  test('of several slots the first free one is taken, and none when all are held', async () => {
    const slots = ['machine/1', 'machine/2', 'machine/3']
    const held = await world.leases.acquire('machine/1', 'att_a', minute)
    const second = await world.leases.acquireAny(slots, 'att_b', minute)
    const third = await world.leases.acquireAny(slots, 'att_b', minute)
    expect([second?.key, third?.key]).toEqual(['machine/2', 'machine/3'])
    expect(await world.leases.acquireAny(slots, 'att_c', minute)).toBeNull()

    await world.leases.release('machine/2', second!.token)
    expect((await world.leases.acquireAny(slots, 'att_c', minute))?.key).toBe('machine/2')
    expect((await world.leases.read(slots)).get('machine/1')).toEqual(held!)
  })

  test('without slots none is taken, and without keys nothing is read', async () => {
    expect(await world.leases.acquireAny([], 'att_a', minute)).toBeNull()
    expect(await world.leases.read([])).toEqual(new Map())
  })

  test('of a hundred concurrent requests for a lease exactly one gets it', async () => {
    const asked = Array.from({ length: 100 }, (_, n) =>
      (n % 2 ? world.leases : world.other).acquire('machine/1', `att_${n}`, minute),
    )
    const won = (await Promise.all(asked)).filter((lease) => lease !== null)
    expect(won).toHaveLength(1)
    expect((await world.leases.read(['machine/1'])).get('machine/1')).toEqual(won[0]!)
  })

  test('of a hundred concurrent requests for four slots exactly four get one each', async () => {
    const slots = ['machine/1', 'machine/2', 'machine/3', 'machine/4']
    const asked = Array.from({ length: 100 }, (_, n) =>
      (n % 2 ? world.leases : world.other).acquireAny(slots, `att_${n}`, minute),
    )
    const won = (await Promise.all(asked)).filter((lease) => lease !== null)
    expect(won.map(({ key }) => key).sort()).toEqual(slots)
    expect(new Set(won.map(({ token }) => token)).size).toBe(4)
  })

  test('tokens grow strictly over a thousand acquisitions of many keys', async () => {
    const asked = Array.from({ length: 1000 }, (_, n) => world.leases.acquire(`machine/${n}`, 'att_a', minute))
    const tokens = (await Promise.all(asked)).map((lease) => lease!.token)
    expect(tokens).toHaveLength(1000)
    expect(tokens.every((token, n) => n === 0 || token > tokens[n - 1]!)).toBe(true)
  })

  test('a thousand leases are read in one call', async () => {
    const keys = Array.from({ length: 1000 }, (_, n) => `machine/${n}`)
    await Promise.all(keys.filter((_, n) => n % 2).map((key) => world.leases.acquire(key, `att of ${key}`, minute)))
    const held = await world.leases.read(keys)
    expect(held.size).toBe(500)
    expect(held.get('machine/777')?.holder).toBe('att of machine/777')
  })

  test('tokens keep growing after all memory was lost', async () => {
    const before = await world.leases.acquire('machine/1', 'att_a', minute)
    await world.lose()
    const after = await world.leases.acquire('machine/2', 'att_b', minute)
    expect(after!.token).toBeGreaterThan(before!.token)
  })

  test('a holder gets its lease back after all memory was lost', async () => {
    const lease = await world.leases.acquire('machine/1', 'att_a', minute)
    await world.lose()
    expect((await world.leases.read(['machine/1'])).size).toBe(0)
    expect(await world.leases.renew('machine/1', 'att_a', lease!.token, minute)).toMatchObject({ token: lease!.token })
    expect(await world.leases.acquire('machine/1', 'att_b', minute)).toBeNull()
    expect(await world.leases.renew('machine/1', 'att_b', lease!.token, minute)).toBeNull()
    expect(await world.leases.release('machine/1', lease!.token)).toBe(true)
  })

  test('after a loss of memory the first one to acquire has the lease, and the former holder is refused', async () => {
    const lease = await world.leases.acquire('machine/1', 'att_a', minute)
    await world.lose()
    const taken = await world.leases.acquire('machine/1', 'att_b', minute)
    expect(taken!.token).toBeGreaterThan(lease!.token)
    expect(await world.leases.renew('machine/1', 'att_a', lease!.token, minute)).toBeNull()
  })

  test.each([Number.MAX_SAFE_INTEGER, Number.NaN, Number.POSITIVE_INFINITY, 0, -1, 1.5])(
    'a token that was never granted, %d, renews no lease',
    async (token) => {
      expect(await world.leases.renew('machine/1', 'att_a', token, minute)).toBeNull()
      expect(await world.leases.acquire('machine/1', 'att_b', minute)).not.toBeNull()
    },
  )

  test.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, ttlMsMax + 1])(
    'a TTL of %d is refused',
    async (ttlMs) => {
      expect(await refusal(world.leases.acquire('machine/1', 'att_a', ttlMs))).toBeInstanceOf(RangeError)
      expect(await refusal(world.leases.acquireAny(['machine/1'], 'att_a', ttlMs))).toBeInstanceOf(RangeError)
      expect(await refusal(world.leases.renew('machine/1', 'att_a', 1, ttlMs))).toBeInstanceOf(RangeError)
      expect((await world.leases.read(['machine/1'])).size).toBe(0)
    },
  )

  test('an empty key or holder is refused', async () => {
    expect(await refusal(world.leases.acquire('', 'att_a', minute))).toBeInstanceOf(RangeError)
    expect(await refusal(world.leases.acquire('machine/1', '', minute))).toBeInstanceOf(RangeError)
    expect(await refusal(world.leases.acquireAny(['machine/1', ''], 'att_a', minute))).toBeInstanceOf(RangeError)
    expect(await refusal(world.leases.renew('', 'att_a', 1, minute))).toBeInstanceOf(RangeError)
    expect(await refusal(world.leases.release('', 1))).toBeInstanceOf(RangeError)
    expect((await world.leases.read(['machine/1'])).size).toBe(0)
  })

  test('after close every call is refused, and closing again is allowed', async () => {
    const leases = await world.open()
    expect(await leases.health()).toBe('ok')
    await leases.close()
    await leases.close()
    const calls = [
      leases.acquire('machine/1', 'att_a', minute),
      leases.acquireAny(['machine/1'], 'att_a', minute),
      leases.renew('machine/1', 'att_a', 1, minute),
      leases.release('machine/1', 1),
      leases.read(['machine/1']),
    ]
    for (const call of calls) expect(await refusal(call)).toEqual(new LeasesUnavailable('closed'))
    expect(await leases.health()).toBe('closed')
  })
})
