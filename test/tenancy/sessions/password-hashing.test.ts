/** Contract 1, "Session": at most two hashes are computed at a time, with a bounded queue (503). */
import { expect, test } from 'bun:test'
import { PasswordHashing } from '../../../src/tenancy/sessions/password-hashing.ts'

/** A computation that ends when it is told to. */
function work() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const job = {
    began: 0,
    end: () => resolve('done'),
    fail: () => reject(new Error('no memory')),
    compute: () => {
      job.began += 1
      return promise
    },
  }
  return job
}
/** Enough turns for everything that only waits for promises. */
const settled = () => Bun.sleep(0)
const outcome = (turn: Promise<unknown>) =>
  turn.then(
    (value) => value,
    ({ status, code, message, retryAfterSeconds }) =>
      status === undefined ? message : { status, code, seconds: retryAfterSeconds },
  )
const busy = { status: 503, code: 'service_unavailable', seconds: 2 }

test('a limited number is computed at a time, in order of arrival', async () => {
  const hashing = new PasswordHashing({ atOnce: 2, waitingMax: 10 })
  const jobs = Array.from({ length: 5 }, work)
  const turns = jobs.map(({ compute }) => hashing.turn().take(compute))
  await settled()
  expect(jobs.map(({ began }) => began)).toEqual([1, 1, 0, 0, 0])
  expect(hashing.statistics).toEqual({ computing: 2, waiting: 3 })
  jobs[1]!.end()
  await turns[1]
  await settled()
  expect(jobs.map(({ began }) => began)).toEqual([1, 1, 1, 0, 0])
  for (const { end } of jobs) end()
  expect(await Promise.all(turns)).toEqual(Array(5).fill('done'))
  expect(hashing.statistics).toEqual({ computing: 0, waiting: 0 })
})

test('an excess gets 503 at once, and is not computed', async () => {
  const hashing = new PasswordHashing({ atOnce: 1, waitingMax: 2 })
  const jobs = Array.from({ length: 3 }, work)
  const turns = jobs.map(({ compute }) => hashing.turn().take(compute))
  expect(await outcome(Promise.resolve().then(() => hashing.turn()))).toEqual(busy)
  for (const { end } of jobs) end()
  await Promise.all(turns)
  // room again
  expect(await hashing.turn().take(async () => 'later')).toBe('later')
})

test('a place is reserved when it is requested, and released if unused', async () => {
  const hashing = new PasswordHashing({ atOnce: 1, waitingMax: 1 })
  const [one, other] = [hashing.turn(), hashing.turn()]
  expect(() => hashing.turn()).toThrow()
  one.giveUp()
  const third = hashing.turn()
  expect(() => hashing.turn()).toThrow()
  expect(await other.take(async () => 1)).toBe(1)
  expect(await third.take(async () => 2)).toBe(2)
  expect(hashing.statistics).toEqual({ computing: 0, waiting: 0 })
})

test('a disconnected client leaves the queue; a computation in progress ends normally', async () => {
  const hashing = new PasswordHashing({ atOnce: 1, waitingMax: 2 })
  const [first, second, third] = [work(), work(), work()]
  const clients = [new AbortController(), new AbortController()]
  const computing = hashing.turn({ signal: clients[0]!.signal }).take(first.compute)
  const waiting = outcome(hashing.turn({ signal: clients[1]!.signal }).take(second.compute))
  const last = hashing.turn().take(third.compute)
  await settled()
  for (const client of clients) client.abort()
  expect(await waiting).toMatchObject({ status: 503 })
  first.end()
  third.end()
  expect(await computing).toBe('done')
  expect(await last).toBe('done')
  expect(second.began).toBe(0)
  expect(hashing.statistics).toEqual({ computing: 0, waiting: 0 })
})

test('a client that has disconnected takes no place', async () => {
  const hashing = new PasswordHashing({ atOnce: 1, waitingMax: 0 })
  const job = work()
  expect(await outcome(hashing.turn({ signal: AbortSignal.abort() }).take(job.compute))).toMatchObject({ status: 503 })
  expect(job.began).toBe(0)
  expect(hashing.statistics).toEqual({ computing: 0, waiting: 0 })
})

test('a failed computation releases its place', async () => {
  const hashing = new PasswordHashing({ atOnce: 1, waitingMax: 1 })
  const [broken, fine] = [work(), work()]
  const turns = [outcome(hashing.turn().take(broken.compute)), outcome(hashing.turn().take(fine.compute))]
  broken.fail()
  fine.end()
  expect(await Promise.all(turns)).toEqual(['no memory', 'done'])
})

test('a known browser goes before others, and replaces the last of them', async () => {
  const hashing = new PasswordHashing({ atOnce: 1, waitingMax: 3 })
  const began: string[] = []
  const gate = work()
  const take = async (name: string, known: boolean) =>
    outcome(
      Promise.resolve().then(() =>
        hashing.turn({ known }).take(async () => {
          began.push(name)
          return name
        }),
      ),
    )
  const running = hashing.turn().take(gate.compute)
  const strangers = [take('stranger 1', false), take('stranger 2', false), take('stranger 3', false)]
  await settled()
  const owner = take('owner', true)
  expect(await strangers[2]).toEqual(busy)
  expect(await take('stranger 4', false)).toEqual(busy)
  gate.end()
  expect(await Promise.all([running, owner, strangers[0]!, strangers[1]!])).toEqual([
    'done',
    'owner',
    'stranger 1',
    'stranger 2',
  ])
  expect(began).toEqual(['owner', 'stranger 1', 'stranger 2'])
})

test('known browsers do not replace each other', () => {
  const hashing = new PasswordHashing({ atOnce: 1, waitingMax: 1 })
  hashing.turn({ known: true })
  hashing.turn({ known: true })
  expect(() => hashing.turn({ known: true })).toThrow()
})
