import { describe, expect, test } from 'bun:test'
import {
  createWorkerCallMachine,
  type WorkerCallContext,
  workerAttemptsMax,
  workerCallStates,
} from '../../machines/worker-call.ts'
import { begin, type Decision, decide } from '../../src/runtime/decisions/decide.ts'
import { compile } from '../../src/runtime/decisions/table.ts'
import { movesOf } from './move-table.ts'

/**
 * From contract 11: states in rows, events in columns. The entry is the next state, `.` 409. The stale ones are
 * reports of an earlier lease, `received` and `other` lease again a call that a heartbeat has confirmed, and another
 * worker's, `changed` and `blamed` report another output and another error than those of the call, `again` is a
 * retryable error, `lost` an expired lease of a write that is not idempotent, `readLost` the same of a read, `missed`
 * one that expired during a downtime, `overdue` one at the end of the call's time.
 */
const rows = `
           leased  leasedAgain  received  other  returned  heartbeat  completed  changed    refused  blamed  again     stale  staleNo  staleAgain  cancel    callDeadline  lost     readLost  missed  overdue  readOverdue  backOff
queued     leased  .            .         .      .         .          .          .          .        .       .         .      .        .           canceled  failed        .        .         .       .        .            .
leased     .       leased       .         .      queued    leased     succeeded  succeeded  failed   failed  retrying  .      .        .           leased    .             unknown  queued    leased  unknown  failed       .
retrying   .       .            .         .      .         .          .          .          .        .       .         .      .        .           canceled  .             .        .         .       .        .            queued
succeeded  .       .            .         .      .         .          succeeded  .          .        .       .         .      .        .           .         .             .        .         .       .        .            .
failed     .       .            .         .      .         .          .          .          failed   .       failed    .      .        .           .         .             .        .         .       .        .            .
unknown    .       .            .         .      .         .          .          .          .        .       .         .      .        .           .         .             .        .         .       .        .            .
canceled   .       .            .         .      .         .          .          .          .        .       .         .      .        .           .         .             .        .         .       .        .            .
`
const { cells } = movesOf(rows)

const at = 1_000_000
const leaseMs = 30_000
const table = compile(createWorkerCallMachine({ leaseMs }))
const queued = begin(table, { repeatable: false, at, timeoutMs: 100_000 })
const cause = { code: 'x', message: 'X' }

type Sent = { type: string; changes?: Partial<WorkerCallContext> } & Record<string, unknown>
const events: Record<string, Sent> = {
  leased: { type: 'leased', lease: 'b', worker: 'w' },
  leasedAgain: { type: 'leasedAgain', lease: 'b', worker: 'w' },
  received: { type: 'leasedAgain', lease: 'b', worker: 'w', changes: { received: true } },
  other: { type: 'leasedAgain', lease: 'b', worker: 'v' },
  returned: { type: 'returned', lease: 'a' },
  heartbeat: { type: 'heartbeat', lease: 'a' },
  completed: { type: 'completed', lease: 'a', output: 1, answer: 'x', changes: { answer: 'x' } },
  changed: { type: 'completed', lease: 'a', output: 2, answer: 'y', changes: { answer: 'x' } },
  refused: { type: 'refused', lease: 'a', cause, retryable: false, changes: { cause } },
  blamed: { type: 'refused', lease: 'a', cause: { code: 'y', message: 'Y' }, retryable: false, changes: { cause } },
  again: { type: 'refused', lease: 'a', cause, retryable: true, changes: { cause } },
  stale: { type: 'completed', lease: 'old', output: 1, answer: 'x' },
  staleNo: { type: 'refused', lease: 'old', cause, retryable: false, changes: { cause } },
  staleAgain: { type: 'refused', lease: 'old', cause, retryable: true, changes: { cause } },
  cancel: { type: 'cancel' },
  callDeadline: { type: 'callDeadline', at: at + 100_000 },
  lost: { type: 'leaseExpired' },
  readLost: { type: 'leaseExpired', changes: { repeatable: true } },
  missed: { type: 'leaseExpired', lateMs: 20_000 },
  overdue: { type: 'leaseExpired', at: at + 100_000 },
  readOverdue: { type: 'leaseExpired', at: at + 100_000, changes: { repeatable: true } },
  backOff: { type: 'backOff' },
}
const context = (decision: Decision | undefined) => decision?.context as unknown as WorkerCallContext
const send = (state: string, event: string, more: Partial<WorkerCallContext> = {}) => {
  const { changes, ...given } = events[event]!
  const before = { ...queued.context, attempts: 1, lease: 'a', worker: 'w', ...changes, ...more }
  return decide(table, state, before, { at: at + 1_000, chance: 0, ...given })
}

