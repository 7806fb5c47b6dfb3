/** Serialized rotations, also across servers. Source: contract 4, "Rotations of one Integration". */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { Turns } from '../../../src/accounts/integrations/turns.ts'
import { ApiError } from '../../../src/platform/http/answers/errors.ts'
import { EmbeddedLeases } from '../../../src/platform/leases/embedded.ts'
import { LeasesUnavailable } from '../../../src/platform/leases/leases.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'

let clock: HandClock
let leases: EmbeddedLeases
/** Two servers on one store. */
let here: Turns
let there: Turns
beforeEach(() => {
  clock = new HandClock()
  leases = new EmbeddedLeases(() => clock.now())
  here = new Turns({ leases, clock })
  there = new Turns({ leases, clock })
})
afterEach(() => leases.close())

/** Work that runs until the test ends it. */
function work() {
  const begun = Promise.withResolvers<void>()
  const end = Promise.withResolvers<string>()
  const run = () => {
    begun.resolve()
    return end.promise
  }
  return { begun: begun.promise, end: end.resolve, fail: end.reject, run }
}

/** Resolves after a waiting caller has polled the lease and waits again. */
async function waiterPolled() {
  while (clock.waiting === 0) await Bun.sleep(1)
}

const unavailable = {
  acquire: () => Promise.reject(new LeasesUnavailable('connection lost')),
  release: () => Promise.reject(new LeasesUnavailable('connection lost')),
}

test.each([
  ['has ended', (first: ReturnType<typeof work>) => first.end('first')],
  ['has failed', (first: ReturnType<typeof work>) => first.fail(new Error('refused'))],
])("work waits until another server's %s", async (_, finish) => {
  const first = work()
  const begun: string[] = []
  const mine = here.take('int_1', first.run)
  await first.begun
  const theirs = there.take('int_1', async () => void begun.push('second'))
  await waiterPolled()
  clock.advance(100)
  await waiterPolled()
  expect(begun).toEqual([])

  finish(first)
  await mine.catch(() => {})
  clock.advance(100)
  await theirs
  expect(begun).toEqual(['second'])
})

test('work on one key does not wait for work on another', async () => {
  const first = work()
  const mine = here.take('int_1', first.run)
  await first.begun
  expect(await there.take('int_2', async () => 'at once')).toBe('at once')
  first.end('later')
  expect(await mine).toBe('later')
})

test('when a server dies during its turn, others wait until its lease expires', async () => {
  const dead = work()
  void here.take('int_1', dead.run)
  await dead.begun
  const theirs = there.take('int_1', async () => 'done')
  await waiterPolled()
  clock.advance(30_000)
  expect(await theirs).toBe('done')
})

test('a caller that has waited for four minutes is told to retry later', async () => {
  const first = work()
  void here.take('int_1', first.run)
  await first.begun
  const theirs = there.take('int_1', async () => 'done').catch((error: unknown) => error)
  for (let waited = 0; waited < 240_000; waited += 20_000) {
    await waiterPolled()
    // the other server's next rotations acquire the lease, one after the other
    const { holder, token } = (await leases.read(['turn:int_1'])).get('turn:int_1')!
    await leases.renew('turn:int_1', holder, token, 30_000)
    clock.advance(20_000)
  }
  const refusal = (await theirs) as ApiError
  expect(refusal).toBeInstanceOf(ApiError)
  expect(refusal.status).toBe(503)
})

test('while leases are unavailable, a process keeps its own order', async () => {
  const turns = new Turns({ leases: unavailable, clock })
  const order: string[] = []
  const first = work()
  const results = [
    turns.take('int_1', async () => void order.push(`${await first.run()} ended`)),
    turns.take('int_1', async () => void order.push('second')),
  ]
  await first.begun
  first.end('first')
  await Promise.all(results)
  expect(order).toEqual(['first ended', 'second'])
})
