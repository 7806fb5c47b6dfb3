/** Runs of a workflow with a step whose outcome is unknown. Source: contract 6. */
import { describe, expect, test } from 'bun:test'
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
    expect(play.takes(resolution('succeeded', 'b')).state).toBe('failed')
    expect(play.takes({ type: 'resume' }).steps).toBe('a:running b:succeeded')
  })

  test('fails when a begun step also fails', () => {
    const play = new Play(split).report('a', 'unknown').report('b', 'failed')
    expect([play.state, play.steps]).toEqual(['failed', 'a:unknown b:failed c:skipped'])
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
