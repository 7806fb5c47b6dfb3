/** Why steps of a workflow run were skipped or canceled. Source: contract 14, "Workflows". */
import { expect, test } from 'bun:test'
import { reasonOf } from '../../../machines/workflow-run.ts'
import { Play, type StepGiven } from './workflow-runs.ts'

/** The codes of the steps that have one. */
const codes = ({ context }: Play) =>
  Object.fromEntries(
    context.plan.flatMap(({ id }, place): [string, string][] => {
      const reason = reasonOf(context, place)
      return reason ? [[id, reason.code]] : []
    }),
  )
const tree: Record<string, StepGiven> = {
  a: {},
  b: { after: ['a'] },
  c: { after: ['b'] },
  other: { sleepMs: 100 },
  later: { after: ['other'] },
}
const playing = (given = tree) =>
  new Play(given).takes({ type: 'waits', stepId: Object.keys(given)[3] as string, attempt: 1 })

test('its own condition, and a failure after it changes nothing', () => {
  const play = playing().takes({ type: 'leftOut', stepId: 'a', attempt: 1 })
  expect(codes(play)).toEqual({ a: 'condition_false' })
  expect(codes(play.report('b', 'failed'))).toEqual({
    a: 'condition_false',
    c: 'dependency_failed',
    other: 'run_failed',
    later: 'run_failed',
  })
})

test('the failure of a step that it depends on, also through others, or of another', () => {
  const play = playing().report('a', 'failed')
  expect([play.state, codes(play)]).toEqual([
    'failed',
    { b: 'dependency_failed', c: 'dependency_failed', other: 'run_failed', later: 'run_failed' },
  ])
  expect(reasonOf(play.context, 2)?.message).toBe('It depends on the step a, which has failed.')
  expect(codes(play.takes({ type: 'resume' }))).toEqual({})
})

test('a failure that is ignored is none', () => {
  const play = playing({ ...tree, a: { continues: true } }).report('a', 'failed')
  expect(codes(play)).toEqual({})
  expect(codes(play.report('b', 'failed')).c).toBe('dependency_failed')
  const another = playing({ ...tree, a: { continues: true }, d: {} })
    .report('a', 'failed')
    .report('d', 'failed')
  expect(codes(another)).toEqual({ c: 'run_failed', other: 'run_failed', later: 'run_failed' })
})

test('the cancel of the run', () => {
  const play = playing().takes({ type: 'cancel' })
  expect(codes(play)).toEqual({ b: 'run_canceled', c: 'run_canceled', other: 'run_canceled', later: 'run_canceled' })
})
