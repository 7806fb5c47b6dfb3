import { expect, test } from 'bun:test'
import { RunnerPool, RunnerRefused } from '../../../src/runs/runner/pool.ts'
import type { AttemptChannel, LeaseRequest, RunnerTransport } from '../../../src/runs/runner/protocol/protocol.ts'
import { ManualClock, settle } from './support/clock.ts'
import { scriptedModel, type Turn } from './support/model.ts'
import { FakeServer } from './support/server.ts'

/** Work for a pool: each offer is one run. */
class Offers implements RunnerTransport {
  readonly requests: LeaseRequest[] = []
  readonly servers: FakeServer[] = []
  readonly #offered: AttemptChannel[] = []
  /** Thrown or awaited instead of an answer. */
  onLease: ((request: LeaseRequest) => Promise<AttemptChannel | null> | undefined) | undefined
  asking = 0
  askingMost = 0
  #waiting: ((channel: AttemptChannel | null) => void) | undefined

  constructor(
    private readonly clock: ManualClock,
    private readonly streamStep: FakeServer['streamStep'],
  ) {}

  offer(count: number) {
    for (let n = 0; n < count; n++) {
      const server = new FakeServer(this.clock, { instructions: 'Be brief.' })
      server.streamStep = this.streamStep
      this.servers.push(server)
      this.#offered.push(server.lease())
    }
    this.#waiting?.(this.#offered.shift() ?? null)
    this.#waiting = undefined
  }

  async lease(request: LeaseRequest, signal: AbortSignal) {
    this.requests.push(request)
    this.askingMost = Math.max(this.askingMost, ++this.asking)
    try {
      const given = this.onLease?.(request)
      if (given) return await given
      const next = this.#offered.shift()
      if (next) return next
      return await new Promise<AttemptChannel | null>((resolve) => {
        this.#waiting = resolve
        signal.addEventListener('abort', () => resolve(null), { once: true })
      })
    } finally {
      this.asking--
    }
  }
}

function createPool(slots: number, turns: Turn[]) {
  const clock = new ManualClock()
  const logged: string[] = []
  const log = (_: Record<string, unknown>, message: string) => void logged.push(message)
  const refusals: RunnerRefused[] = []
  const model = scriptedModel(turns)
  const offers = new Offers(clock, model.streamStep)
  const pool = new RunnerPool({
    transport: offers,
    slots,
    machineId: 'machine-1',
    tools: { find: () => undefined },
    clock,
    log: { info: log, warn: log, error: log },
    onRefused: (error) => refusals.push(error),
  })
  return { pool, offers, clock, logged, refusals, model }
}

test('one request for work at a time, which names the runner', async () => {
  const { pool, offers } = createPool(8, [{ text: 'Hi' }])
  offers.offer(20)
  pool.start()
  pool.start()
  await settle()
  expect(pool.statistics()).toMatchObject({
    slots: 8,
    running: 0,
    failing: false,
    ended: { completed: 20, failed: 0, lost: 0 },
  })
  expect(offers.askingMost).toBe(1)
  expect(offers.requests[0]).toEqual({ machineId: 'machine-1', slots: 8, waitSeconds: 25 })
  expect(await pool.drain(1_000)).toEqual({ abandoned: 0 })
})

test('no more attempts run at once than there are slots', async () => {
  const gate = Promise.withResolvers<void>()
  const { pool, offers } = createPool(3, [{ text: 'Hi', until: gate.promise }])
  offers.offer(5)
  pool.start()
  await settle()
  expect(pool.statistics().running).toBe(3)
  expect(offers.requests).toHaveLength(3)
  gate.resolve()
  await settle()
  expect(pool.statistics()).toMatchObject({ running: 0, ended: { completed: 5 } })
  await pool.drain(1_000)
})

test('work that arrives while the pool waits is accepted', async () => {
  const { pool, offers } = createPool(1, [{ text: 'Hi' }])
  pool.start()
  await settle()
  offers.offer(1)
  await settle()
  expect(pool.statistics().ended.completed).toBe(1)
  await pool.drain(1_000)
})

