/** Steps of a workflow that wait. Source: contract 14, "Workflows". */
import { describe, expect, test } from 'bun:test'
import { Play, type Played, startedAt } from './workflow-runs.ts'

const hour = 3_600_000
const waits = (stepId: string, attempt = 1) => ({ type: 'waits', stepId, attempt }) as Played
const nap = { a: { sleepMs: 500 }, b: { after: ['a'] } }

describe('a step that sleeps', () => {
  test('waits, and its dependents begin when its time has come and not before', () => {
    const play = new Play(nap).takes(waits('a'))
    expect([play.state, play.steps]).toEqual(['waiting', 'a:waiting b:pending'])
    expect(play.step('a').until).toBe(startedAt + 500)
    expect(play.decision.timersStarted).toEqual([{ timer: 'lookAgain', delayMs: 499 }])
    play.takes({ type: 'lookAgain' }, 499)
    expect([play.state, play.steps]).toEqual(['running', 'a:succeeded b:running'])
    expect(play.step('a')).toMatchObject({ state: 'succeeded', attempts: 1, endedAt: startedAt + 500 })
    expect(play.report('b', 'succeeded').state).toBe('completed')
  })

  test('counts from its beginning, whenever that is reported', () => {
    const play = new Play(nap).takes(waits('a'), 800)
    expect(play.decision.timersStarted).toEqual([{ timer: 'lookAgain', delayMs: 0 }])
    expect(play.takes({ type: 'lookAgain' }).steps).toBe('a:succeeded b:running')
  })

  test('begins to wait once', () => {
    const play = new Play(nap).takes(waits('a'))
    const { context } = play
    expect(play.takes(waits('a')).takes(waits('a', 2)).context).toBe(context)
  })

  test('as the last step ends the run', () => {
    expect(new Play({ a: { sleepMs: 5 } }).takes(waits('a')).takes({ type: 'lookAgain' }, 5).state).toBe('completed')
    const play = new Play({ a: { sleepMs: 5 } }, { hasOutput: true }).takes(waits('a')).takes({ type: 'lookAgain' }, 5)
    expect([play.state, play.effects]).toEqual(['running', ['renderOutput', 'beginSteps']])
  })

  test('does not hold up others, and the first time to come is waited for', () => {
    const play = new Play({ a: { sleepMs: 900 }, b: { sleepMs: 300 }, c: { maxAttempts: 2, backoffMs: 100 } })
    play.takes(waits('a')).takes(waits('b'))
    expect(play.state).toBe('running')
    play.report('c', 'failed')
    expect(play.decision.timersStarted).toEqual([{ timer: 'lookAgain', delayMs: 100 }])
    play.takes({ type: 'lookAgain' }, 100).report('c', 'succeeded')
    expect([play.state, play.decision.timersStarted]).toEqual(['waiting', [{ timer: 'lookAgain', delayMs: 196 }]])
    play.takes({ type: 'lookAgain' }, 196)
    expect([play.state, play.steps]).toEqual(['waiting', 'a:waiting b:succeeded c:succeeded'])
    expect(play.takes({ type: 'lookAgain' }, 600).state).toBe('completed')
  })

  test('leaves the hourly query to running steps and approvals', () => {
    const play = new Play({ a: { sleepMs: 100 * hour }, b: {} }).takes(waits('a'))
    expect(play.decision.timersStarted).toEqual([{ timer: 'lookAgain', delayMs: hour }])
    play.report('b', 'succeeded')
    expect(play.decision.timersStarted).toEqual([{ timer: 'lookAgain', delayMs: 100 * hour - 2 }])
  })

  test('is canceled with the run at once', () => {
    const play = new Play(nap).takes(waits('a')).takes({ type: 'cancel' })
    expect([play.state, play.steps]).toEqual(['canceled', 'a:canceled b:canceled'])
    const early = new Play(nap).takes({ type: 'cancel' }).takes(waits('a'))
    expect([early.state, early.steps]).toEqual(['canceled', 'a:canceled b:canceled'])
  })

  test('is canceled when the run fails, and begins anew when it is resumed', () => {
    const play = new Play({ a: { sleepMs: 500 }, b: {} }).takes(waits('a')).report('b', 'failed')
    expect([play.state, play.steps]).toEqual(['failed', 'a:canceled b:failed'])
    play.takes({ type: 'resume' }).takes(waits('a', 2)).report('b', 'succeeded')
    expect([play.state, play.step('a').until]).toEqual(['waiting', play.at - 2 + 500])
  })

  test('goes on while the outcome of another step is unknown', () => {
    const play = new Play({ ...nap, c: {} }).takes(waits('a')).report('c', 'unknown')
    expect([play.state, play.steps]).toEqual(['unknown', 'a:waiting b:pending c:unknown'])
    play.takes({ type: 'lookAgain' }, 500)
    expect([play.state, play.steps]).toEqual(['unknown', 'a:succeeded b:pending c:unknown'])
    play.takes({ type: 'resolveUnknown', stepId: 'c', outcome: 'succeeded', bytes: 1 }).takes({ type: 'resume' })
    expect(play.steps).toBe('a:succeeded b:running c:succeeded')
  })

  test('still waits when the run is resumed meanwhile', () => {
    const play = new Play({ ...nap, c: {} }).takes(waits('a')).report('c', 'unknown')
    play.takes({ type: 'resolveUnknown', stepId: 'c', outcome: 'succeeded', bytes: 1 }).takes({ type: 'resume' })
    expect([play.state, play.steps]).toEqual(['waiting', 'a:waiting b:pending c:succeeded'])
  })
})
