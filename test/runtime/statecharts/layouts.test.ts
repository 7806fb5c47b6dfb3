/** The layouts of the built-in statecharts. */
import { describe, expect, test } from 'bun:test'
import { charts } from '../../../machines/charts/all.ts'
import { deliveryChart } from '../../../machines/delivery.ts'
import { integrationChart } from '../../../machines/integration.ts'
import { describeChart } from '../../../src/runtime/statecharts/describe.ts'
import { builtInDigests, layoutsOf } from '../../../src/runtime/statecharts/layouts/built-in.ts'
import type { Box, Direction, Point } from '../../../src/runtime/statecharts/layouts/chart-layout.ts'
import { digestOf, makeLayouts } from '../../../src/runtime/statecharts/layouts/generate.ts'
import { linesOf } from '../../../src/runtime/statecharts/layouts/lines.ts'
import {
  groupFont,
  labelFont,
  labelIndent,
  labelLineHeight,
  labelPadding,
  labelTextWidth,
  stateFont,
  stateNameWidth,
} from '../../../src/runtime/statecharts/layouts/text-metrics.ts'
import { ticketChart } from './ticket.ts'

const right = (box: Box) => box.x + box.width
const bottom = (box: Box) => box.y + box.height
const overlap = (a: Box, b: Box) => a.x < right(b) && b.x < right(a) && a.y < bottom(b) && b.y < bottom(a)
const contains = (outer: Box, inner: Box) =>
  outer.x <= inner.x && outer.y <= inner.y && right(inner) <= right(outer) && bottom(inner) <= bottom(outer)
/** Within the pixel lost by rounding. */
const isOnBorder = (box: Box, { x, y }: Point) =>
  x >= box.x - 1 &&
  x <= right(box) + 1 &&
  y >= box.y - 1 &&
  y <= bottom(box) + 1 &&
  [x - box.x, right(box) - x, y - box.y, bottom(box) - y].some((distance) => Math.abs(distance) <= 1)

test('match the statecharts; `bun src/runtime/statecharts/layouts/generate.ts` writes them', () => {
  const present = charts.map((chart) => [chart.machine.id, digestOf(describeChart(chart))] as const)
  expect(builtInDigests()).toEqual(new Map(present))
})

test.each([deliveryChart, integrationChart])('are deterministic', async (chart) => {
  const description = describeChart(chart)
  expect(await makeLayouts(description)).toEqual(description.layouts!)
})

test('do not exist for other statecharts', () => {
  expect(describeChart(ticketChart).layouts).toBeNull()
})

test('no text is smaller than 11 pixels', () => {
  expect(Math.min(labelFont, groupFont, stateFont)).toBeGreaterThanOrEqual(11)
})

const all = charts.flatMap((chart) =>
  (['down', 'right'] as const).map((direction) => [chart.machine.id, direction, describeChart(chart)] as const),
)
describe.each(all)('%s, %s', (kind, direction: Direction, chart) => {
  const layout = layoutsOf(kind)![direction]
  const boxes = new Map([...Object.entries(layout.states), ...Object.entries(layout.groups)])
  const labels = Object.values(layout.edges).map(({ label }) => label)

  test('have a place for every state, group and line, within the drawing', () => {
    expect(Object.keys(layout.states)).toEqual(chart.states)
    expect(Object.keys(layout.groups)).toEqual(chart.groups.map(({ name }) => name))
    expect(Object.keys(layout.edges)).toEqual(linesOf(chart).map(({ id }) => id))
    const whole = { x: 0, y: 0, width: layout.width, height: layout.height }
    expect([...boxes.values(), ...labels].filter((box) => box.width <= 0 || !contains(whole, box))).toEqual([])
  })

  test('keep texts apart from each other and from states', () => {
    const things: Box[] = [...labels, ...Object.values(layout.states)]
    const clashes = things.flatMap((one, place) => things.slice(place + 1).filter((other) => overlap(one, other)))
    expect(clashes).toEqual([])
  })

  test('have room for the whole of each text', () => {
    for (const { width, height, lines } of labels) {
      const needed = lines.map(
        ({ text, is }) => labelTextWidth(text) + (is === 'event' || is === 'more' ? 0 : labelIndent),
      )
      expect(width).toBeGreaterThanOrEqual(Math.max(...needed) + 2 * labelPadding - 1)
      expect(height).toBeGreaterThanOrEqual(lines.length * labelLineHeight)
    }
    for (const [name, { width }] of Object.entries(layout.states)) expect(width).toBeGreaterThan(stateNameWidth(name))
  })

  test('have groups around their states only', () => {
    for (const { name, states } of chart.groups) {
      const frame = layout.groups[name]!
      const inside = chart.states.filter((state) => contains(frame, layout.states[state]!))
      expect(inside).toEqual(states)
      expect(chart.states.filter((state) => overlap(frame, layout.states[state]!))).toEqual(states)
    }
  })

  test('lead every line from its declaration to its target', () => {
    for (const { id, from, to } of linesOf(chart)) {
      const { points } = layout.edges[id]!
      expect(points.length).toBeGreaterThanOrEqual(2)
      expect([id, isOnBorder(boxes.get(from)!, points[0]!), isOnBorder(boxes.get(to)!, points.at(-1)!)]).toEqual([
        id,
        true,
        true,
      ])
    }
  })
})
