import { describe, expect, test } from 'bun:test'
import { workflowBytesMax } from '../../machines/workflow-run.ts'
import { Play, type Played, startedAt, table } from './workflow-runs.ts'

/**
 * Typed from contract 6: a state downwards, an event across. The workflow has the steps a and b, b waits for a; the reports
 * are about the first attempt of a. The entry is the next state, `.` 409. `late` is a report of another attempt.
 */
const rows = `
           goesOn     asked      succeeded  failed    rejected  lost      refused   late       rendered  tooLarge  cancel     isDone   isFailed  again    other  resume   lookAgain
running    running    waiting    running    failed    failed    unknown   failed    running    .         .         canceling  .        .         .        .      .        running
waiting    running    waiting    running    failed    failed    unknown   failed    waiting    .         .         canceling  .        .         .        .      .        waiting
unknown    unknown    unknown    unknown    unknown   unknown   unknown   unknown   unknown    .         .         canceled   unknown  failed    unknown  .      .        unknown
canceling  canceling  canceling  canceled   canceled  canceled  canceled  canceled  canceling  .         .         canceling  .        .         .        .      .        canceling
completed  .          .          .          .         .         .         .         .          .         .         completed  .        .         .        .      .        .
failed     .          .          .          .         .         .         .         .          .         .         failed     .        .         .        .      running  .
canceled   .          .          .          .         .         .         .         .          .         .         canceled   .        .         .        .      .        .
`

const [header = '', ...lines] = rows.trim().split('\n')
const columns = header.trim().split(/\s+/)
const cells = lines.flatMap((line) => {
  const [given = '', ...entries] = line.trim().split(/\s+/)
  return entries.map((next, index) => ({ given, event: columns[index] as string, next }))
})

const cause = { code: 'tool_error', message: 'No.' }
const report = (invocation: string, attempt = 1) =>
  ({ type: 'reported', stepId: 'a', attempt, invocation, bytes: 1, cause }) as Played
const resolution = (outcome: 'succeeded' | 'failed' | 'retry', stepId = 'a') =>
  ({ type: 'resolveUnknown', stepId, outcome, bytes: 1 }) as const
const events: Record<string, Played | { type: 'lookAgain' }> = {
  goesOn: report('running'),
  asked: report('pending_approval'),
  succeeded: report('succeeded'),
  failed: report('failed'),
  rejected: report('rejected'),
  lost: report('unknown'),
  refused: { type: 'refused', stepId: 'a', attempt: 1, cause },
  late: report('succeeded', 2),
  rendered: { type: 'rendered' },
  tooLarge: { type: 'renderingFailed', cause },
  cancel: { type: 'cancel' },
  isDone: resolution('succeeded'),
  isFailed: resolution('failed'),
  again: resolution('retry'),
  other: resolution('succeeded', 'b'),
  resume: { type: 'resume' },
  lookAgain: { type: 'lookAgain' },
}

const chain = { a: {}, b: { after: ['a'] } }
const given: Record<string, () => Play> = {
  running: () => new Play(chain),
  waiting: () => new Play(chain).report('a', 'pending_approval'),
  unknown: () => new Play(chain).report('a', 'unknown'),
  canceling: () => new Play(chain).takes({ type: 'cancel' }),
  completed: () => new Play(chain).report('a', 'succeeded').report('b', 'succeeded'),
  failed: () => new Play(chain).report('a', 'failed'),
  canceled: () => new Play(chain).report('a', 'succeeded').takes({ type: 'cancel' }).report('b', 'succeeded'),
}

test.each(cells)('$given, on $event: $next', ({ given: state, event, next }) => {
  const play = given[state]!()
  expect(play.state as string).toBe(state)
  expect(play.tries(events[event]!) ? play.state : '.').toBe(next)
})

test('the rows name every state and every event of the machine', () => {
  expect([...new Set(cells.map((cell) => cell.given))]).toEqual([...table.states])
  const named = new Set(Object.values(events).map(({ type }) => type))
  expect([...new Set([...table.rows.values()].flatMap((row) => [...row.keys()]))].sort()).toEqual([...named].sort())
})

