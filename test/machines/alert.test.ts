import { describe, expect, test } from 'bun:test'
import { type AlertContext, alertMachine, alertStates } from '../../machines/alert.ts'
import { begin, type Decision, decide } from '../../src/runtime/decisions/decide.ts'
import { compile } from '../../src/runtime/decisions/table.ts'
import { movesOf } from './move-table.ts'

/** States in rows, events in columns: the next state, `.` 409. `late` comes after the rule's duration has passed. */
const rows = `
          breached  breachedLate  cleared  clearedLate  change    enable   disable   rename
ok        pending   pending       .        .            ok        ok       disabled  ok
pending   .         firing        ok       ok           ok        pending  disabled  pending
firing    .         .             cooling  cooling      ok        firing   disabled  firing
cooling   firing    firing        .        ok           ok        cooling  disabled  cooling
disabled  .         .             .        .            disabled  ok       disabled  disabled
`
const { cells } = movesOf(rows)

const at = 1_000_000
const minute = 60_000
const settings = { holdMs: 5 * minute, coolDownMs: 10 * minute }
const table = compile(alertMachine)
const beginning = begin(table, settings)

const stamp = (late: boolean) => ({ at: at + (late ? 10 * minute : minute), chance: 0 })
const events: Record<string, { type: string; at: number; chance: number } & Record<string, unknown>> = {
  breached: { type: 'breached', value: 7, seen: 0, ...stamp(false) },
  breachedLate: { type: 'breached', value: 7, seen: 0, ...stamp(true) },
  cleared: { type: 'cleared', value: 1, seen: 0, ...stamp(false) },
  clearedLate: { type: 'cleared', value: 1, seen: 0, ...stamp(true) },
  rename: { type: 'rename', ...stamp(false) },
  change: { type: 'change', holdMs: 0, coolDownMs: 0, ...stamp(false) },
  enable: { type: 'enable', ...stamp(false) },
  disable: { type: 'disable', ...stamp(false) },
}
const contexts: Record<string, Partial<AlertContext>> = {
  pending: { heldSince: at },
  firing: { heldSince: at, firingSince: at },
  cooling: { heldSince: at, firingSince: at, overSince: at },
}
const send = (state: string, event: string, changes: Partial<AlertContext> = {}) =>
  decide(table, state, { ...beginning.context, ...contexts[state], ...changes }, events[event]!)
const context = (decision: Decision | undefined) => decision?.context as unknown as AlertContext
const names = (decision: Decision | undefined) => decision?.effects.map(({ name }) => name)

test.each(cells)('$given, on $event: $next', ({ given, event, next }) => {
  expect(send(given, event)?.state ?? '.').toBe(next)
})

test('the rows name every state and every event of the machine', () => {
  expect([...new Set(cells.map(({ given }) => given))].sort()).toEqual([...table.states].sort())
  expect([...table.states].sort()).toEqual([...alertStates].sort())
  const named = new Set(Object.values(events).map(({ type }) => type))
  expect([...new Set([...table.rows.values()].flatMap((row) => [...row.keys()]))].sort()).toEqual([...named].sort())
})

describe('notifications', () => {
  test('a rule fires once: not before its duration has passed, and not again when the condition returns', () => {
    expect(names(send('ok', 'breached'))).toEqual([])
    const fires = send('pending', 'breachedLate')
    expect([names(fires), context(fires).firingSince, context(fires).value]).toEqual([
      ['tellFiring'],
      at + 10 * minute,
      7,
    ])
    const back = send('cooling', 'breached')
    expect([names(back), context(back).overSince, context(back).firingSince]).toEqual([[], null, at])
  })
  test('it fires at once if the rule has no duration', () => {
    const fires = send('ok', 'breached', { holdMs: 0 })
    expect([fires?.state, names(fires)]).toEqual(['firing', ['tellFiring']])
    const over = send('firing', 'cleared', { coolDownMs: 0 })
    expect([over?.state, names(over)]).toEqual(['ok', ['tellResolved']])
  })
  test('it resolves once: after its duration, or when it is changed or disabled', () => {
    expect(names(send('firing', 'cleared'))).toEqual([])
    expect(names(send('cooling', 'clearedLate'))).toEqual(['tellResolved'])
    for (const state of ['firing', 'cooling']) {
      for (const event of ['change', 'disable']) expect(names(send(state, event))).toEqual(['tellResolved'])
    }
    for (const state of ['ok', 'pending', 'disabled']) {
      for (const event of ['change', 'disable']) expect(names(send(state, event))).toEqual([])
    }
  })
})

test('a changed rule starts over, with its new durations', () => {
  expect(context(send('firing', 'change'))).toEqual({
    holdMs: 0,
    coolDownMs: 0,
    heldSince: null,
    overSince: null,
    firingSince: null,
    value: null,
    moves: 2,
  })
})

test.each(['ok', 'pending', 'firing', 'cooling'])(
  'in %s, a measurement from before the last move says nothing',
  (state) => {
    for (const event of ['breached', 'breachedLate', 'cleared', 'clearedLate'])
      expect(send(state, event, { moves: 1 })).toBeUndefined()
  },
)
