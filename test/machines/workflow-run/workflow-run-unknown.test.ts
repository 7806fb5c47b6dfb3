/** Runs of a workflow with a step whose outcome is unknown. Source: contract 6. */
import { describe, expect, test } from 'bun:test'
import { compensationOf, isWanted } from '../../../machines/workflow-run.ts'
import { chain, Play, resolution } from './workflow-runs.ts'

describe('a run with a step of unknown outcome', () => {
  const split = { a: {}, b: {}, c: { after: ['b'] } }

  test('begins nothing more; begun steps come to an end', () => {
    const play = new Play(split).report('a', 'unknown').report('b', 'succeeded')
    expect([play.state, play.steps]).toEqual(['unknown', 'a:unknown b:succeeded c:pending'])
    expect(play.context.cause?.code).toBe('step_unknown')
  })

  test('waits for resume once it is resolved, and then continues', () => {
    const play = new Play(split).report('a', 'unknown').report('b', 'succeeded').takes(resolution('succeeded'))
    expect([play.state, play.steps]).toEqual(['unknown', 'a:succeeded b:succeeded c:pending'])
    expect(play.takes({ type: 'resume' }).steps).toBe('a:succeeded b:succeeded c:running')
    expect(play.report('c', 'succeeded').state).toBe('completed')
  })

  test('is completed by resume if it was the last step', () => {
    const play = new Play({ a: {} }).report('a', 'unknown').takes(resolution('succeeded'))
    expect(play.takes({ type: 'resume' }).state).toBe('completed')
  })

  test('cannot be resumed while another outcome is unknown', () => {
    const play = new Play({ a: {}, b: {} }).report('a', 'unknown').report('b', 'unknown').takes(resolution('retry'))
    expect(play.tries({ type: 'resume' })).toBe(false)
    expect(play.takes(resolution('succeeded', 'b')).takes({ type: 'resume' }).begun).toEqual(['a#1', 'b#1', 'a#2'])
  })

  test('is resolved for the attempt that was seen, and no later one', () => {
    const play = new Play({ a: {} }).report('a', 'unknown').takes(resolution('retry')).takes({ type: 'resume' })
    play.report('a', 'unknown')
    expect(play.tries({ ...resolution('succeeded'), attempt: 1 })).toBe(false)
    expect(play.takes({ ...resolution('succeeded'), attempt: 2 }).steps).toBe('a:succeeded')
  })

  test('fails at once with a failed step, and can be resumed', () => {
    const play = new Play(chain).report('a', 'unknown').takes(resolution('failed'))
    expect([play.state, play.steps]).toEqual(['failed', 'a:failed b:skipped'])
    expect(play.takes({ type: 'resume' }).steps).toBe('a:running b:pending')
    expect(play.begun).toEqual(['a#1', 'a#2'])
  })

  test('does not fail with an ignored step', () => {
    const play = new Play({ a: { continues: true }, b: { after: ['a'] } }).report('a', 'unknown')
    expect(play.takes(resolution('failed')).state).toBe('unknown')
    expect(play.takes({ type: 'resume' }).steps).toBe('a:failed b:running')
  })

  test('fails while another outcome is unknown, which can be resolved then', () => {
    const play = new Play({ a: {}, b: {} }).report('a', 'unknown').report('b', 'unknown').takes(resolution('failed'))
    expect([play.state, play.steps]).toEqual(['failed', 'a:failed b:unknown'])
    expect(play.tries({ type: 'resume' })).toBe(false)
    const { endedAt } = play.context
    expect(play.takes(resolution('succeeded', 'b')).state).toBe('failed')
    expect(play.context.endedAt).toBe(endedAt)
    expect(play.takes({ type: 'resume' }).steps).toBe('a:running b:succeeded')
  })

  test('fails when a begun step also fails', () => {
    const play = new Play(split).report('a', 'unknown').report('b', 'failed')
    expect([play.state, play.steps]).toEqual(['failed', 'a:unknown b:failed c:skipped'])
  })

  test('withdraws the approvals of others when a begun step fails', () => {
    const play = new Play({ a: {}, b: {}, c: {} }).report('a', 'unknown').report('b', 'pending_approval')
    play.report('c', 'failed')
    expect([play.state, play.steps, play.effects]).toEqual([
      'running',
      'a:unknown b:waiting_approval c:failed',
      ['withdrawApprovals', 'beginSteps'],
    ])
  })

  test('repeats a step that waited for another attempt when it is resumed', () => {
    const play = new Play({ a: {}, b: { maxAttempts: 2, backoffMs: 50 } }).report('a', 'unknown').report('b', 'failed')
    expect(play.steps).toBe('a:unknown b:pending')
    play.takes({ type: 'lookAgain' }, 1_000)
    expect(play.begun).toEqual(['a#1', 'b#1'])
    play.takes(resolution('succeeded')).takes({ type: 'resume' })
    expect(play.begun).toEqual(['a#1', 'b#1', 'b#2'])
  })
})

describe('the outcome of an attempt is wanted', () => {
  const wanted = ({ context }: Play, stepId: string, attempt = 1) => isWanted(context, { stepId, attempt })

  test('while the step waits for it, and no longer once there is another attempt', () => {
    const play = new Play({ a: {} }).report('a', 'unknown')
    expect([wanted(play, 'a'), wanted(play, 'a', 2)]).toEqual([true, false])
    play.takes(resolution('retry')).takes({ type: 'resume' })
    expect([wanted(play, 'a'), wanted(play, 'a', 2)]).toEqual([false, true])
    expect(wanted(play.report('a', 'unknown').takes({ type: 'cancel' }), 'a', 2)).toBe(false)
  })

  test('of a compensation only while it runs', () => {
    const play = new Play({ a: { undo: true }, b: {} }).report('a', 'succeeded').takes({ type: 'cancel' })
    play.report('b', 'succeeded')
    expect(wanted(play, compensationOf('a'))).toBe(true)
    expect(wanted(play.report(compensationOf('a'), 'unknown'), compensationOf('a'))).toBe(false)
    const failed = new Play({ a: { undo: true }, b: {} }).report('a', 'succeeded').report('b', 'failed')
    expect(wanted(failed.report(compensationOf('a'), 'unknown'), compensationOf('a'))).toBe(false)
  })
})
