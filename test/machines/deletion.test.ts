import { describe, expect, test } from 'bun:test'
import { type DeletionContext, deletionMachine } from '../../machines/deletion.ts'
import { begin, type Decision, decide } from '../../src/runtime/decisions/decide.ts'
import { compile } from '../../src/runtime/decisions/table.ts'
import { movesOf } from './move-table.ts'

/**
 * From contract 2, "Deletion": states in rows, answers to the latest round of work in columns. The entry is the next
 * state, `=` the same one entered again, `.` refused.
 */
const rows = `
          runsTold  runsEnded  runsFound  batchRemoved  removed   lookAgain  settleDeadline  delete
draining  =         removing   .          .             .         =          .               .
removing  .         .          draining   =             settling  .          .               .
settling  .         .          .          .             .         .          deleted         .
deleted   .         .          .          .             .         .          .               .
`

const { columns: events, cells } = movesOf(rows)
/** What a state requests when it is entered. */
const work: Record<string, string[]> = {
  draining: ['endRuns'],
  removing: ['removeBatch'],
  settling: [],
  deleted: ['sweep'],
}

const table = compile(deletionMachine)
const context: DeletionContext = { target: 'project', round: 4 }
const send = (state: string, type: string, round = context.round): Decision | undefined =>
  decide(table, state, { ...context }, { type, round, at: 0, chance: 0 })

describe('every state and every event', () => {
  test.each(cells)('$given, on $event: $next', ({ given, event, next }) => {
    const decision = send(given, event)
    expect(decision?.state ?? '.').toBe(next)
    if (decision) expect(decision.effects.map(({ name }) => name)).toEqual(work[next] as string[])
  })

  test('the rows name every state and every event of the machine', () => {
    expect([...new Set(cells.map(({ given }) => given))]).toEqual([...table.states])
    const known = new Set([...table.rows.values()].flatMap((row) => [...row.keys()]))
    expect([...known, 'delete'].sort()).toEqual([...events].sort())
  })
})

test('a removal begins by ending runs, which is requested again if it is not done within an hour', () => {
  const decision = begin(table, { target: 'organization' })
  expect(decision).toMatchObject({
    state: 'draining',
    context: { target: 'organization', round: 1 },
    effects: [{ name: 'endRuns', params: { round: 1 } }],
    timersStarted: [{ timer: 'lookAgain', delayMs: 3_600_000 }],
  })
})

test.each([
  { given: 'draining', event: 'runsTold' },
  { given: 'draining', event: 'lookAgain' },
  { given: 'draining', event: 'runsEnded' },
  { given: 'removing', event: 'batchRemoved' },
  { given: 'removing', event: 'runsFound' },
])('$given, on $event: the next round is requested, by its number', ({ given, event }) => {
  const decision = send(given, event)
  expect(decision?.context.round).toBe(5)
  expect(decision?.effects[0]?.params).toEqual({ round: 5 })
})

test.each([
  { given: 'draining', event: 'runsTold' },
  { given: 'draining', event: 'runsEnded' },
  { given: 'removing', event: 'batchRemoved' },
  { given: 'removing', event: 'runsFound' },
  { given: 'removing', event: 'removed' },
])('$given, on $event of an earlier round: refused', ({ given, event }) => {
  expect(send(given, event, 3)).toBeUndefined()
})

test.each(['draining', 'removing', 'settling', 'deleted'])(
  '%s refuses another removal: 409 deletion_in_progress',
  (state) => {
    expect(table.refusals.get(state)?.delete).toMatchObject({ status: 409, code: 'deletion_in_progress' })
  },
)

test('after the removal it settles for a minute', () => {
  expect(send('removing', 'removed')?.timersStarted).toEqual([{ timer: 'settleDeadline', delayMs: 60_000 }])
})
