/** Runs of a workflow that are canceled, or resumed. Source: contract 6. */
import { describe, expect, test } from 'bun:test'
import { Play } from './workflow-runs.ts'

describe('a canceled run', () => {
  test('lets begun steps end, and begins nothing more', () => {
    const play = new Play({ a: { maxAttempts: 3 }, b: { after: ['a'] } }).takes({ type: 'cancel' })
    expect([play.state, play.steps]).toEqual(['canceling', 'a:running b:canceled'])
    expect([play.report('a', 'failed').state, play.steps]).toEqual(['canceled', 'a:failed b:canceled'])
    expect(play.begun).toEqual(['a#1'])
  })

  test('withdraws its approvals, and is canceled once they are withdrawn', () => {
    const play = new Play({ a: {} }).report('a', 'pending_approval').takes({ type: 'cancel' })
    expect([play.state, play.effects]).toEqual(['canceling', ['withdrawApprovals']])
    expect([play.report('a', 'rejected').state, play.steps]).toEqual(['canceled', 'a:canceled'])
  })

  test('withdraws an approval that is requested later', () => {
    const play = new Play({ a: {}, b: {} }).report('a', 'pending_approval').takes({ type: 'cancel' })
    expect(play.report('b', 'pending_approval').effects).toEqual(['withdrawApprovals'])
  })

  test('accepts an approval that was decided first', () => {
    const play = new Play({ a: {} }).report('a', 'pending_approval').takes({ type: 'cancel' }).report('a', 'running')
    expect(play.state).toBe('canceling')
    expect([play.report('a', 'succeeded').state, play.steps]).toEqual(['canceled', 'a:succeeded'])
  })

  test('is canceled at once while it waits for another attempt', () => {
    const play = new Play({ a: { maxAttempts: 2, backoffMs: 50 } }).report('a', 'failed').takes({ type: 'cancel' })
    expect([play.state, play.steps]).toEqual(['canceled', 'a:canceled'])
  })
})

describe('a run with a step that runs a workflow', () => {
  const above = { a: { workflow: 'refund' }, b: {} }

  test('withdraws it when it fails, and waits for its end', () => {
    const play = new Play(above).report('b', 'failed')
    expect([play.state, play.effects]).toEqual(['running', ['withdrawApprovals', 'beginSteps']])
    expect([play.report('a', 'rejected').state, play.steps]).toEqual(['failed', 'a:canceled b:failed'])
  })

  test('tells the run above it about its own end', () => {
    expect(new Play({ a: {} }).report('a', 'succeeded').effects).toContain('tellParent')
    expect(new Play({ a: {} }).report('a', 'failed').effects).toContain('tellParent')
    expect(new Play({ a: {} }).takes({ type: 'cancel' }).report('a', 'succeeded').effects).toContain('tellParent')
  })
})

describe('a resumed run', () => {
  test('continues with the unfinished steps, with all their attempts reset', () => {
    const play = new Play({ a: {}, b: { maxAttempts: 2, backoffMs: 50 }, c: { after: ['b'] } })
    play.report('a', 'succeeded').report('b', 'failed').takes({ type: 'lookAgain' }, 50).report('b', 'failed')
    expect(play.state).toBe('failed')
    play.takes({ type: 'resume' })
    expect(play.steps).toBe('a:succeeded b:running c:pending')
    expect(play.context).toMatchObject({ cause: null, endedAt: null })
    expect(play.report('b', 'failed').steps).toBe('a:succeeded b:pending c:pending')
    expect(play.takes({ type: 'lookAgain' }, 50).begun).toEqual(['a#1', 'b#1', 'b#2', 'b#3', 'b#4'])
  })

  test('requests a withdrawn approval again', () => {
    const play = new Play({ a: {}, b: {} })
      .report('b', 'pending_approval')
      .report('a', 'failed')
      .report('b', 'rejected')
    expect(play.takes({ type: 'resume' }).begun).toEqual(['a#1', 'b#1', 'a#2', 'b#2'])
  })
})
