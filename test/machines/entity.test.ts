import { describe, expect, test } from 'bun:test'
import { createEntityMachine, type EntityContext } from '../../machines/entity.ts'
import { begin, type Decision, decide } from '../../src/runtime/decisions/decide.ts'
import { compile } from '../../src/runtime/decisions/table.ts'
import { movesOf } from './move-table.ts'

/**
 * From contract 6, "Entity inputs", for the states of an order: states in rows, events in columns. The entry is the
 * next state, `.` 409. `late` names a version that the entity no longer has, `current` its current one.
 */
const rows = `
                pay   note  ship     entity/update  entity/delete   late  current  fly
open            paid  open  .        open           entity/deleted  .     paid     .
paid            .     .     shipped  paid           entity/deleted  .     .        .
shipped         .     .     .        shipped        entity/deleted  .     .        .
entity/deleted  .     .     .        .              .               .     .        .
`
const machine = createEntityMachine('order', {
  initial: 'open',
  states: { open: { on: { pay: 'paid', note: 'open' } }, paid: { on: { ship: 'shipped' } }, shipped: { final: true } },
})
const table = compile(machine)

const { columns, cells } = movesOf(rows)

const events: Record<string, { type: string; expectedVersion?: number }> = {
  late: { type: 'pay', expectedVersion: 6 },
  current: { type: 'pay', expectedVersion: 7 },
}
const answer = (state: string, event: string, version = 7) =>
  decide(table, state, { version }, { ...(events[event] ?? { type: event }), at: 1, chance: 0.5 })

test.each(cells)('$given, on $event: $next', ({ given, event, next }) => {
  expect(answer(given, event)?.state ?? '.').toBe(next)
})

test('the rows name every state and every event of the machine', () => {
  expect([...new Set(cells.map(({ given }) => given))]).toEqual([...table.states])
  const named = new Set([...table.rows.values()].flatMap((row) => [...row.keys()]))
  expect([...named].filter((name) => !columns.includes(name))).toEqual([])
})

test('an entity begins in the initial state with version 1, and nothing is requested', () => {
  expect(begin(table, undefined)).toEqual({
    state: 'open',
    context: { version: 1 },
    moved: true,
    effects: [],
    timersStarted: [],
  })
})

test.each(cells.filter(({ next }) => next !== '.'))('$given, on $event: the version grows by 1', ({ given, event }) => {
  const decision = answer(given, event) as Decision
  const { version } = decision.context as unknown as EntityContext
  expect(version).toBe(8)
})

describe('whatever names its Definition uses', () => {
  test('no state is that of deleted entities, and no event deletes', () => {
    const names = { deleted: { on: { delete: 'deleted', update: 'deleted' } } }
    const odd = compile(createEntityMachine('odd', { initial: 'deleted', states: names }))
    expect(odd.states).toEqual(['deleted', 'entity/deleted'])
    expect([...(odd.rows.get('deleted')?.keys() ?? [])]).toEqual(['delete', 'update', 'entity/update', 'entity/delete'])
  })
})
