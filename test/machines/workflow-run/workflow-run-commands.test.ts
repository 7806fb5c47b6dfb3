/** Runs of a workflow that are canceled, or resumed. Source: contract 6. */
import { describe, expect, test } from 'bun:test'
import { Play } from './workflow-runs.ts'

describe('a run that is canceled', () => {
  test('lets what has begun come to its end, and begins nothing more', () => {
    const play = new Play({ a: { maxAttempts: 3 }, b: { after: ['a'] } }).takes({ type: 'cancel' })
    expect([play.state, play.steps]).toEqual(['canceling', 'a:running b:canceled'])
    expect([play.report('a', 'failed').state, play.steps]).toEqual(['canceled', 'a:failed b:canceled'])
    expect(play.begun).toEqual(['a#1'])
  })

  test('takes back its approvals, and is canceled when they are', () => {
    const play = new Play({ a: {} }).report('a', 'pending_approval').takes({ type: 'cancel' })
    expect([play.state, play.effects]).toEqual(['canceling', ['withdrawApprovals']])
    expect([play.report('a', 'rejected').state, play.steps]).toEqual(['canceled', 'a:canceled'])
  })

  test('takes back an approval that is asked for later', () => {
    const play = new Play({ a: {}, b: {} }).report('a', 'pending_approval').takes({ type: 'cancel' })
    expect(play.report('b', 'pending_approval').effects).toEqual(['withdrawApprovals'])
  })

  test('lets an approval that was faster have its way', () => {
    const play = new Play({ a: {} }).report('a', 'pending_approval').takes({ type: 'cancel' }).report('a', 'running')
    expect(play.state).toBe('canceling')
    expect([play.report('a', 'succeeded').state, play.steps]).toEqual(['canceled', 'a:succeeded'])
  })

  test('while it waits for another attempt is canceled at once', () => {
    const play = new Play({ a: { maxAttempts: 2, backoffMs: 50 } }).report('a', 'failed').takes({ type: 'cancel' })
    expect([play.state, play.steps]).toEqual(['canceled', 'a:canceled'])
  })
})

describe('a failed run that is resumed', () => {
  test('goes on with what has not come to a good end, all attempts before it', () => {
    const play = new Play({ a: {}, b: { maxAttempts: 2, backoffMs: 50 }, c: { after: ['b'] } })
    play.report('a', 'succeeded').report('b', 'failed').takes({ type: 'lookAgain' }, 50).report('b', 'failed')
    expect(play.state).toBe('failed')
    play.takes({ type: 'resume' })
    expect(play.steps).toBe('a:succeeded b:running c:pending')
    expect(play.context).toMatchObject({ cause: null, endedAt: null })
    expect(play.report('b', 'failed').steps).toBe('a:succeeded b:pending c:pending')
    expect(play.takes({ type: 'lookAgain' }, 50).begun).toEqual(['a#1', 'b#1', 'b#2', 'b#3', 'b#4'])
  })

  test('asks again for an approval that was taken back', () => {
    const play = new Play({ a: {}, b: {} })
      .report('b', 'pending_approval')
      .report('a', 'failed')
      .report('b', 'rejected')
    expect(play.takes({ type: 'resume' }).begun).toEqual(['a#1', 'b#1', 'a#2', 'b#2'])
  })
})