describe('steps begin', () => {
  test('at the start those that wait for nothing, each once', () => {
    const play = new Play({ a: {}, b: {}, c: { after: ['a'] } })
    expect(play.steps).toBe('a:running b:running c:pending')
    expect(play.begun).toEqual(['a#1', 'b#1'])
    expect(play.step('a').startedAt).toBe(startedAt)
  })

  test('as soon as all that they wait for is done: a diamond', () => {
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

  test('once, whatever is told again', () => {
    const play = new Play(chain).report('a', 'succeeded')
    const { context } = play
    play.takes(report('succeeded')).takes(report('failed')).takes(report('unknown'))
    expect(play.context).toBe(context)
    expect(play.begun).toEqual(['a#1', 'b#1'])
  })
})

describe('a step that has failed', () => {
  test('is tried again after its delay, and not before', () => {
    const play = new Play({ a: { maxAttempts: 3, backoffMs: 500 }, b: { after: ['a'] } }).report('a', 'failed')
    expect(play.steps).toBe('a:pending b:pending')
    expect(play.decision.armed).toEqual([{ timer: 'lookAgain', delayMs: 500 }])
    play.takes({ type: 'lookAgain' }, 500)
    expect(play.begun).toEqual(['a#1', 'a#2'])
    expect(play.step('a')).toMatchObject({ state: 'running', attempts: 2, startedAt })
    expect(play.report('a', 'succeeded').step('a')).toMatchObject({ state: 'succeeded', error: null })
  })

  test('as often as it may', () => {
    const play = new Play({ a: { maxAttempts: 2 } }).report('a', 'failed')
    expect(play.begun).toEqual(['a#1', 'a#2'])
    expect(play.report('a', 'failed').state).toBe('failed')
    expect(play.step('a')).toMatchObject({ state: 'failed', attempts: 2, error: { message: 'a is failed.' } })
    expect(play.context.cause).toEqual({ code: 'step_failed', message: 'Step a has failed: a is failed.' })
  })

  test('of several, each at its time', () => {
    const plan = { a: { maxAttempts: 2, backoffMs: 1_000 }, b: { maxAttempts: 2, backoffMs: 100 } }
    const play = new Play(plan).report('a', 'failed').report('b', 'failed')
    expect(play.decision.armed).toEqual([{ timer: 'lookAgain', delayMs: 100 }])
    play.takes({ type: 'lookAgain' }, 100)
    expect(play.begun).toEqual(['a#1', 'b#1', 'b#2'])
    expect(play.decision.armed).toEqual([{ timer: 'lookAgain', delayMs: 899 }])
    play.takes({ type: 'lookAgain' }, 899)
    expect(play.begun).toEqual(['a#1', 'b#1', 'b#2', 'a#2'])
  })

  test.each(['rejected', 'refused'])('because it was %s is not tried again', (how) => {
    const play = new Play({ a: { maxAttempts: 5 } })
    if (how === 'refused') play.takes(events.refused!)
    else play.report('a', 'rejected')
    expect(play.state).toBe('failed')
    expect(play.step('a').attempts).toBe(1)
  })

  test('ends the run when what has begun has ended; the rest is skipped', () => {
    const play = new Play({ a: {}, b: {}, c: { after: ['b'] } }).report('a', 'failed')
    expect([play.state, play.steps]).toEqual(['running', 'a:failed b:running c:skipped'])
    expect([play.report('b', 'succeeded').state, play.steps]).toEqual(['failed', 'a:failed b:succeeded c:skipped'])
  })

  test('takes back the approvals of others', () => {
    const play = new Play({ a: {}, b: {} }).report('b', 'pending_approval').report('a', 'failed')
    expect(play.state).toBe('running')
    expect(play.wishes).toContain('withdrawApprovals')
    expect([play.report('b', 'rejected').state, play.steps]).toEqual(['failed', 'a:failed b:canceled'])
  })

  test('takes back an approval that is asked for later', () => {
    const play = new Play({ a: {}, b: {} }).report('a', 'failed').report('b', 'pending_approval')
    expect(play.wishes).toContain('withdrawApprovals')
  })

  test('that nobody minds lets those that wait for it go on', () => {
    const play = new Play({ a: { continues: true }, b: { after: ['a'] } }).report('a', 'failed')
    expect(play.steps).toBe('a:failed b:running')
    expect(play.report('b', 'succeeded').state).toBe('completed')
  })
})

describe('an output', () => {
  test('is put together when the last step is done', () => {
    const play = new Play({ a: {} }, { hasOutput: true }).report('a', 'succeeded')
    expect([play.state, play.wishes.includes('renderOutput')]).toEqual(['running', true])
    expect(play.takes({ type: 'rendered' }).state).toBe('completed')
  })

  test('that cannot be kept fails the run, which cannot be resumed', () => {
    const play = new Play({ a: {} }, { hasOutput: true }).report('a', 'succeeded')
    expect(play.takes({ type: 'renderingFailed', cause }).state).toBe('failed')
    expect(play.context.cause).toEqual(cause)
    expect(play.tries({ type: 'resume' })).toBe(false)
  })

  test('of a step is kept while all together have at most 1 MiB', () => {
    const play = new Play({ a: {}, b: {} }, { bytes: 10 })
    play.report('a', 'succeeded', { bytes: workflowBytesMax - 10 })
    expect(play.step('a').state).toBe('succeeded')
    play.report('b', 'succeeded', { bytes: 1 })
    expect(play.step('b')).toMatchObject({ state: 'failed', error: { code: 'output_too_large' } })
  })
})

describe('a run with a step that nobody knows the end of', () => {
  const split = { a: {}, b: {}, c: { after: ['b'] } }

  test('begins nothing more; what has begun comes to its end', () => {
    const play = new Play(split).report('a', 'unknown').report('b', 'succeeded')
    expect([play.state, play.steps]).toEqual(['unknown', 'a:unknown b:succeeded c:pending'])
    expect(play.context.cause?.code).toBe('step_unknown')
  })

  test('waits for resume when it is resolved, and then goes on', () => {
    const play = new Play(split).report('a', 'unknown').report('b', 'succeeded').takes(resolution('succeeded'))
    expect([play.state, play.steps]).toEqual(['unknown', 'a:succeeded b:succeeded c:pending'])
    expect(play.takes({ type: 'resume' }).steps).toBe('a:succeeded b:succeeded c:running')
    expect(play.report('c', 'succeeded').state).toBe('completed')
  })

  test('is done with resume when it was the last step', () => {
    const play = new Play({ a: {} }).report('a', 'unknown').takes(resolution('succeeded'))
    expect(play.takes({ type: 'resume' }).state).toBe('completed')
  })

  test('cannot be resumed while another one is left', () => {
    const play = new Play({ a: {}, b: {} }).report('a', 'unknown').report('b', 'unknown').takes(resolution('retry'))
    expect(play.tries({ type: 'resume' })).toBe(false)
    expect(play.takes(resolution('succeeded', 'b')).takes({ type: 'resume' }).begun).toEqual(['a#1', 'b#1', 'a#2'])
  })

  test('fails at once with a step that has failed, and can be resumed', () => {
    const play = new Play(chain).report('a', 'unknown').takes(resolution('failed'))
    expect([play.state, play.steps]).toEqual(['failed', 'a:failed b:skipped'])
    expect(play.takes({ type: 'resume' }).steps).toBe('a:running b:pending')
    expect(play.begun).toEqual(['a#1', 'a#2'])
  })

  test('does not fail with one that nobody minds', () => {
    const play = new Play({ a: { continues: true }, b: { after: ['a'] } }).report('a', 'unknown')
    expect(play.takes(resolution('failed')).state).toBe('unknown')
    expect(play.takes({ type: 'resume' }).steps).toBe('a:failed b:running')
  })

  test('fails with another one unknown still, which can be resolved then', () => {
    const play = new Play({ a: {}, b: {} }).report('a', 'unknown').report('b', 'unknown').takes(resolution('failed'))
    expect([play.state, play.steps]).toEqual(['failed', 'a:failed b:unknown'])
    expect(play.tries({ type: 'resume' })).toBe(false)
    expect(play.takes(resolution('succeeded', 'b')).state).toBe('failed')
    expect(play.takes({ type: 'resume' }).steps).toBe('a:running b:succeeded')
  })

  test('fails when what has begun fails besides', () => {
    const play = new Play(split).report('a', 'unknown').report('b', 'failed')
    expect([play.state, play.steps]).toEqual(['failed', 'a:unknown b:failed c:skipped'])
  })

  test('that waited for another attempt of a step makes it when it is resumed', () => {
    const play = new Play({ a: {}, b: { maxAttempts: 2, backoffMs: 50 } }).report('a', 'unknown').report('b', 'failed')
    expect(play.steps).toBe('a:unknown b:pending')
    play.takes({ type: 'lookAgain' }, 1_000)
    expect(play.begun).toEqual(['a#1', 'b#1'])
    play.takes(resolution('succeeded')).takes({ type: 'resume' })
    expect(play.begun).toEqual(['a#1', 'b#1', 'b#2'])
  })
})

describe('a run that is canceled', () => {
  test('lets what has begun come to its end, and begins nothing more', () => {
    const play = new Play({ a: { maxAttempts: 3 }, b: { after: ['a'] } }).takes({ type: 'cancel' })
    expect([play.state, play.steps]).toEqual(['canceling', 'a:running b:canceled'])
    expect([play.report('a', 'failed').state, play.steps]).toEqual(['canceled', 'a:failed b:canceled'])
    expect(play.begun).toEqual(['a#1'])
  })

  test('takes back its approvals, and is canceled when they are', () => {
    const play = new Play({ a: {} }).report('a', 'pending_approval').takes({ type: 'cancel' })
    expect([play.state, play.wishes]).toEqual(['canceling', ['withdrawApprovals']])
    expect([play.report('a', 'rejected').state, play.steps]).toEqual(['canceled', 'a:canceled'])
  })

  test('takes back an approval that is asked for later', () => {
    const play = new Play({ a: {}, b: {} }).report('a', 'pending_approval').takes({ type: 'cancel' })
    expect(play.report('b', 'pending_approval').wishes).toEqual(['withdrawApprovals'])
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

test.each(['running', 'waiting', 'unknown', 'canceling'])(
  'whoever is outstanding is asked again after an hour: %s',
  (state) => {
    const play = new Play({ a: {}, b: {} }).report('a', 'pending_approval')
    if (state === 'waiting') play.report('b', 'succeeded')
    if (state === 'unknown') play.report('b', 'unknown')
    if (state === 'canceling') play.takes({ type: 'cancel' })
    expect(play.state as string).toBe(state)
    play.begun.length = 0
    play.takes({ type: 'lookAgain' }, 3_600_000)
    expect(play.state as string).toBe(state)
    expect(play.begun).toContain('a#1')
    expect(play.decision.armed).toEqual([{ timer: 'lookAgain', delayMs: 3_600_000 }])
  },
)
