import { expect, test } from 'bun:test'
import type { WorkflowRunContext } from '../../../machines/workflow-run.ts'
import { decide } from '../../../src/runtime/decisions/decide.ts'
import { movesOf } from '../move-table.ts'
import { cause, chain, Play, type Played, refused, report, resolution, startedAt, table } from './workflow-runs.ts'

/**
 * From contract 6: states in rows, events in columns. The workflow has the steps a and b, b depends on a; the reports
 * are about the first attempt of a. The entry is the next state, `.` 409. `late` is a report of another attempt.
 */
const rows = `
           continues  asked      succeeded  failed    rejected  lost      refused   leftOut    waits      counted    late       rendered  tooLarge  cancel     isDone   isFailed  again    other  resume   lookAgain
running    running    waiting    running    failed    failed    unknown   failed    running    waiting    running    running    .         .         canceling  .        .         .        .      .        running
waiting    running    waiting    running    failed    failed    unknown   failed    running    waiting    waiting    waiting    .         .         canceling  .        .         .        .      .        waiting
unknown    unknown    unknown    unknown    unknown   unknown   unknown   unknown   unknown    unknown    unknown    unknown    .         .         canceled   unknown  failed    unknown  .      .        unknown
canceling  canceling  canceling  canceled   canceled  canceled  canceled  canceled  canceled   canceled   canceling  canceling  .         .         canceling  .        .         .        .      .        canceling
completed  .          .          .          .         .         .         .         .          .          .          .          .         .         completed  .        .         .        .      .        .
failed     .          .          .          .         .         .         .         .          .          .          .          .         .         failed     .        .         .        .      running  .
canceled   .          .          .          .         .         .         .         .          .          .          .          .         .         canceled   .        .         .        .      .        .
`

const { cells } = movesOf(rows)

const events: Record<string, Played | { type: 'lookAgain' }> = {
  continues: report('running'),
  asked: report('pending_approval'),
  succeeded: report('succeeded'),
  failed: report('failed'),
  rejected: report('rejected'),
  lost: report('unknown'),
  refused,
  counted: { type: 'counted', stepId: 'a', attempt: 1, count: 1 },
  waits: { type: 'waits', stepId: 'a', attempt: 1 },
  leftOut: { type: 'leftOut', stepId: 'a', attempt: 1 },
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

test('decisions about one context, or about one event, share nothing', () => {
  const [fatal, ignored] = [chain, { ...chain, a: { continues: true } }].map(
    (steps) => new Play(steps).decision.context,
  )
  const stamp = { at: startedAt + 1, chance: 0 }
  const [succeeds, fails] = [report('succeeded'), report('failed')].map((event) => ({ ...event, ...stamp }))
  const after = (context = fatal, event = fails) => {
    const { steps } = decide(table, 'running', context!, event!)!.context as unknown as WorkflowRunContext
    return steps.map(({ state }) => state).join(' ')
  }
  expect([after(fatal, succeeds), after(fatal, fails)]).toEqual(['succeeded running', 'failed skipped'])
  expect(after(ignored, fails)).toBe('failed running')
})

test('an output is only rendered, or not, once the last step has ended', () => {
  const play = new Play({ a: { maxAttempts: 2, backoffMs: 50 } }, { hasOutput: true }).report('a', 'failed')
  expect([play.tries({ type: 'rendered' }), play.tries({ type: 'renderingFailed', cause })]).toEqual([false, false])
  play.takes({ type: 'lookAgain' }, 50).report('a', 'succeeded')
  expect(play.takes({ type: 'renderingFailed', cause }).state).toBe('failed')
})

test('the rows name every state and every event of the machine', () => {
  expect([...new Set(cells.map((cell) => cell.given))]).toEqual([...table.states])
  const named = new Set(Object.values(events).map(({ type }) => type))
  expect([...new Set([...table.rows.values()].flatMap((row) => [...row.keys()]))].sort()).toEqual([...named].sort())
})

test.each(['running', 'waiting', 'unknown', 'canceling'])(
  'outstanding steps are queried again after an hour: %s',
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
    expect(play.decision.timersStarted).toEqual([{ timer: 'lookAgain', delayMs: 3_600_000 }])
  },
)
