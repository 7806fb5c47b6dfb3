/** Draws a statechart in characters, with the console's layout; or as a list, if there is no room for the drawing. */
import type { Machine } from '../../../sdk/src/index.ts'
import { styled } from '../../terminal/text.ts'
import { Canvas, type Spot } from './canvas.ts'

interface Box extends Spot {
  width: number
  height: number
}

/** The drawn part of a layout; see `layouts` of `GET /api/v1/machines/{kind}`. */
interface Layout {
  width: number
  height: number
  states: Record<string, Box>
  groups: Record<string, Box>
  edges: Record<string, { points: Spot[]; label: Box & { lines: { text: string; is: string }[] } }>
  initial: { dot: Box; points: Spot[] } | null
}

/** The pixels of one character: about the width of the console's letters, and a little more than their height. */
const columnPixels = 7
const rowPixels = 16

const scaled = ({ x, y }: Spot): Spot => ({ x: Math.round(x / columnPixels), y: Math.round(y / rowPixels) })
/** A state is one line of text in a frame. */
const stateRows = 3

/** Moves the end of a line to the frame of its state, as drawn. */
function onFrame(point: Spot, states: readonly Box[]): Spot {
  const { x, y } = scaled(point)
  const box = states.find(
    (one) => (point.y === one.y || point.y === one.y + one.height) && point.x >= one.x && point.x <= one.x + one.width,
  )
  return box ? { x, y: scaled(box).y + (point.y === box.y ? 0 : stateRows - 1) } : { x, y }
}

/** The points of a route. */
const spotsOf = (points: readonly Spot[], states: readonly Box[]): Spot[] =>
  points.map((point, index) => (index === 0 || index === points.length - 1 ? onFrame(point, states) : scaled(point)))

const arrows = { up: '▲', down: '▼', left: '◀', right: '▶' }

function arrowOf(from: Spot, to: Spot): string {
  if (Math.abs(to.x - from.x) > Math.abs(to.y - from.y)) return to.x > from.x ? arrows.right : arrows.left
  return to.y > from.y ? arrows.down : arrows.up
}

/** The position of a state's mark. */
export interface Marks {
  state: string | undefined
  /** The line of the last transition. */
  edge: string | undefined
}

function draw(canvas: Canvas, layout: Layout, { state, edge }: Marks): void {
  for (const [name, box] of Object.entries(layout.groups)) {
    const from = scaled(box)
    const to = scaled({ x: box.x + box.width, y: box.y + box.height })
    canvas.box(from, to.x - from.x, to.y - from.y, 'dim')
    canvas.text({ x: from.x + 2, y: from.y }, ` ${name} `, 'dim')
  }
  const edges = Object.entries(layout.edges)
  const states = Object.values(layout.states)
  for (const [id, { points }] of edges) canvas.path(spotsOf(points, states), id === edge ? 'green' : 'dim')
  if (layout.initial) {
    canvas.path(spotsOf(layout.initial.points, states), 'dim')
    canvas.text(scaled(layout.initial.dot), '●')
  }
  for (const { label } of Object.values(layout.edges)) {
    const { x, y } = scaled(label)
    label.lines.forEach(({ text, is }, index) => {
      canvas.text({ x: x + 1, y: y + index }, text, is === 'event' ? 'cyan' : is === 'deadline' ? 'yellow' : 'dim')
    })
  }
  for (const [name, box] of Object.entries(layout.states)) {
    const from = scaled(box)
    const width = Math.max(scaled({ x: box.x + box.width, y: 0 }).x - from.x, name.length + 4)
    const colour = name === state ? 'green' : undefined
    canvas.clear(from, width, stateRows)
    canvas.box(from, width, stateRows, colour)
    canvas.text({ x: from.x + Math.floor((width - name.length) / 2), y: from.y + 1 }, name, colour ?? 'bold')
    if (colour) canvas.text({ x: from.x + 1, y: from.y + 1 }, '●', colour)
  }
  for (const { points } of [...edges.map(([, route]) => route), ...(layout.initial ? [layout.initial] : [])]) {
    const [before, end] = spotsOf(points, states).slice(-2)
    if (!before || !end) continue
    // the arrow head is before the frame that it points at
    const arrow = arrowOf(before, end)
    const shift = { '▲': [0, 1], '▼': [0, -1], '◀': [1, 0], '▶': [-1, 0] }[arrow] ?? [0, 0]
    canvas.text({ x: end.x + (shift[0] ?? 0), y: end.y + (shift[1] ?? 0) }, arrow)
  }
}

/** The chart as a drawing with at most this many columns; undefined if it needs more, or has no layout. */
export function drawing({ layouts }: Pick<Machine, 'layouts'>, columnsMax: number, marks: Marks): string | undefined {
  const all = (layouts ?? {}) as unknown as Partial<Record<'down' | 'right', Layout>>
  for (const layout of [all.down, all.right]) {
    if (!layout) continue
    const { x: width, y: height } = scaled({ x: layout.width, y: layout.height })
    if (width > columnsMax) continue
    const canvas = new Canvas(width + 1, height + 2)
    draw(canvas, layout, marks)
    return canvas.toString()
  }
  return undefined
}

/** The chart as a list: each state with its transitions. */
export function listing({ states, transitions }: Pick<Machine, 'states' | 'transitions'>, { state }: Marks): string {
  return states
    .map((name) => {
      const isCurrent = name === state
      const rows = transitions.filter(({ from }) => from === name)
      const lines = rows.map(({ event, guard, to }) => {
        const condition = guard === null ? '' : styled('dim', ` [${guard}]`)
        return `    ${styled('cyan', event)}${condition} → ${to === name ? styled('dim', 'stays') : to}`
      })
      return [`${isCurrent ? styled('green', `● ${name}`) : `  ${styled('bold', name)}`}`, ...lines].join('\n')
    })
    .join('\n')
}
