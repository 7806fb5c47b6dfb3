/** Drawn statecharts: the events on a line, highlights, texts. */
import { expect, test } from 'bun:test'
import { charts } from '../../../machines/charts/all.ts'
import { arrowHead, roundedPath } from '../../../src/console/charts/drawing/path.ts'
import { placeOf } from '../../../src/console/charts/drawing/room.ts'
import { gapless, mergeRows } from '../../../src/console/charts/journal.ts'
import { type JournalRow, litBy } from '../../../src/console/charts/lit.ts'
import { type Machine, type MadeMove, modelOf } from '../../../src/console/charts/model.ts'
import { nextPosition, passedBetween } from '../../../src/console/charts/pace.ts'
import { neighbourhood } from '../../../src/console/charts/selection.ts'
import { edgeLabel } from '../../../src/console/charts/spoken.ts'
import { readEvent } from '../../../src/console/pages/statecharts/actor/event-text.ts'
import { remainingText } from '../../../src/console/pages/statecharts/actor/remaining.ts'
import {
  delayText,
  meaningOfEffect,
  meaningOfGuard,
  type Source,
  senderOf,
} from '../../../src/console/pages/statecharts/meaning.ts'
import { firstSentence } from '../../../src/console/pages/statecharts/prose.tsx'
import { type Tone, toneOf } from '../../../src/console/ui/badge.tsx'
import { describeChart } from '../../../src/runtime/statecharts/describe.ts'
import { edgeIdOf } from '../../../src/runtime/statecharts/layouts/chart-layout.ts'

const machines: Machine[] = charts.map(describeChart)
const delivery = modelOf(machines.find(({ kind }) => kind === 'delivery') as Machine)

test('moves between the same two states are on one line, each event with its guards', () => {
  const edge = delivery.edges.find(({ id }) => id === 'in-flight → dead-letter')
  expect(edge?.events).toEqual([
    { event: 'refused', isDeadline: false, guards: ['goneForGood', 'attemptsExhausted'] },
    { event: 'leaseExpired', isDeadline: true, guards: ['attemptsExhausted'] },
  ])
  expect(edge?.label.map(({ text, is }) => [is, text])).toEqual([
    ['event', 'refused'],
    ['guard', '[goneForGood] or'],
    ['guard', '[attemptsExhausted]'],
    ['effect', '/ noteFailure,'],
    ['effect', 'disableSubscription'],
    ['deadline', 'leaseExpired · 1 minute'],
    ['guard', '[attemptsExhausted]'],
    ['effect', '/ noteFailure'],
  ])
  expect(edgeLabel(edge!, 2)).toBe(
    'From in-flight to dead-letter on refused if goneForGood or attemptsExhausted; after leaseExpired if attemptsExhausted, taken 2 times',
  )
})

test('a move from a state of a group is on the line of the group that declares it', () => {
  const run = modelOf(machines.find(({ kind }) => kind === 'run') as Machine)
  const grouped = run.chart.transitions.filter(({ from, declaredAt }) => from !== null && declaredAt !== from)
  expect(grouped).not.toBeEmpty()
  for (const { from, event, to, declaredAt, declaredTo } of grouped) {
    const edge = run.edges.find(({ id }) => id === run.edgeOf({ from, event, to }))!
    expect([edge.from, edge.to]).toEqual([declaredAt!, declaredTo])
    expect(run.groups.find(({ name }) => name === edge.from)?.states).toContain(from!)
  }
})

test('the initial and final states of a statechart are known', () => {
  expect(delivery.states.filter(({ isInitial }) => isInitial).map(({ name }) => name)).toEqual(['pending'])
  expect(delivery.states.filter(({ isFinal }) => isFinal).map(({ name }) => name)).toEqual(['delivered'])
})

test('a changed statechart gets a new layout', () => {
  const [first] = machines as [Machine]
  const changed = { ...first, transitions: first.transitions.slice(1) }
  expect(modelOf(changed).key).not.toBe(modelOf(first).key)
})

