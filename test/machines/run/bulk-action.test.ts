import { expect, test } from 'bun:test'
import { type BulkActionContext, bulkActionMachine, bulkActionStates } from '../../../machines/run/bulk-action.ts'
import { begin, type Decision, decide } from '../../../src/runtime/decisions/decide.ts'
import { compile } from '../../../src/runtime/decisions/table.ts'
import { movesOf } from '../move-table.ts'

/**
 * States in rows, events in columns: the next state, `.` 409. `last` is the report of the last batch, `old` one of a
 * batch that was already reported.
 */
const rows = `
           advanced  last       old  stopped  cancel
running    running   completed  .    failed   canceled
completed  .         .          .    .        .
canceled   canceled  canceled   .    .        canceled
failed     .         .          .    .        .
`
const { cells } = movesOf(rows)

const at = 1_000_000
const table = compile(bulkActionMachine)
const beginning = begin(table, { matched: 50 })
const failures = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ agentRunId: `run_${index}`, code: 'c', message: 'm' }))
const advanced = { type: 'advanced', piece: 2, done: 3, failed: 2, failures: failures(2), isThrough: false }
const stamp = { at, chance: 0 }
const events: Record<string, { type: string; at: number; chance: number } & Record<string, unknown>> = {
  advanced: { ...advanced, ...stamp },
  last: { ...advanced, isThrough: true, ...stamp },
  old: { ...advanced, piece: 1, isThrough: true, ...stamp },
  stopped: { type: 'stopped', cause: { code: 'credential_ended', message: 'Over.' }, ...stamp },
  cancel: { type: 'cancel', ...stamp },
}
const send = (state: string, event: string, changes: Partial<BulkActionContext> = {}) =>
  decide(table, state, { ...beginning.context, pieces: 2, done: 10, ...changes }, events[event]!)
const context = (decision: Decision | undefined) => decision?.context as unknown as BulkActionContext

test.each(cells)('$given, on $event: $next', ({ given, event, next }) => {
  expect(send(given, event)?.state ?? '.').toBe(next)
})

test('the rows name every state and every event of the machine', () => {
  expect([...new Set(cells.map(({ given }) => given))].sort()).toEqual([...table.states].sort())
  expect([...table.states].sort()).toEqual([...bulkActionStates].sort())
  const named = new Set(Object.values(events).map(({ type }) => type))
  expect([...new Set([...table.rows.values()].flatMap((row) => [...row.keys()]))].sort()).toEqual([...named].sort())
})

test('it begins with its first batch, and each report requests the next one, the last report none', () => {
  expect(beginning.effects).toEqual([{ name: 'actOnSome', params: { piece: 0 } }])
  expect(send('running', 'advanced')?.effects).toEqual([{ name: 'actOnSome', params: { piece: 3 } }])
  for (const event of ['last', 'stopped', 'cancel']) expect(send('running', event)?.effects).toEqual([])
  expect(send('canceled', 'advanced')?.effects).toEqual([])
})

test('reports add up, and the first twenty failures are kept', () => {
  const next = context(send('running', 'advanced', { failed: 1, failures: failures(19) }))
  expect([next.pieces, next.done, next.failed, next.failures.length, next.endedAt]).toEqual([3, 13, 3, 20, null])
  expect(context(send('running', 'last')).endedAt).toBe(at)
})

test('the batch in progress at its cancellation is counted, and its end stays', () => {
  const canceled = context(send('running', 'cancel'))
  const late = context(send('canceled', 'advanced', canceled))
  expect([late.done, late.failed, late.endedAt]).toEqual([13, 2, at])
})

test('the cause of its failure is kept', () => {
  expect(context(send('running', 'stopped')).cause).toEqual({ code: 'credential_ended', message: 'Over.' })
})
