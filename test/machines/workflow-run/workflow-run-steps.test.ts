/** When the steps of a workflow begin, are retried and fail, and what they output. Source: contract 6. */
import { describe, expect, test } from 'bun:test'
import { workflowBytesMax } from '../../../machines/workflow-run.ts'
import { cause, chain, Play, refused, report, startedAt } from './workflow-runs.ts'

describe('steps begin', () => {
  test('at the start, each step without dependencies once', () => {
    const play = new Play({ a: {}, b: {}, c: { after: ['a'] } })
    expect(play.steps).toBe('a:running b:running c:pending')
    expect(play.begun).toEqual(['a#1', 'b#1'])
    expect(play.step('a').startedAt).toBe(startedAt)
  })

  test('as soon as all their dependencies are done: a diamond', () => {
    const play = new Play({ a: {}, b: { after: ['a'] }, c: { after: ['a'] }, d: { after: ['b', 'c'] } })
    play.report('a', 'succeeded')
    expect(play.begun).toEqual(['a#1', 'b#1', 'c#1'])
    play.report('c', 'succeeded')
    expect(play.steps).toBe('a:succeeded b:running c:succeeded d:pending')
    play.report('b', 'succeeded')
    expect(play.begun).toEqual(['a#1', 'b#1', 'c#1', 'd#1'])
    expect(play.report('d', 'succeeded').state).toBe('completed')
    expect(play.context.endedAt).toBe(play.at)
  })

  test('while others wait for approvals; with nothing else outstanding the run is waiting', () => {
    const play = new Play({ a: {}, b: {}, c: { after: ['b'] } })
    expect(play.report('a', 'pending_approval').state).toBe('running')
    play.report('b', 'succeeded')
    expect(play.begun).toEqual(['a#1', 'b#1', 'c#1'])
    expect(play.report('c', 'succeeded').state).toBe('waiting')
    expect(play.report('a', 'running').state).toBe('running')
    expect(play.report('a', 'succeeded').state).toBe('completed')
  })

  test('once, whatever is repeated', () => {
    const play = new Play(chain).report('a', 'succeeded')
    const { context } = play
    play.takes(report('succeeded')).takes(report('failed')).takes(report('unknown'))
    expect(play.context).toBe(context)
    expect(play.begun).toEqual(['a#1', 'b#1'])
  })
})

