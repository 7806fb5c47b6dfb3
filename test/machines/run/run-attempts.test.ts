/** How often a run is attempted, how long it works, and how long it waits between attempts. Source: contract 5. */
import { describe, expect, test } from 'bun:test'
import { admit, events, follow, type Given, inState, pathTo, secondMs, send } from './runs.ts'

describe('attempts', () => {
  test('attempt is 0 at admission, one more per lease, never reset', () => {
    expect(admit().context.attempt).toBe(0)
    const second = follow([events.attemptLost, ...pathTo.running], inState('running'))
    expect(second.context.attempt).toBe(2)
    expect(follow([events.completed, events.continue, ...pathTo.running], second).context.attempt).toBe(3)
  })
  test('an attempt begins only if it is the next one of the run and of its chain', () => {
    const drained = follow([{ ...events.attemptLost, drained: true }], inState('running'))
    const continued = follow([events.continue], inState('canceled'))
    const cases: [run: typeof drained, next: { attempt: number; chain: number }, begins: boolean][] = [
      [admit(), { attempt: 1, chain: 1 }, true],
      [admit(), { attempt: 2, chain: 1 }, false],
      [drained, { attempt: 1, chain: 1 }, false],
      [drained, { attempt: 2, chain: 1 }, true],
      [continued, { attempt: 1, chain: 1 }, false],
      [continued, { attempt: 1, chain: 2 }, true],
    ]
    for (const [run, next, begins] of cases) {
      expect({ next, state: send(run, { ...events.leaseRequested, next })?.state }).toEqual({
        next,
        state: begins ? 'acquiring' : undefined,
      })
    }
  })
  test('maxRetries is the number of extra attempts', () => {
    for (const maxRetries of [0, 1, 2, 10]) {
      let run = admit(maxRetries)
      let attempts = 0
      while (run.state === 'queued') {
        run = follow([...pathTo.running, events.attemptLost], run)
        attempts += 1
      }
      expect({ state: run.state, attempts }).toEqual({ state: 'failed', attempts: maxRetries + 1 })
    }
  })
  test.each(['acquireDeadline', 'startDeadline'] as const)('%s costs a retry', (deadline) => {
    const given = deadline === 'acquireDeadline' ? 'acquiring' : 'starting'
    const after = follow([events[deadline]], inState(given))
    expect(after.context).toMatchObject({ retriesLeft: 1, lease: null, cause: { code: 'machine_unavailable' } })
  })
  test('a drained attempt costs no retry and is available at once', () => {
    const after = follow([{ ...events.attemptLost, drained: true }], inState('running'))
    expect(after.context).toMatchObject({ retriesLeft: 2, availableAt: after.at, cause: null })
  })
  test('the active time adds up over the attempts of a chain and restarts with the next chain', () => {
    // From the lease to the loss two seconds pass, waiting does not count.
    const lost = follow([events.attemptLost], inState('running'))
    expect(lost.context.activeMs).toBe(2 * secondMs)
    const second = follow([...pathTo.running, events.completed], lost)
    expect(second.context).toMatchObject({ activeMs: 4 * secondMs, activeSince: null })
    expect(follow([events.continue], second).context.activeMs).toBe(0)
  })
  test('a clock that goes back subtracts no active time', () => {
    expect(follow([{ ...events.completed, at: 5 }], inState('running')).context.activeMs).toBe(0)
  })
  test('the report that settled an attempt is kept until the next attempt begins', () => {
    const completed = inState('completed')
    expect(completed.context.settled).toEqual({ attemptId: 'att_1', reportDigest: 'r1' })
    expect(follow([events.continue], completed).context.settled).toEqual({ attemptId: 'att_1', reportDigest: 'r1' })
    expect(follow([events.continue, events.leaseRequested], completed).context.settled).toBeNull()
  })
})

describe('back-off after a lost attempt', () => {
  /** How long the run waits after each of these losses, with this chance. */
  const waits = (chance: number, losses: number, loss: Given = events.attemptLost) => {
    let run = admit(10)
    return Array.from({ length: losses }, () => {
      run = follow([...pathTo.running, { ...loss, chance }], run)
      return run.context.availableAt - run.at
    })
  }
  test('is full jitter over a second that doubles up to a minute', () => {
    expect(waits(1, 9)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
    expect(waits(0, 3)).toEqual([0, 0, 0])
    expect(waits(0.25, 3)).toEqual([250, 500, 1_000])
  })
  test("is overridden by the vendor's Retry-After", () => {
    expect(waits(1, 2, { ...events.attemptLost, retryAfterMs: 90_000 })).toEqual([90_000, 90_000])
    expect(waits(1, 1, { ...events.attemptLost, retryAfterMs: 0 })).toEqual([0])
  })
  test('restarts with the chain', () => {
    const lost = follow(
      [...pathTo.running, events.attemptLost, ...pathTo.running, events.completed, events.continue],
      admit(),
    )
    const after = follow([...pathTo.running, { ...events.attemptLost, chance: 1 }], lost)
    expect(after.context.availableAt - after.at).toBe(1_000)
  })
})
