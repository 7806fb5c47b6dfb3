/** Two statecharts compared on one chart: marks and texts. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { charts } from '../../../machines/charts/all.ts'
import { createEntityMachine, type EntityStates, entityChart } from '../../../machines/entity.ts'
import { compare } from '../../../src/console/charts/compared/compared.ts'
import type { Machine } from '../../../src/console/charts/model.ts'
import { exportedMax, readExported } from '../../../src/console/pages/statecharts/compare/exported.ts'
import { describeChart, describeOwn } from '../../../src/runtime/statecharts/describe.ts'

const entity = (states: EntityStates): Machine =>
  describeOwn(entityChart, { title: 'Entity', machine: createEntityMachine('order', states) })

const order: EntityStates = {
  initial: 'open',
  states: { open: { on: { pay: 'paid', cancel: 'gone' } }, paid: { on: { ship: 'gone' } }, gone: {} },
}

const shownOf = (before: EntityStates, after: EntityStates) => {
  const { same, marks, texts } = compare(entity(before), entity(after))
  return { same, states: [...marks.states], edges: [...marks.edges], texts: texts.map(({ text }) => text) }
}

describe('the charts of an entity', () => {
  test('without differences have no marks', () => {
    expect(shownOf(order, order)).toEqual({ same: true, states: [], edges: [], texts: [] })
  })

  test('mark additions as added', () => {
    const after = { ...order, states: { ...order.states, paid: { on: { ship: 'gone', hold: 'held' } }, held: {} } }
    expect(shownOf(order, after)).toEqual({
      same: false,
      states: [['held', 'added']],
      edges: [['paid → held', 'added']],
      texts: ['State held added', 'hold in paid added (to held)'],
    })
  })

  test('draw removals, marked as removed', () => {
    const after = { initial: 'open', states: { open: { on: { cancel: 'gone' } }, gone: {} } }
    const { states, edges, texts } = shownOf(order, after)
    expect(states).toEqual([['paid', 'removed']])
    expect(edges).toEqual([
      ['open → paid', 'removed'],
      ['paid → gone', 'removed'],
    ])
    expect(texts).toContain('pay in open removed (to paid)')
    const { model } = compare(entity(order), entity(after))
    expect(model.states.map(({ name }) => name)).toContain('paid')
    expect(model.edges.map(({ id }) => id)).toContain('paid → gone')
  })

  test('mark a line with other events as changed', () => {
    const after = { ...order, states: { ...order.states, open: { on: { pay: 'paid', skip: 'paid', cancel: 'gone' } } } }
    expect(shownOf(order, after).edges).toEqual([['open → paid', 'changed']])
  })

  test('say where an event leads now', () => {
    const after = { ...order, states: { ...order.states, paid: { on: { ship: 'open' } } } }
    const { states, texts, edges } = shownOf(order, after)
    expect(texts).toEqual(['ship in paid changed: to open, previously to gone'])
    expect([states, edges]).toEqual([[], [['paid → open', 'changed']]])
  })

  test('say what has become of a state', () => {
    const after = { ...order, initial: 'paid', states: { ...order.states, gone: { on: { back: 'open' } } } }
    expect(shownOf(order, after).texts).toEqual([
      'State open changed: initial',
      'State paid changed: initial',
      'create (new) changed: to paid, previously to open',
      'back in gone added (to open)',
    ])
  })
})

test('for any charts, each mark is on the chart, and each difference has a text', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd', 'e')
  const states = fc
    .tuple(fc.uniqueArray(name, { minLength: 1 }), fc.array(fc.tuple(name, fc.constantFrom('x', 'y', 'z'), name)))
    .map(([names, moves]): EntityStates => {
      const own = moves.filter(([from, , to]) => names.includes(from) && names.includes(to))
      const on = (state: string) =>
        Object.fromEntries(own.flatMap(([from, event, to]) => (from === state ? [[event, to]] : [])))
      return { initial: names[0]!, states: Object.fromEntries(names.map((state) => [state, { on: on(state) }])) }
    })
  fc.assert(
    fc.property(states, states, (one, other) => {
      const { same, model, marks, texts } = compare(entity(one), entity(other))
      const drawn = new Set([...model.states, ...model.groups].map((state) => state.name))
      const lines = new Set(model.edges.map(({ id }) => id))
      expect([...marks.states.keys()].filter((state) => !drawn.has(state))).toEqual([])
      expect([...marks.edges.keys()].filter((edge) => !lines.has(edge))).toEqual([])
      expect(texts.every(({ text }) => text.length > 0)).toBe(true)
      expect(same).toBe(texts.length === 0)
      for (const { from, to } of model.edges) expect([from, to].every((end) => drawn.has(end))).toBe(true)
    }),
  )
})

test.each(charts.map((chart) => [chart.machine.id, chart] as const))('%s without its groups is drawn', (_, chart) => {
  const machine: Machine = describeChart(chart)
  const flat: Machine = {
    ...machine,
    groups: [],
    transitions: machine.transitions.map((move) => ({ ...move, declaredAt: move.from, declaredTo: move.to })),
  }
  for (const [before, after] of [
    [machine, flat],
    [flat, machine],
  ] as const) {
    const { model, same } = compare(before, after)
    const known = new Set([...model.states, ...model.groups].map(({ name }) => name))
    expect(model.edges.filter(({ from, to }) => !known.has(from) || !known.has(to))).toEqual([])
    expect(same).toBe(machine.groups.length === 0)
  }
})

describe('a statechart file', () => {
  const [chart] = charts
  const machine = describeChart(chart!)
  const { kind } = machine

  test('is read as downloaded, or as returned by the API', () => {
    const plain = JSON.stringify(machine)
    expect(readExported(plain, kind)).toEqual({ machine: JSON.parse(plain) })
    expect(readExported(JSON.stringify({ data: machine }), kind)).toEqual({ machine: JSON.parse(plain) })
    expect(plain.length).toBeLessThan(exportedMax / 4)
  })

  test.each([
    ['{', 'The file is not JSON.'],
    ['null', 'The file is not a statechart: download one as JSON from the tab Export.'],
    ['{"kind": "run"}', 'The file is not a statechart: download one as JSON from the tab Export.'],
    [
      JSON.stringify({ ...machine, states: [{}] }),
      'The file is not a statechart: download one as JSON from the tab Export.',
    ],
    [
      JSON.stringify({ ...machine, transitions: [{ from: 1 }] }),
      'The file is not a statechart: download one as JSON from the tab Export.',
    ],
    [JSON.stringify({ ...machine, kind: 'other' }), `The file is the statechart of other, not of ${kind}.`],
  ])('is refused with the reason: %#', (text, fault) => {
    expect(readExported(text, kind)).toEqual({ fault })
  })
})
