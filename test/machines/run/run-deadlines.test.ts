/**
 * How long a run may stay in a state. Source: requirement 3, "Agent Run lifecycle states"; contract 5, "Statechart".
 */
import { describe, expect, test } from 'bun:test'
import { admit, admittedAt, events, follow, inState, pathTo, type State, secondMs, tool } from './runs.ts'

describe('deadlines', () => {
  const hourMs = 3_600_000
  test.each<[State, number]>([
    ['queued', 24 * hourMs],
    ['acquiring', 60_000],
    ['starting', 60_000],
    ['awaitingToolResult', 7 * 24 * hourMs],
    ['awaitingDelegateResult', 7 * 24 * hourMs],
    ['canceling', 30_000],
  ])('%s lasts at most %d ms', (state, delayMs) => {
    expect(inState(state).timersStarted[0]?.delayMs).toBe(delayMs)
  })
  test('a run that starts later is queued for a day from then on, once', () => {
    const startAt = admittedAt + 2 * hourMs
    const delayed = admit(2, { startAt })
    expect(delayed.context.availableAt).toBe(startAt)
    expect(delayed.timersStarted).toEqual([{ timer: 'queueDeadline', delayMs: 26 * hourMs }])
    const late = follow([{ ...events.queueDeadline, at: startAt + 25 * hourMs, lateMs: hourMs }], delayed)
    expect(late).toMatchObject({ state: 'queued', timersStarted: [{ delayMs: 60_000 }] })
    const lost = follow([...pathTo.running, events.attemptLost], delayed)
    expect(lost).toMatchObject({ state: 'queued', timersStarted: [{ delayMs: 24 * hourMs }] })
    const continued = follow([events.cancel, events.continue], delayed)
    expect(continued.timersStarted[0]?.delayMs).toBe(24 * hourMs)
    expect(continued.context.availableAt).toBe(continued.at)
    expect(admit(2, { startAt: admittedAt - 1 })).toEqual(admit())
  })
  test('a run whose start is put off and then starts now is queued for a day from then on', () => {
    const delayed = admit(2, { startAt: admittedAt + 2 * hourMs })
    const at = admittedAt + hourMs
    const now = follow([{ ...events.startNow, at }], delayed)
    expect(now).toMatchObject({
      state: 'queued',
      context: { availableAt: at, delayMs: hourMs },
      timersStarted: [{ timer: 'queueDeadline', delayMs: 24 * hourMs }],
    })
    const again = follow([{ ...events.startNow, at: at + 1 }], now)
    expect([again.context, again.timersStarted]).toEqual([now.context, []])
  })
  test("an attempt has the rest of its chain's hour, from its lease on", () => {
    // A second passes between the lease and the boot.
    expect(inState('running').timersStarted[0]?.delayMs).toBe(hourMs - secondMs)
    const again = follow([events.attemptLost, ...pathTo.running], inState('running'))
    // Two seconds of the first attempt, one of the second.
    expect(again.timersStarted[0]?.delayMs).toBe(hourMs - 3 * secondMs)
  })
  test('a chain that has used up its time fails at once', () => {
    const lost = follow([{ ...events.attemptLost, at: admittedAt + 2 * hourMs }], inState('running'))
    const again = follow(pathTo.running, lost)
    expect(again.timersStarted[0]?.delayMs).toBe(0)
    const after = follow([events.activeDeadline], again)
    expect(after.state).toBe('failed')
    expect(after.context.cause?.code).toBe('run_timeout')
    expect(after.effects.map(({ name }) => name)).toEqual([
      'signalWorker',
      'releaseMachine',
      'withdrawApprovals',
      'startNextInput',
    ])
  })
  test('a clock that jumps forward uses up no time: the observed time of the attempt counts', () => {
    const running = inState('running')
    const at = admittedAt + 2 * hourMs
    const watched = (heldMs: number) => ({ fencingToken: running.context.lease?.fencingToken as number, heldMs })
    const continued = follow([{ ...events.activeDeadline, at, watched: watched(60_000) }], running)
    expect(continued.state).toBe('running')
    expect(continued.timersStarted[0]?.delayMs).toBe(hourMs - 60_000)
    const done = follow([{ ...events.completed, at, watched: watched(61_000) }], continued)
    expect(done.context.activeMs).toBe(61_000)
    expect(follow([{ ...events.activeDeadline, at, watched: watched(hourMs) }], running).state).toBe('failed')
    // of another attempt
    const other = { fencingToken: -1, heldMs: 0 }
    expect(follow([{ ...events.activeDeadline, at, watched: other }], running).state).toBe('failed')
  })
  test('a start times out when it was observed for a minute, whatever the clock says', () => {
    const starting = inState('starting')
    const watched = (heldMs: number) => ({ fencingToken: starting.context.lease?.fencingToken as number, heldMs })
    const continued = follow([{ ...events.startDeadline, watched: watched(20_000) }], starting)
    expect(continued).toMatchObject({ state: 'starting', timersStarted: [{ timer: 'startDeadline', delayMs: 60_000 }] })
    expect(continued.context).toEqual(starting.context)
    expect(follow([{ ...events.startDeadline, watched: watched(60_000) }], starting).state).toBe('queued')
  })
  test.each([
    ['queued', events.queueDeadline, 'expired'],
    ['acquiring', events.acquireDeadline, 'queued'],
    ['starting', events.startDeadline, 'queued'],
    ['running', events.activeDeadline, 'failed'],
  ] as const)('a deadline that passed during a downtime leaves %s a minute', (state, event, next) => {
    const at = admittedAt + 2 * hourMs
    const continued = follow([{ ...event, at, lateMs: 10_001 }], inState(state))
    expect(continued).toMatchObject({ state, timersStarted: [{ timer: event.type, delayMs: 60_000 }] })
    expect(follow([{ ...event, at, lateMs: 10_000 }], inState(state)).state).toBe(next)
    expect(follow([{ ...event, at: at + 60_000 }], continued).state).toBe(next)
  })
  test('a partial answer, progress and a repeated cancel extend no deadline', () => {
    const two = follow([...pathTo.running, { ...events.toolResultNeeded, awaiting: [tool('c1'), tool('c2')] }])
    expect(follow([events.continue], two)).toMatchObject({ moved: false, timersStarted: [] })
    expect(follow([events.progressed], inState('running'))).toMatchObject({ moved: false, timersStarted: [] })
    expect(follow([events.cancel], inState('canceling'))).toMatchObject({ moved: false, timersStarted: [] })
  })
})