test('a failing attempt does not affect others', async () => {
  const { pool, offers } = createPool(4, [{ fails: new Error('broken') }])
  offers.offer(3)
  pool.start()
  await settle()
  expect(pool.statistics().ended.failed).toBe(3)
  await pool.drain(1_000)
})

test('a failing transport is retried, with growing delays', async () => {
  const { pool, offers, clock } = createPool(1, [{ text: 'Hi' }])
  offers.onLease = () => Promise.reject(new Error('away'))
  pool.start()
  await clock.advance(10_000)
  const asked = offers.requests.length
  expect(asked).toBeGreaterThan(3)
  expect(asked).toBeLessThan(12)
  expect(pool.statistics().failing).toBe(true)

  offers.onLease = undefined
  offers.offer(1)
  await clock.advance(10_000)
  expect(pool.statistics()).toMatchObject({ failing: false, ended: { completed: 1 } })
  await pool.drain(1_000)
})

test('empty answers that come at once do not cause a busy loop', async () => {
  const { pool, offers, clock } = createPool(1, [{ text: 'Hi' }])
  offers.onLease = () => Promise.resolve(null)
  pool.start()
  await clock.advance(1_000)
  expect(offers.requests.length).toBeLessThanOrEqual(25)
  await pool.drain(1_000)
})

test('a refusal ends the requests and is reported', async () => {
  const { pool, offers, clock, refusals } = createPool(1, [{ text: 'Hi' }])
  offers.onLease = () => Promise.reject(new RunnerRefused('no such token'))
  pool.start()
  await clock.advance(60_000)
  expect(offers.requests).toHaveLength(1)
  expect(refusals.map(({ message }) => message)).toEqual(['no such token'])
  expect(await pool.drain(1_000)).toEqual({ abandoned: 0 })
})

test('drain requests no more work and hands running attempts back', async () => {
  const { pool, offers } = createPool(4, [{ text: 'Half', until: new Promise(() => {}) }])
  offers.offer(3)
  pool.start()
  await settle()
  expect(await pool.drain(10_000)).toEqual({ abandoned: 0 })
  expect(pool.statistics()).toMatchObject({ running: 0, ended: { drained: 3 } })
  for (const { completions } of offers.servers) {
    expect(completions).toMatchObject([{ error: { code: 'machine_unavailable', retryable: true } }])
  }
  const asked = offers.requests.length
  offers.offer(1)
  await settle()
  expect(offers.requests).toHaveLength(asked)
})

test('work that arrives during the drain is handed back', async () => {
  const { pool, offers, clock } = createPool(1, [{ text: 'Hi' }])
  const late = Promise.withResolvers<AttemptChannel>()
  offers.onLease = () => late.promise
  pool.start()
  await settle()
  const drained = pool.drain(10_000)
  const server = new FakeServer(clock, { instructions: 'Be brief.' })
  late.resolve(server.lease())
  expect(await drained).toEqual({ abandoned: 0 })
  expect(server.names).toEqual(['boot', 'complete'])
})

test('the drain does not wait longer than its timeout', async () => {
  const { pool, offers, clock } = createPool(2, [{ text: 'Hi', until: new Promise(() => {}) }])
  offers.offer(2)
  pool.start()
  await settle()
  // A server that no longer accepts a final report.
  for (const server of offers.servers) {
    server.onReport = () => {
      throw new Error('The store is away.')
    }
  }
  const drained = pool.drain(2_000)
  await clock.advance(2_000)
  expect(await drained).toEqual({ abandoned: 2 })
  await clock.advance(10_000)
})

test('one timer serves the heartbeats of all attempts', async () => {
  const gate = Promise.withResolvers<void>()
  const { pool, offers, clock } = createPool(50, [{ text: '', until: gate.promise }])
  offers.offer(50)
  pool.start()
  await settle()
  expect(pool.statistics().running).toBe(50)
  expect(clock.pending).toBe(1)
  await clock.advance(11_000)
  expect(offers.servers.every(({ heartbeats }) => heartbeats.length === 1)).toBe(true)
  gate.resolve()
  await settle()
  await pool.drain(1_000)
})