test('corners are round, and an arrow is at the end', () => {
  const points = [
    { x: 0, y: 0 },
    { x: 40, y: 0 },
    { x: 40, y: 40 },
  ]
  expect(roundedPath(points)).toBe('M0,0 L32,0 Q40,0 40,8 L40,40')
  expect(arrowHead(points)).toStartWith('40,40 ')
  expect(roundedPath([])).toBe('')
})

const row = (sequence: number, from: string | null, to: string, event = 'go'): JournalRow => ({
  sequence,
  from,
  to,
  event,
  actor: { type: 'system', id: 'server' },
  attempt: 0,
  reason: null,
  at: '2026-01-01T00:00:00.000Z',
})
const edgeOf = ({ from, to }: MadeMove) => (from === null ? undefined : edgeIdOf(from, to))
const rows = [row(1, null, 'a', 'create'), row(2, 'a', 'b'), row(3, 'b', 'b'), row(4, 'b', 'a')]

test.each([
  [1, 'a', { a: 1 }, {}],
  [3, 'b', { a: 1, b: 1 }, { 'a → b': 1, 'b → b': 1 }],
  [4, 'a', { a: 2, b: 1 }, { 'a → b': 1, 'b → b': 1, 'b → a': 1 }],
])('after move %i it is in %s', (upTo, active, states, edges) => {
  const lit = litBy(rows, upTo, edgeOf)
  expect(lit.active).toBe(active)
  expect(Object.fromEntries(lit.states)).toEqual(states)
  expect(Object.fromEntries(lit.edges)).toEqual(edges)
})

test('only recent moves highlight their lines', () => {
  const passed = [1, 2, 3].map((sequence) => ({ sequence, delayMs: sequence * 10 }))
  expect(litBy(rows, 3, edgeOf, passed).fired).toEqual([
    { edge: 'a → b', event: 'go', turn: 2, delayMs: 20 },
    { edge: 'b → b', event: 'go', turn: 3, delayMs: 30 },
  ])
  expect(litBy(rows, 2, edgeOf, passed).fired.map(({ turn }) => turn)).toEqual([2])
  expect(litBy(rows, 2, edgeOf).fired).toEqual([])
})

test.each([
  [4, 5, [[5, 0]]],
  [
    4,
    7,
    [
      [5, 0],
      [6, 120],
      [7, 240],
    ],
  ],
  [
    4,
    90,
    [
      [85, 0],
      [86, 120],
      [87, 240],
      [88, 360],
      [89, 480],
      [90, 600],
    ],
  ],
  [5, 5, []],
])('of the moves from %i to %i the last few are highlighted, one after the other', (before, last, lit) => {
  expect(passedBetween(before, last).map(({ sequence, delayMs }) => [sequence, delayMs])).toEqual(lit)
})

test('a journal that begins in the middle counts its first state', () => {
  expect(Object.fromEntries(litBy(rows.slice(3), 4).states)).toEqual({ b: 1, a: 1 })
})

test('repeated rows are shown once, and rows before a gap are omitted', () => {
  const merged = mergeRows(rows.slice(1, 3), [rows[0]!, rows[2]!, rows[3]!])
  expect(merged.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4])
  expect(mergeRows(rows, rows)).toBe(rows)
  expect(gapless([row(1, null, 'a'), row(5, 'a', 'b'), row(6, 'b', 'a')]).map(({ sequence }) => sequence)).toEqual([
    5, 6,
  ])
})

test.each([
  ['live, none: at the latest move', { mode: 'live', position: 3, speed: 1 }, 90, undefined],
  ['playing twice as fast', { mode: 'playing', position: 3, speed: 2 }, 90, { position: 4, seenMs: 450 }],
  ['paused, none', { mode: 'paused', position: 3, speed: 1 }, 90, undefined],
  ['at the end, none', { mode: 'playing', position: 90, speed: 1 }, 90, undefined],
] as const)('the next shown move: %s', (_, now, last, next) => {
  expect(nextPosition(now, { first: 1, last })).toEqual(next)
})