describe('a failed step', () => {
  test('is retried after its delay, and not before', () => {
    const play = new Play({ a: { maxAttempts: 3, backoffMs: 500 }, b: { after: ['a'] } }).report('a', 'failed')
    expect(play.steps).toBe('a:pending b:pending')
    expect(play.decision.timersStarted).toEqual([{ timer: 'lookAgain', delayMs: 500 }])
    play.takes({ type: 'lookAgain' }, 500)
    expect(play.begun).toEqual(['a#1', 'a#2'])
    expect(play.step('a')).toMatchObject({ state: 'running', attempts: 2, startedAt })
    expect(play.report('a', 'succeeded').step('a')).toMatchObject({ state: 'succeeded', error: null })
  })

  test('is retried as often as allowed', () => {
    const play = new Play({ a: { maxAttempts: 2 } }).report('a', 'failed')
    expect(play.begun).toEqual(['a#1', 'a#2'])
    expect(play.report('a', 'failed').state).toBe('failed')
    expect(play.step('a')).toMatchObject({ state: 'failed', attempts: 2, error: { message: 'a is failed.' } })
    expect(play.context.cause).toEqual({ code: 'step_failed', message: 'Step a failed: a is failed.' })
  })

  test('is retried at its own time among several', () => {
    const plan = { a: { maxAttempts: 2, backoffMs: 1_000 }, b: { maxAttempts: 2, backoffMs: 100 } }
    const play = new Play(plan).report('a', 'failed').report('b', 'failed')
    expect(play.decision.timersStarted).toEqual([{ timer: 'lookAgain', delayMs: 100 }])
    play.takes({ type: 'lookAgain' }, 100)
    expect(play.begun).toEqual(['a#1', 'b#1', 'b#2'])
    expect(play.decision.timersStarted).toEqual([{ timer: 'lookAgain', delayMs: 899 }])
    play.takes({ type: 'lookAgain' }, 899)
    expect(play.begun).toEqual(['a#1', 'b#1', 'b#2', 'a#2'])
  })

  test.each(['rejected', 'refused'])('that was %s is not retried', (how) => {
    const play = new Play({ a: { maxAttempts: 5 } })
    if (how === 'refused') play.takes(refused)
    else play.report('a', 'rejected')
    expect(play.state).toBe('failed')
    expect(play.step('a').attempts).toBe(1)
  })

  test('ends the run when begun steps have ended; the rest is skipped', () => {
    const play = new Play({ a: {}, b: {}, c: { after: ['b'] } }).report('a', 'failed')
    expect([play.state, play.steps]).toEqual(['running', 'a:failed b:running c:skipped'])
    expect([play.report('b', 'succeeded').state, play.steps]).toEqual(['failed', 'a:failed b:succeeded c:skipped'])
  })

  test('withdraws the approvals of others', () => {
    const play = new Play({ a: {}, b: {} }).report('b', 'pending_approval').report('a', 'failed')
    expect(play.state).toBe('running')
    expect(play.effects).toContain('withdrawApprovals')
    expect([play.report('b', 'rejected').state, play.steps]).toEqual(['failed', 'a:failed b:canceled'])
  })

  test('withdraws an approval that is requested later', () => {
    const play = new Play({ a: {}, b: {} }).report('a', 'failed').report('b', 'pending_approval')
    expect(play.effects).toContain('withdrawApprovals')
  })

  test('that is ignored lets its dependents continue', () => {
    const play = new Play({ a: { continues: true }, b: { after: ['a'] } }).report('a', 'failed')
    expect(play.steps).toBe('a:failed b:running')
    expect(play.report('b', 'succeeded').state).toBe('completed')
  })
})

describe('a step whose condition does not hold', () => {
  const leftOut = { type: 'leftOut', stepId: 'a', attempt: 1 } as const

  test('is skipped, and those after it run', () => {
    const play = new Play(chain).takes(leftOut)
    expect([play.state, play.steps]).toEqual(['running', 'a:skipped b:running'])
    expect(play.step('a')).toMatchObject({ attempts: 0, startedAt: null, endedAt: play.at, error: null })
    expect(play.report('b', 'succeeded').state).toBe('completed')
  })

  test('stays so when the run is resumed', () => {
    const play = new Play(chain).takes(leftOut).report('b', 'failed')
    expect(play.state).toBe('failed')
    expect(play.takes({ type: 'resume' }).steps).toBe('a:skipped b:running')
  })

  test('is skipped once: a repeated or late report says nothing new', () => {
    const play = new Play(chain).takes(leftOut)
    const { context } = play
    expect(play.takes(leftOut).takes(report('succeeded')).context).toBe(context)
    expect(new Play(chain).report('a', 'succeeded').takes(leftOut).steps).toBe('a:succeeded b:running')
  })
})

describe('an output', () => {
  test('is rendered when the last step is done', () => {
    const play = new Play({ a: {} }, { hasOutput: true }).report('a', 'succeeded')
    expect([play.state, play.effects.includes('renderOutput')]).toEqual(['running', true])
    expect(play.takes({ type: 'rendered' }).state).toBe('completed')
  })

  test('that cannot be stored fails the run, which cannot be resumed', () => {
    const play = new Play({ a: {} }, { hasOutput: true }).report('a', 'succeeded')
    expect(play.takes({ type: 'renderingFailed', cause }).state).toBe('failed')
    expect(play.context.cause).toEqual(cause)
    expect(play.tries({ type: 'resume' })).toBe(false)
  })

  test('of a step is kept while all outputs together have at most 1 MiB', () => {
    const play = new Play({ a: {}, b: {} }, { bytes: 10 })
    play.report('a', 'succeeded', { bytes: workflowBytesMax - 10 })
    expect(play.step('a').state).toBe('succeeded')
    play.report('b', 'succeeded', { bytes: 1 })
    expect(play.step('b')).toMatchObject({ state: 'failed', error: { code: 'output_too_large' } })
  })
})