test.each(cells)('$given, on $event: $next', ({ given, event, next }) => {
  expect(send(given, event)?.state ?? '.').toBe(next)
})

test('the rows name every state and every event of the machine', () => {
  expect([...new Set(cells.map(({ given }) => given))]).toEqual([...table.states])
  expect([...table.states]).toEqual([...workerCallStates])
  const named = new Set(Object.values(events).map(({ type }) => type))
  expect([...new Set([...table.rows.values()].flatMap((row) => [...row.keys()]))].sort()).toEqual([...named].sort())
})

test('it begins queued, with the lifetime of the call', () => {
  expect(queued).toMatchObject({ state: 'queued', effects: [{ name: 'offer' }] })
  expect(queued.timersStarted).toEqual([{ timer: 'callDeadline', delayMs: 100_000 }])
})

describe('the lease', () => {
  test('lasts until a heartbeat is missed, and never longer than the call', () => {
    expect(send('queued', 'leased')?.timersStarted).toEqual([{ timer: 'leaseExpired', delayMs: leaseMs }])
    expect(context(send('leased', 'heartbeat')).leaseEndsAt).toBe(at + 1_000 + leaseMs)
    const late = send('leased', 'heartbeat', { deadlineAt: at + 3_000 })
    expect(late?.timersStarted).toEqual([{ timer: 'leaseExpired', delayMs: 2_000 }])
    expect(context(late).leaseEndsAt).toBe(at + 3_000)
  })

  test('that did not arrive is repeated for its worker, as the same attempt', () => {
    expect(context(send('leased', 'leasedAgain'))).toMatchObject({ attempts: 1, lease: 'b', leaseEndsAt: at + 31_000 })
    expect(context(send('leased', 'heartbeat')).received).toBe(true)
  })

  test('that could not be sent does not count', () => {
    expect(context(send('leased', 'returned'))).toMatchObject({ attempts: 0, lease: null, worker: null })
    expect(send('leased', 'returned', { canceled: true })?.state).toBe('canceled')
    expect(send('leased', 'returned', { lease: 'b' })).toBeUndefined()
  })

  test('is granted a limited number of times', () => {
    expect(send('leased', 'readLost', { attempts: workerAttemptsMax })?.state).toBe('failed')
    expect(send('leased', 'again', { attempts: workerAttemptsMax })?.state).toBe('failed')
  })

  test('that is lost after a cancel is not granted again', () => {
    expect(send('leased', 'readLost', { canceled: true })?.state).toBe('canceled')
    expect(send('leased', 'lost', { canceled: true })?.state).toBe('unknown')
    expect(send('leased', 'again', { canceled: true })?.state).toBe('failed')
  })
})

test.each([
  ['queued', 'callDeadline', { attempts: 0 }, 'no_worker'],
  ['queued', 'callDeadline', {}, 'worker_lost'],
  ['leased', 'lost', {}, 'outcome_unknown'],
  ['leased', 'overdue', {}, 'outcome_unknown'],
  ['leased', 'readOverdue', {}, 'timeout'],
  ['leased', 'refused', {}, 'x'],
] as const)('%s, on %s with %j: %s', (state, event, changes, code) => {
  expect(context(send(state, event, changes)).cause?.code).toBe(code)
})

test.each([1, 2, 3, 4])('after attempt %i the delay doubles', (attempts) => {
  const { timersStarted } = send('leased', 'again', { attempts })!
  expect(timersStarted).toEqual([{ timer: 'backOff', delayMs: 500 * 2 ** attempts }])
})