test.each([
  ['a drawing that fits is centered', 10, 100, 300, 1, 100],
  ['a position near the beginning wastes no room before it', 10, 1000, 300, 1, 0],
  ['a position near the end wastes none after it', 990, 1000, 300, 1, -700],
  ['a position in the middle is centered', 500, 1000, 300, 0.5, -100],
])('%s', (_, middle, drawing, frame, zoom, place) => {
  expect(placeOf(middle, drawing, frame, zoom)).toBe(place)
})

test('a selection includes its predecessors and successors', () => {
  expect(neighbourhood(delivery, null)).toBeUndefined()
  expect([...neighbourhood(delivery, { state: 'pending' })!.states].sort()).toEqual([
    'dead-letter',
    'in-flight',
    'pending',
  ])
  expect([...neighbourhood(delivery, { edge: 'pending → in-flight' })!.edges]).toEqual(['pending → in-flight'])
})

const described = charts.map(describeChart)

test.each([
  ['run', 'cancel', 'command'],
  ['run', 'progressed', 'report'],
  ['run', 'queueDeadline', 'deadline'],
  ['run', 'leaseRequested', 'server'],
])('of %s, %s has a known sender', (kind, event, source) => {
  const sender = senderOf(described.find((one) => one.kind === kind)!, event)
  expect(sender?.source).toBe(source as Source)
  expect(sender?.text).toMatch(/\.$/)
})

test('an unknown event has no known sender', () => {
  expect(senderOf(described[0]!, 'constructor')).toBeUndefined()
})

test('every event of every statechart has a sender, and every guard and effect a description', () => {
  for (const chart of described) {
    for (const { event, guard, effects } of chart.transitions) {
      expect(senderOf(chart, event)).toBeDefined()
      if (guard !== null) expect(meaningOfGuard(chart, guard)).toBeDefined()
      for (const effect of effects) expect(meaningOfEffect(chart, effect)).toBeDefined()
    }
  }
})

test.each([
  [null, 'set for each actor'],
  [30_000, '30 s by default'],
  [600_000, '10 min by default'],
  [86_400_000, '1 day by default'],
  [90_000_000, '1 day 1 h by default'],
])('a delay of %p ms reads as %s', (ms, text) => {
  expect(delayText(ms)).toBe(text)
})

test.each([
  ['One. Two.', 'One.'],
  ['`entity/update`, v1.2 of it. Two', '`entity/update`, v1.2 of it.'],
  ['All', 'All'],
])('of %s, the first sentence is %s', (text, first) => {
  expect(firstSentence(text)).toBe(first)
})

test.each([
  ['disabled', 'idle'],
  ['scheduled', 'waiting'],
  ['firing', 'busy'],
  ['misconfigured', 'bad'],
  ['draining', 'busy'],
  ['removing', 'busy'],
  ['settling', 'waiting'],
  ['deleted', 'idle'],
  ['none', 'idle'],
  ['past_due', 'bad'],
  ['entity/deleted', 'idle'],
  ['shipped', 'idle'],
  ['constructor', 'idle'],
])('the tone of %s is %s', (state, tone) => {
  expect(toneOf(state)).toBe(tone as Tone)
})

test('only states in which nothing goes on are idle', () => {
  const idle = machines
    .filter(({ kind }) => kind !== 'entity')
    .flatMap(({ states }) => states.filter((state) => toneOf(state) === 'idle'))
  expect([...new Set(idle)].sort()).toEqual(['canceled', 'deleted', 'disabled', 'expired', 'none'])
})

test.each([
  [500, '1 s'],
  [12_000, '12 s'],
  [200_000, '3 min 20 s'],
  [90_000_000, '1 day 1 h'],
])('%i ms are %s', (left, text) => {
  expect(remainingText(left)).toBe(text)
})

test.each([
  ['{"type":"cancel","x":1}', { event: { type: 'cancel', x: 1 } }],
  ['{', { problem: 'This is not valid JSON.' }],
  ['[]', { problem: 'Enter an object with a "type".' }],
  ['{"type":1}', { problem: 'Enter an object with a "type".' }],
])('the text %s as an event', (text, read) => {
  expect(readEvent(text)).toEqual(read as ReturnType<typeof readEvent>)
})
