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

  test('ends at its time too if it begins while the outcome of another step is unknown', () => {
    const play = new Play({ a: { sleepMs: 500 }, b: { timeoutMs: 200 }, c: {} }).report('c', 'unknown')
    play.takes(waits('a'))
    expect([play.state, play.decision.timersStarted]).toEqual(['unknown', [{ timer: 'lookAgain', delayMs: 498 }]])
    play.takes({ ...waits('b'), awaits: { event: 'paid', correlation: 'A-17' } } as Played)
    expect(play.decision.timersStarted).toEqual([{ timer: 'lookAgain', delayMs: 200 }])
    play.takes({ type: 'lookAgain' }, 200)
    expect([play.steps, play.begun.at(-1)]).toEqual(['a:waiting b:running c:unknown', 'b#1'])
  })

  test('still waits when the run is resumed meanwhile', () => {
    const play = new Play({ ...nap, c: {} }).takes(waits('a')).report('c', 'unknown')
    play.takes({ type: 'resolveUnknown', stepId: 'c', outcome: 'succeeded', bytes: 1 }).takes({ type: 'resume' })
    expect([play.state, play.steps]).toEqual(['waiting', 'a:waiting b:pending c:succeeded'])
  })
})

describe('a step that waits for an event', () => {
  const awaits = { event: 'paid', correlation: 'A-17' }
  const awaiting = (stepId: string, attempt = 1) => ({ ...waits(stepId, attempt), awaits }) as Played
  const patient = { a: { timeoutMs: 500 }, b: { after: ['a'] } }

  test('looks once whether it has come, and ends with it', () => {
    const play = new Play(patient).takes(awaiting('a'))
    expect([play.state, play.steps, play.begun]).toEqual(['waiting', 'a:waiting b:pending', ['a#1', 'a#1']])
    expect(play.step('a')).toMatchObject({ awaits, until: play.at + 500 })
    expect(play.report('a', 'succeeded').steps).toBe('a:succeeded b:running')
  })

  test('looks again at the end of its time, and fails if it has not come', () => {
    const play = new Play(patient).takes(awaiting('a')).takes({ type: 'lookAgain' }, 500)
    expect([play.state, play.steps, play.begun.at(-1)]).toEqual(['running', 'a:running b:pending', 'a#1'])
    expect(play.tries(awaiting('a')) && play.steps).toBe('a:running b:pending')
    expect([play.report('a', 'failed').state, play.steps]).toEqual(['failed', 'a:failed b:skipped'])
  })

  test('looks again at the end of its time also if another step begins then', () => {
    const play = new Play({ ...patient, c: { maxAttempts: 2, backoffMs: 499 } }).takes(awaiting('a'))
    play.report('c', 'failed').takes({ type: 'lookAgain' }, 499)
    expect([play.steps, play.begun.slice(-2)]).toEqual(['a:running b:pending c:running', ['c#2', 'a#1']])
  })

  test('is not failed before its time', () => {
    const play = new Play(patient).takes(awaiting('a'))
    const { context } = play
    expect(play.report('a', 'failed').context).toBe(context)
  })

  test('waits again after its time as often as allowed', () => {
    const play = new Play({
      a: { timeoutMs: 500, maxAttempts: 2, backoffMs: 50, continues: true },
      b: { after: ['a'] },
    })
    play.takes(awaiting('a')).takes({ type: 'lookAgain' }, 500).report('a', 'failed').takes({ type: 'lookAgain' }, 50)
    expect(play.step('a')).toMatchObject({ state: 'running', attempts: 2 })
    play.takes(awaiting('a', 2))
    expect(play.step('a')).toMatchObject({ state: 'waiting', until: play.at + 500 })
    play.takes({ type: 'lookAgain' }, 500).report('a', 'failed')
    expect(play.steps).toBe('a:failed b:running')
  })

  test('looks too while the outcome of another step is unknown', () => {
    const play = new Play({ ...patient, c: {} }).report('c', 'unknown').takes(awaiting('a'))
    expect([play.state, play.begun.at(-1)]).toEqual(['unknown', 'a#1'])
    expect(play.report('a', 'succeeded').steps).toBe('a:succeeded b:pending c:unknown')
  })

  test('is canceled with the run', () => {
    const play = new Play(patient).takes(awaiting('a')).takes({ type: 'cancel' })
    expect([play.state, play.steps]).toEqual(['canceled', 'a:canceled b:canceled'])
  })
})
