/** Properties of leases in memory: their clock, and bounded memory. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { EmbeddedLeases } from '../../../src/platform/leases/embedded.ts'
import { type Lease, rememberMs } from '../../../src/platform/leases/leases.ts'

function embedded(start = 1_800_000_000_000) {
  const clock = { now: start }
  return { clock, leases: new EmbeddedLeases(() => clock.now) }
}

test('a lease is held up to the last millisecond before it expires', async () => {
  const { clock, leases } = embedded()
  const lease = await leases.acquire('machine/1', 'att_a', 1000)
  expect(lease!.expiresAt).toBe(clock.now + 1000)
  clock.now += 999
  expect(await leases.acquire('machine/1', 'att_b', 1000)).toBeNull()
  clock.now += 1
  expect((await leases.read(['machine/1'])).size).toBe(0)
  expect(await leases.acquire('machine/1', 'att_b', 1000)).not.toBeNull()
})

test.each([
  ['released', async (leases: EmbeddedLeases, token: number) => void (await leases.release('machine/1', token)), 0],
  ['expired and taken', async (leases: EmbeddedLeases) => void (await leases.acquire('machine/1', 'b', 1)), 1],
])('a token whose lease was %s is remembered for a minute', async (_what, end, laterMs) => {
  const { clock, leases } = embedded()
  const lease = await leases.acquire('machine/1', 'att_a', 1000)
  clock.now += 1000
  await end(leases, lease!.token)
  clock.now += laterMs + rememberMs - 1
  expect(await leases.renew('machine/1', 'att_a', lease!.token, 1000)).toBeNull()
  clock.now += 1
  expect(await leases.renew('machine/1', 'att_a', lease!.token, 1000)).not.toBeNull()
})

test('tokens grow while the clock is set back', async () => {
  const { clock, leases } = embedded()
  const tokens: number[] = []
  for (const key of ['machine/1', 'machine/2', 'machine/3', 'machine/4']) {
    tokens.push((await leases.acquire(key, 'att_a', 1000))!.token)
    clock.now -= 3_600_000
  }
  expect(tokens).toEqual(tokens.toSorted((a, b) => a - b))
  expect(new Set(tokens).size).toBe(4)
})

test('tokens grow across restarts, even after thousands a second', async () => {
  const clock = { now: 1_800_000_000_000 }
  let last = 0
  for (let start = 0; start < 5; start++) {
    const leases = new EmbeddedLeases(() => clock.now)
    for (let n = 0; n < 500; n++) {
      const { token } = (await leases.acquire(`machine/${n}`, 'att_a', 1000))!
      expect(token).toBeGreaterThan(last)
      last = token
    }
    clock.now += 1
  }
})

test('expired leases do not fill the memory', async () => {
  const { clock, leases } = embedded()
  let most = 0
  for (let n = 0; n < 50_000; n++) {
    await leases.acquire(`run/${n}`, 'att_a', 1000)
    clock.now += 100
    most = Math.max(most, leases.size)
  }
  // 10 held and 600 remembered at a time, and those that the sweep has not reached yet.
  expect(most).toBeLessThan(3000)
})

test('released leases do not fill the memory, and long ones stay', async () => {
  const { clock, leases } = embedded()
  const long = await leases.acquire('machine/1', 'att_a', 8_000_000)
  for (let n = 0; n < 50_000; n++) {
    const lease = await leases.acquire(`run/${n}`, 'att_a', 30_000)
    await leases.release(`run/${n}`, lease!.token)
    clock.now += 100
  }
  expect(leases.size).toBeLessThan(3000)
  expect((await leases.read(['machine/1'])).get('machine/1')).toEqual(long!)
})

test("the caller's lease object is a copy", async () => {
  const { leases } = embedded()
  const lease = (await leases.acquire('machine/1', 'att_a', 1000))!
  const original = { ...lease }
  lease.expiresAt = 0
  lease.holder = 'att_b'
  const [read] = (await leases.read(['machine/1'])).values()
  expect(read).toEqual(original)
  read!.expiresAt = 0
  expect(await leases.acquire('machine/1', 'att_b', 1000)).toBeNull()
})

type Step =
  | { kind: 'acquire'; keys: string[]; holder: string; ttlMs: number }
  | { kind: 'renew' | 'release'; nth: number; ttlMs: number }
  | { kind: 'pass'; ms: number }

const keys = ['machine/1', 'machine/2', 'machine/3']
const durations = [1, 10, 999, 1000, rememberMs - 1, rememberMs, rememberMs + 1]
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('acquire' as const),
    keys: fc.subarray(keys, { minLength: 1 }),
    holder: fc.constantFrom('att_a', 'att_b', 'att_c'),
    ttlMs: fc.constantFrom(...durations),
  }),
  fc.record({
    kind: fc.constantFrom('renew' as const, 'release' as const),
    nth: fc.nat(20),
    ttlMs: fc.constantFrom(...durations),
  }),
  fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(...durations) }),
)

/** The model of a key: its last lease, whether it was released, and how long that is remembered. */
interface Known {
  lease: Lease
  released: boolean
  forgetAt: number
}

test('in any sequence, no lease has two holders, tokens grow, and each answer is the expected one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { maxLength: 80, size: 'max' }), async (history) => {
      const { clock, leases } = embedded()
      const known = new Map<string, Known>()
      const given: Lease[] = []
      /** What holders believe: the expiry by token. Separate from the model. */
      const believed = new Map<number, Lease>()
      const isFree = (key: string) => {
        const last = known.get(key)
        return !last || last.released || last.lease.expiresAt <= clock.now
      }
      const learn = (lease: Lease) => {
        known.set(lease.key, { lease, released: false, forgetAt: lease.expiresAt + rememberMs })
        believed.set(lease.token, lease)
      }

      for (const step of history) {
        if (step.kind === 'pass') {
          clock.now += step.ms
        } else if (step.kind === 'acquire') {
          const lease = await leases.acquireAny(step.keys, step.holder, step.ttlMs)
          expect(lease?.key).toBe(step.keys.find(isFree))
          if (!lease) continue
          expect(lease.token).toBeGreaterThan(given.at(-1)?.token ?? 0)
          expect(lease.expiresAt).toBe(clock.now + step.ttlMs)
          given.push(lease)
          learn(lease)
        } else if (given.length > 0) {
          const { key, holder, token } = given[step.nth % given.length]!
          const last = known.get(key)
          const remembered = last && last.forgetAt > clock.now ? last : undefined
          const isCurrent = remembered !== undefined && remembered.lease.token === token && !remembered.released
          if (step.kind === 'renew') {
            const lease = await leases.renew(key, holder, token, step.ttlMs)
            expect(lease).toEqual(
              isCurrent || !remembered ? { key, holder, token, expiresAt: clock.now + step.ttlMs } : null,
            )
            if (lease) learn(lease)
          } else {
            expect(await leases.release(key, token)).toBe(isCurrent)
            believed.delete(token)
            if (isCurrent) known.set(key, { ...remembered, released: true, forgetAt: clock.now + rememberMs })
          }
        }

        const held = await leases.read(keys)
        for (const key of keys) {
          const holders = [...believed.values()].filter((lease) => lease.key === key && lease.expiresAt > clock.now)
          expect(holders.length).toBeLessThanOrEqual(1)
          for (const lease of holders) expect(held.get(key)).toEqual(lease)
          expect(held.has(key)).toBe(!isFree(key))
        }
      }
    }),
    { numRuns: 300 },
  )
})
