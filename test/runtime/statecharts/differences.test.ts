import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { runChart } from '../../../machines/charts/run.ts'
import { createEntityMachine, type EntityStates, entityChart } from '../../../machines/entity.ts'
import { describeChart, describeOwn } from '../../../src/runtime/statecharts/describe.ts'
import { differencesOf } from '../../../src/runtime/statecharts/differences.ts'
import { type DrawnChart, linesOf } from '../../../src/runtime/statecharts/layouts/lines.ts'

const entity = (states: EntityStates): DrawnChart =>
  describeOwn(entityChart, { title: 'Entity', machine: createEntityMachine('order', states) })

const order: EntityStates = {
  initial: 'open',
  states: {
    open: { on: { pay: 'paid', cancel: 'canceled' } },
    paid: { on: { ship: 'shipped' } },
    shipped: {},
    canceled: {},
  },
}

/** The different transitions, in short; those that Troupe adds to every state are omitted. */
const short = (before: DrawnChart, after: DrawnChart) =>
  differencesOf(before, after).transitions.flatMap(({ change, before: was, after: is }) => {
    const row = is ?? was!
    if (row.event.startsWith('entity/')) return []
    const way = change === 'changed' && was!.to !== is!.to ? `${was!.to}, now ${is!.to}` : row.to
    return [`${change}: ${row.from} ${row.event} ${way}`]
  })

describe('two revisions of the chart of an entity', () => {
  const cases: [string, EntityStates, { states: unknown[]; transitions: string[] }][] = [
    ['nothing', order, { states: [], transitions: [] }],
    [
      'a state and its transitions are added',
      { ...order, states: { ...order.states, shipped: { on: { return: 'returned' } }, returned: {} } },
      {
        states: [{ state: 'returned', change: 'added', aspects: [] }],
        transitions: ['added: shipped return returned'],
      },
    ],
    [
      'a state is removed',
      { initial: 'open', states: { open: { on: { pay: 'paid' } }, paid: { on: { ship: 'shipped' } }, shipped: {} } },
      {
        states: [{ state: 'canceled', change: 'removed', aspects: [] }],
        transitions: ['removed: open cancel canceled'],
      },
    ],
    [
      'an event has another target',
      { ...order, states: { ...order.states, paid: { on: { ship: 'canceled' } } } },
      { states: [], transitions: ['changed: paid ship shipped, now canceled'] },
    ],
    [
      'the initial state is another one',
      { ...order, initial: 'paid' },
      {
        states: [
          { state: 'open', change: 'changed', aspects: ['initial'] },
          { state: 'paid', change: 'changed', aspects: ['initial'] },
        ],
        transitions: ['changed: null create open, now paid'],
      },
    ],
    [
      'an event is renamed',
      { ...order, states: { ...order.states, paid: { on: { send: 'shipped' } } } },
      { states: [], transitions: ['added: paid send shipped', 'removed: paid ship shipped'] },
    ],
  ]
  test.each(cases)('%s', (_, states, { states: expected, transitions }) => {
    const [before, after] = [entity(order), entity(states)]
    const { same, states: different } = differencesOf(before, after)
    expect(different as unknown[]).toEqual(expected)
    expect(short(before, after)).toEqual(transitions)
    expect(same).toBe(states === order)
  })
})

describe('two versions of a machine', () => {
  const now = describeChart(runChart)
  test('changed guards, effects, deadlines and groups are reported', () => {
    const before: DrawnChart = {
      ...now,
      groups: now.groups.filter(({ name }) => name !== 'leased'),
      transitions: now.transitions.map((row) =>
        row.event === 'booted'
          ? { ...row, guard: null }
          : row.event === 'leased'
            ? { ...row, effects: ['shout'] }
            : row,
      ),
      deadlines: now.deadlines.map((one) => (one.event === 'awaitDeadline' ? { ...one, defaultMs: 1 } : one)),
    }
    const { states, transitions } = differencesOf(before, now)
    expect(states).toEqual([
      { state: 'starting', change: 'changed', aspects: ['group'] },
      { state: 'running', change: 'changed', aspects: ['group'] },
      { state: 'awaitingToolResult', change: 'changed', aspects: ['deadlines'] },
      { state: 'awaitingDelegateResult', change: 'changed', aspects: ['deadlines'] },
      { state: 'leased', change: 'added', aspects: [] },
    ])
    expect(
      transitions.map(({ change, before: was, after }) => [change, was?.guard, was?.effects, after?.event]),
    ).toEqual([
      ['changed', 'requested', ['shout'], 'leased'],
      ['changed', null, [], 'booted'],
    ])
  })

  test('removed states have a place among the present ones, in their former group', () => {
    const without: DrawnChart = {
      states: now.states.filter((state) => state !== 'starting'),
      groups: now.groups.map((group) => ({ ...group, states: group.states.filter((state) => state !== 'starting') })),
      transitions: now.transitions.filter(({ from, to }) => from !== 'starting' && to !== 'starting'),
      deadlines: now.deadlines,
    }
    const { both } = differencesOf(now, without)
    expect([...both.states].sort()).toEqual([...now.states].sort())
    for (const { name, parent, states } of now.groups) {
      const group = both.groups.find((one) => one.name === name)
      expect([group?.parent, [...(group?.states ?? [])].sort()]).toEqual([parent, [...states].sort()])
    }
    expect(
      linesOf(both)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(
      linesOf(now)
        .map(({ id }) => id)
        .sort(),
    )
  })
})

test('for any two charts: a chart equals itself, and additions in one direction are removals in the other', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd')
  const chart = fc
    .record({ initial: name, on: fc.array(fc.tuple(name, fc.constantFrom('x', 'y'), name), { maxLength: 6 }) })
    .map(({ initial, on }) => {
      const names = [...new Set([initial, ...on.flatMap(([from, , to]) => [from, to])])]
      const rows = (state: string) =>
        Object.fromEntries(on.flatMap(([from, event, to]) => (from === state ? [[event, to]] : [])))
      return entity({ initial, states: Object.fromEntries(names.map((state) => [state, { on: rows(state) }])) })
    })
  const count = (list: readonly { change: string }[], change: string) =>
    list.filter((one) => one.change === change).length
  fc.assert(
    fc.property(chart, chart, (one, other) => {
      expect(differencesOf(one, one)).toMatchObject({ same: true, states: [], transitions: [] })
      const [there, back] = [differencesOf(one, other), differencesOf(other, one)]
      for (const part of ['states', 'transitions'] as const) {
        expect(count(there[part], 'added')).toBe(count(back[part], 'removed'))
        expect(count(there[part], 'changed')).toBe(count(back[part], 'changed'))
      }
      expect(new Set(there.both.states)).toEqual(new Set([...one.states, ...other.states]))
    }),
    { numRuns: 60 },
  )
})
