/** Runs of a workflow that fail or are canceled and take back what was done. Source: contract 14, "Workflows". */
import { describe, expect, test } from 'bun:test'
import { compensationOf } from '../../../machines/workflow-run.ts'
import { cause, Play, resolution } from './workflow-runs.ts'

const undo = (play: Play, id: string, outcome: Parameters<Play['report']>[1] = 'succeeded') =>
  play.report(compensationOf(id), outcome)
const trip = { hotel: { undo: true }, flight: { undo: true }, pay: { after: ['hotel', 'flight'] } }
/** The flight is booked before the hotel. */
const booked = () => new Play(trip).report('flight', 'succeeded').report('hotel', 'succeeded')

describe('a run that fails', () => {
  test('compensates what has succeeded, the last one first and one at a time', () => {
    const play = booked().report('pay', 'failed')
    expect([play.state, play.undone]).toEqual(['running', 'hotel:running flight:pending'])
    expect([undo(play, 'hotel').state, play.undone]).toEqual(['running', 'hotel:succeeded flight:running'])
    expect([undo(play, 'flight').state, play.undone]).toEqual(['failed', 'hotel:succeeded flight:succeeded'])
    expect(play.begun.slice(3)).toEqual(['hotel:compensate#1', 'flight:compensate#1'])
    expect(play.context.cause?.message).toBe('Step pay failed: pay is failed.')
    expect(play.context.endedAt).toBe(play.at)
  })

  test('begins once nothing is open', () => {
    const play = new Play({ a: { undo: true }, b: {}, c: {} }).report('a', 'succeeded').report('b', 'failed')
    expect([play.state, play.undone]).toEqual(['running', 'a:pending'])
    expect(play.report('c', 'succeeded').undone).toBe('a:running')
  })

  test.each(['failed', 'rejected', 'unknown'] as const)('goes on after one that is %s', (outcome) => {
    const play = booked().report('pay', 'failed')
    expect([undo(play, 'hotel', outcome).state, play.undone]).toEqual([
      'running',
      `hotel:${outcome === 'rejected' ? 'failed' : outcome} flight:running`,
    ])
    expect(play.step(compensationOf('hotel')).endedAt).toBe(play.at)
    expect(undo(play, 'flight').state).toBe('failed')
  })

  test('goes on after one that cannot begin', () => {
    const play = booked().report('pay', 'failed')
    play.takes({ type: 'refused', stepId: 'hotel:compensate', attempt: 1, cause })
    expect(play.undone).toBe('hotel:failed flight:running')
  })

  test('retries a compensation like its step', () => {
    const play = new Play({ a: { undo: true, maxAttempts: 2, backoffMs: 50 }, b: { after: ['a'] } })
    undo(play.report('a', 'succeeded').report('b', 'failed'), 'a', 'failed')
    expect([play.state, play.undone]).toEqual(['running', 'a:pending'])
    expect(play.decision.timersStarted).toEqual([{ timer: 'lookAgain', delayMs: 50 }])
    const begunAt = play.at
    expect(play.takes({ type: 'lookAgain' }, 50).begun.at(-1)).toBe('a:compensate#2')
    expect(play.step(compensationOf('a')).startedAt).toBeLessThan(begunAt)
    expect(undo(play, 'a', 'failed').state).toBe('failed')
  })

  test('retries a compensation anew after a resume', () => {
    const play = new Play({ a: { undo: true, maxAttempts: 2, backoffMs: 50 }, b: { after: ['a'] } })
    undo(play.report('a', 'succeeded').report('b', 'failed'), 'a').takes({ type: 'resume' })
    undo(play.report('a', 'succeeded').report('b', 'failed'), 'a', 'failed')
    expect([play.state, play.undone]).toEqual(['running', 'a:pending'])
    expect(play.takes({ type: 'lookAgain' }, 50).begun.at(-1)).toBe('a:compensate#3')
  })

  test('waits for the approval of a compensation, and does not withdraw it', () => {
    const play = undo(booked().report('pay', 'failed'), 'hotel', 'pending_approval')
    expect([play.state, play.undone, play.effects]).toEqual(['running', 'hotel:waiting_approval flight:pending', []])
    expect(undo(play, 'hotel', 'running').undone).toBe('hotel:running flight:pending')
  })

  test('compensates for an output that cannot be rendered, and can be resumed', () => {
    const play = new Play({ a: { undo: true } }, { hasOutput: true }).report('a', 'succeeded')
    play.takes({ type: 'renderingFailed', cause })
    expect([play.state, play.undone]).toEqual(['running', 'a:running'])
    expect(undo(play, 'a').state).toBe('failed')
    play.takes({ type: 'resume' }).report('a', 'succeeded').takes({ type: 'rendered' })
    expect([play.state, play.undone]).toEqual(['completed', 'a:pending'])
  })

  test('renders no output', () => {
    const play = new Play({ a: { undo: true }, b: {} }, { hasOutput: true }).report('b', 'failed')
    expect([play.report('a', 'succeeded').undone, play.effects]).toEqual(['a:running', ['beginSteps']])
    expect(play.tries({ type: 'rendered' })).toBe(false)
    expect(undo(play, 'a').state).toBe('failed')
  })

  test('does again what was compensated when it is resumed', () => {
    const play = undo(undo(booked().report('pay', 'failed'), 'hotel', 'failed'), 'flight')
    play.takes({ type: 'resume' })
    expect([play.steps, play.undone]).toEqual([
      'hotel:succeeded flight:running pay:pending',
      'hotel:pending flight:pending',
    ])
    play.report('flight', 'succeeded').report('pay', 'failed')
    expect([play.begun.at(-1), undo(play, 'flight').begun.at(-1)]).toEqual([
      'flight:compensate#2',
      'hotel:compensate#2',
    ])
  })

  test('compensates what was done again after what was done before, first', () => {
    const play = new Play({ a: { undo: true }, b: { undo: true }, c: { undo: true }, pay: { after: ['a', 'b', 'c'] } })
    play.report('b', 'succeeded').report('a', 'succeeded').report('c', 'succeeded').report('pay', 'failed')
    undo(undo(undo(play, 'c', 'failed'), 'a'), 'b').takes({ type: 'resume' })
    play.report('a', 'succeeded').report('b', 'succeeded').report('pay', 'failed')
    undo(undo(undo(play, 'b'), 'a'), 'c')
    expect([play.state, play.begun.slice(-3)]).toEqual([
      'failed',
      ['b:compensate#2', 'a:compensate#2', 'c:compensate#2'],
    ])
  })

  test('compensates a step whose outcome becomes known later', () => {
    const play = new Play({ a: { undo: true }, b: {} }).report('a', 'unknown').report('b', 'failed')
    expect(play.state).toBe('failed')
    expect([play.takes(resolution('succeeded')).state, play.undone]).toEqual(['running', 'a:running'])
    expect(undo(play, 'a').state).toBe('failed')
  })
})

