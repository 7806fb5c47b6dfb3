/** Steps of a workflow that are done for each item of a list. Source: contract 14, "Workflows". */
import { describe, expect, test } from 'bun:test'
import { workflowElementsMax } from '../../../machines/workflow-run.ts'
import { cause, Play, type Played, resolution, type StepGiven } from './workflow-runs.ts'

const counted = (count: number, attempt = 1) => ({ type: 'counted', stepId: 'a', attempt, count }) as Played
const listed = (more: StepGiven = {}) => new Play({ a: { concurrency: 2, ...more }, b: { after: ['a'] } })

describe('a step with a list', () => {
  test('begins as many elements as may run at once, and ends with the last', () => {
    const play = listed().takes(counted(3))
    expect([play.steps, play.elements('a')]).toEqual(['a:running b:pending', 'running running pending'])
    expect(play.begun).toEqual(['a#1', 'a.0#1', 'a.1#1'])
    expect(play.report('a.1', 'succeeded').elements('a')).toBe('running succeeded running')
    play.report('a.0', 'succeeded').report('a.2', 'succeeded')
    expect([play.steps, play.begun]).toEqual(['a:succeeded b:running', ['a#1', 'a.0#1', 'a.1#1', 'a.2#1', 'b#1']])
    expect(play.report('b', 'succeeded').state).toBe('completed')
  })

  test('that is empty ends at once', () => {
    expect(listed().takes(counted(0)).steps).toBe('a:succeeded b:running')
  })

  test('is counted once', () => {
    const play = listed().takes(counted(2))
    const { context } = play
    expect(play.takes(counted(2)).takes(counted(3)).context).toBe(context)
  })

  test('retries each element by itself', () => {
    const play = listed({ maxAttempts: 2, backoffMs: 50 }).takes(counted(2)).report('a.0', 'failed')
    expect([play.elements('a'), play.decision.timersStarted]).toEqual([
      'pending running',
      [{ timer: 'lookAgain', delayMs: 50 }],
    ])
    play.takes({ type: 'lookAgain' }, 50)
    expect([play.begun.at(-1), play.step('a').attempts]).toEqual(['a.0#2', 1])
  })

  test('fails with one element: running ones end, and the rest is skipped', () => {
    const play = listed().takes(counted(4)).report('a.1', 'failed')
    expect([play.state, play.elements('a')]).toEqual(['running', 'running failed skipped skipped'])
    expect([play.report('a.0', 'succeeded').state, play.steps]).toEqual(['failed', 'a:failed b:skipped'])
    expect(play.context.cause?.message).toBe('Step a failed: Element a.1 failed: a.1 is failed.')
  })

  describe('that fails while other elements wait for approvals', () => {
    const withdraws = (play: Play) => play.effects.includes('withdrawApprovals')
    const asked = (more: StepGiven = {}) =>
      listed({ concurrency: 3, ...more })
        .takes(counted(3))
        .report('a.0', 'pending_approval')

    test('withdraws them, and ends with them', () => {
      const play = asked().report('a.2', 'succeeded').report('a.1', 'failed')
      expect([play.state, play.elements('a'), withdraws(play)]).toEqual([
        'running',
        'waiting_approval failed succeeded',
        true,
      ])
      expect([play.report('a.0', 'rejected').state, play.elements('a')]).toEqual([
        'failed',
        'canceled failed succeeded',
      ])
    })

    test('withdraws one that is asked for later', () => {
      const play = asked().report('a.1', 'failed').report('a.0', 'rejected')
      expect([withdraws(play), withdraws(play.report('a.2', 'pending_approval'))]).toEqual([false, true])
      expect([play.report('a.2', 'rejected').state, play.elements('a')]).toEqual(['failed', 'canceled failed canceled'])
    })

    test('withdraws none of other steps', () => {
      const play = new Play({ a: { concurrency: 2, continues: true }, c: {} })
      play.report('c', 'pending_approval').takes(counted(2)).report('a.0', 'failed')
      expect([withdraws(play), play.state]).toEqual([false, 'running'])
      play.report('a.1', 'pending_approval')
      expect([withdraws(play), play.state]).toEqual([true, 'running'])
      expect([play.report('a.1', 'rejected').state, play.steps]).toEqual(['waiting', 'a:failed c:waiting_approval'])
    })

    test('withdraws them also while an outcome is unknown', () => {
      const play = asked().report('a.2', 'unknown')
      expect([play.state, withdraws(play)]).toEqual(['unknown', false])
      play.report('a.1', 'failed')
      expect([play.state, withdraws(play)]).toEqual(['unknown', true])
      expect([play.report('a.0', 'rejected').elements('a'), play.state]).toEqual(['canceled failed unknown', 'unknown'])
      expect(play.takes(resolution('succeeded', 'a.2')).state).toBe('failed')
    })

    test('cancels the child workflows of others', () => {
      const play = listed({ workflow: 'other' }).takes(counted(2)).report('a.0', 'failed')
      expect([withdraws(play), play.report('a.1', 'rejected').elements('a')]).toEqual([true, 'failed canceled'])
    })
  })

  test('whose failure is ignored lets others continue', () => {
    const play = listed({ continues: true }).takes(counted(1)).report('a.0', 'failed')
    expect(play.steps).toBe('a:failed b:running')
    expect(play.report('b', 'failed').takes({ type: 'resume' }).steps).toBe('a:failed b:running')
  })

  test('does again only what has not succeeded when it is resumed', () => {
    const play = listed()
      .takes(counted(3))
      .report('a.0', 'succeeded')
      .report('a.1', 'failed')
      .report('a.2', 'succeeded')
    expect(play.state).toBe('failed')
    play.takes({ type: 'resume' }).takes(counted(3, 2))
    expect([play.elements('a'), play.begun.at(-1)]).toEqual(['succeeded running succeeded', 'a.1#2'])
    expect(play.report('a.1', 'succeeded').steps).toBe('a:succeeded b:running')
  })

  const halfDone = (more: StepGiven = {}) =>
    listed(more).takes(counted(3)).report('a.1', 'failed').report('a.0', 'succeeded').takes({ type: 'resume' })

  test('does further elements if its list has become longer when it is resumed', () => {
    const play = halfDone().takes(counted(4, 2))
    expect([play.elements('a'), play.begun.slice(-2)]).toEqual([
      'succeeded running running pending',
      ['a.1#2', 'a.2#1'],
    ])
    play.report('a.1', 'succeeded').report('a.2', 'succeeded').report('a.3', 'succeeded')
    expect([play.steps, play.elements('a')]).toEqual([
      'a:succeeded b:running',
      'succeeded succeeded succeeded succeeded',
    ])
  })

  test('skips elements if its list has become shorter when it is resumed, and does them if it is longer again', () => {
    const play = halfDone().takes(counted(2, 2))
    expect([play.elements('a'), play.begun.at(-1)]).toEqual(['succeeded running skipped', 'a.1#2'])
    play.report('a.1', 'failed').takes({ type: 'resume' }).takes(counted(3, 3))
    expect([play.elements('a'), play.begun.slice(-2)]).toEqual(['succeeded running running', ['a.1#3', 'a.2#1']])
    play.report('a.1', 'succeeded').report('a.2', 'failed')
    expect([play.state, play.elements('a')]).toEqual(['failed', 'succeeded succeeded failed'])
    const shorter = halfDone().takes(counted(1, 2))
    expect([shorter.steps, shorter.elements('a')]).toEqual(['a:succeeded b:running', 'succeeded skipped skipped'])
  })

  test('that is left out or cannot be done when it is resumed skips its elements', () => {
    const play = halfDone().takes({ type: 'leftOut', stepId: 'a', attempt: 2 })
    expect([play.steps, play.elements('a')]).toEqual(['a:skipped b:running', 'succeeded skipped skipped'])
    expect(play.report('b', 'succeeded').state).toBe('completed')
    const refused = new Play({ a: { concurrency: 2, continues: true }, b: {} })
    refused.takes(counted(3)).report('b', 'failed').report('a.0', 'succeeded').report('a.1', 'succeeded')
    expect([refused.state, refused.steps, refused.elements('a')]).toEqual([
      'failed',
      'a:canceled b:failed',
      'succeeded succeeded skipped',
    ])
    refused.takes({ type: 'resume' }).takes({ type: 'refused', stepId: 'a', attempt: 2, cause })
    expect([refused.report('b', 'succeeded').state, refused.elements('a')]).toEqual([
      'completed',
      'succeeded succeeded skipped',
    ])
  })

  test('waits while all of its running elements wait for approvals', () => {
    const play = listed().takes(counted(1)).report('a.0', 'pending_approval')
    expect(play.state).toBe('waiting')
    expect(play.report('a.0', 'running').state).toBe('running')
  })

  test('stops the run with an element whose outcome is unknown, until it is resolved', () => {
    const play = listed().takes(counted(3)).report('a.0', 'unknown').report('a.1', 'succeeded')
    expect([play.state, play.elements('a')]).toEqual(['unknown', 'unknown succeeded pending'])
    play.takes(resolution('succeeded', 'a.0')).takes({ type: 'resume' })
    expect([play.state, play.elements('a')]).toEqual(['running', 'succeeded succeeded running'])
  })

  test('does not hold up a run that ends with an element whose outcome is unknown', () => {
    const play = listed().takes(counted(1)).report('a.0', 'unknown').takes({ type: 'cancel' })
    expect([play.state, play.steps]).toEqual(['canceled', 'a:canceled b:canceled'])
    const failing = new Play({ a: { concurrency: 2 }, c: {} }).takes(counted(1)).report('a.0', 'unknown')
    expect([failing.report('c', 'failed').state, failing.steps]).toEqual(['failed', 'a:canceled c:failed'])
    failing.takes(resolution('succeeded', 'a.0')).takes({ type: 'resume' }).takes(counted(1, 2))
    expect(failing.steps).toBe('a:succeeded c:running')
  })

  test('is canceled with the run', () => {
    const play = listed().takes(counted(3)).takes({ type: 'cancel' })
    expect([play.state, play.elements('a')]).toEqual(['canceling', 'running running canceled'])
    expect([play.report('a.0', 'succeeded').report('a.1', 'succeeded').state, play.steps]).toEqual([
      'canceled',
      'a:canceled b:canceled',
    ])
    const early = listed().takes({ type: 'cancel' }).takes(counted(2))
    expect([early.state, early.elements('a')]).toEqual(['canceled', 'canceled canceled'])
  })

  test('with more elements than a run may have fails', () => {
    const play = new Play({ a: { concurrency: 1 }, b: { concurrency: 1 } }).takes(counted(workflowElementsMax))
    play.takes({ type: 'counted', stepId: 'b', attempt: 1, count: 1 })
    expect(play.step('b')).toMatchObject({ state: 'failed', error: { code: 'too_many_elements' } })
  })

  test('counts the elements that it has already once when it is resumed', () => {
    const play = listed().takes(counted(workflowElementsMax)).report('a.0', 'failed').report('a.1', 'succeeded')
    expect(play.state).toBe('failed')
    play.takes({ type: 'resume' }).takes(counted(workflowElementsMax, 2))
    expect([play.steps, play.begun.slice(-2)]).toEqual(['a:running b:pending', ['a.0#2', 'a.2#1']])
  })
})