test('an output that is made again counts once', () => {
  const play = new Play({ a: { undo: true }, b: { after: ['a'] } }, { bytes: 2 }).report('a', 'succeeded', {
    bytes: 100,
  })
  undo(play.report('b', 'failed'), 'a').takes({ type: 'resume' })
  expect(play.context.bytes).toBe(2)
  expect(play.report('a', 'succeeded', { bytes: 40 }).context.bytes).toBe(42)
})

describe('a run that is canceled', () => {
  test('compensates what has succeeded while it is canceling', () => {
    const play = booked().takes({ type: 'cancel' })
    expect([play.state, play.undone]).toEqual(['canceling', 'hotel:pending flight:pending'])
    expect([play.report('pay', 'failed').state, play.undone]).toEqual(['canceling', 'hotel:running flight:pending'])
    expect([undo(play, 'hotel').state, play.begun.at(-1)]).toEqual(['canceling', 'flight:compensate#1'])
    expect(undo(play, 'flight').state).toBe('canceled')
  })

  test('begins at once if nothing is open', () => {
    const play = new Play({ a: { undo: true }, b: { after: ['a'], sleepMs: 500 } }).report('a', 'succeeded')
    play.takes({ type: 'waits', stepId: 'b', attempt: 1 }).takes({ type: 'cancel' })
    expect([play.state, play.steps, play.begun.at(-1)]).toEqual([
      'canceling',
      'a:succeeded b:canceled',
      'a:compensate#1',
    ])
    expect(undo(play, 'a').state).toBe('canceled')
  })

  test('retries a compensation', () => {
    const play = new Play({ a: { undo: true, maxAttempts: 2, backoffMs: 50 }, b: { after: ['a'] } }).report(
      'a',
      'succeeded',
    )
    undo(play.takes({ type: 'cancel' }).report('b', 'succeeded'), 'a', 'failed')
    expect([play.state, play.decision.timersStarted]).toEqual(['canceling', [{ timer: 'lookAgain', delayMs: 50 }]])
    expect(play.takes({ type: 'lookAgain' }, 50).begun.at(-1)).toBe('a:compensate#2')
  })

  test('waits for the approval of a compensation, and does not withdraw it', () => {
    const play = undo(booked().report('pay', 'failed').takes({ type: 'cancel' }), 'hotel', 'pending_approval')
    expect([play.state, play.undone, play.effects]).toEqual(['canceling', 'hotel:waiting_approval flight:pending', []])
  })

  test('while it compensates a failure is canceled after it', () => {
    const play = booked().report('pay', 'failed').takes({ type: 'cancel' })
    expect([play.state, play.undone]).toEqual(['canceling', 'hotel:running flight:pending'])
    expect(undo(undo(play, 'hotel'), 'flight').state).toBe('canceled')
  })
})

test('a run that is completed compensates nothing', () => {
  const play = booked().report('pay', 'succeeded')
  expect([play.state, play.undone]).toEqual(['completed', 'hotel:pending flight:pending'])
})
