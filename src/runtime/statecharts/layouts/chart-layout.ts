/**
 * The layout of a statechart's drawing. The layouts of the built-in statecharts are generated ahead of time and
 * returned by `GET /api/v1/machines/{kind}`, so that a page draws them at once.
 *
 * All numbers are pixels in one plane whose origin is the upper left corner of the drawing, also within groups. Texts
 * have the sizes of `text-metrics.ts`, and every box has room for all of its text.
 */

export interface Point {
  x: number
  y: number
}

export interface Box extends Point {
  width: number
  height: number
}

/** The main direction of the transitions: to the right or downwards. */
export type Direction = 'right' | 'down'

/** One line of the text on a transition. Guards and effects follow below their event. */
export interface LabelLine {
  text: string
  /**
   * A deadline is an event without a sender: its text ends with its length, and a clock stands before it. `more` is the
   * number of events that have no line.
   */
  is: 'event' | 'deadline' | 'guard' | 'effect' | 'more'
  /** The event that the line belongs to; undefined for `more`. */
  event: string | null
}

export interface EdgeLabel extends Box {
  lines: LabelLine[]
}

export interface EdgeRoute {
  /** From its start to its arrow head; segments between two points are straight. */
  points: Point[]
  label: EdgeLabel
}

export interface ChartLayout {
  width: number
  height: number
  /** By name. */
  states: Record<string, Box>
  /** The frames of groups by name, outer groups first; the title is in the first `groupTitleHeight` pixels. */
  groups: Record<string, Box>
  /** By `edgeIdOf(from, to)`, where both are states or groups: a transition of a group is one line from its frame. */
  edges: Record<string, EdgeRoute>
  /** The dot of the initial state, and its line. */
  initial: { dot: Box; points: Point[] } | null
}

/** The layouts of a statechart in both directions. */
export type ChartLayouts = Record<Direction, ChartLayout>

/** The line of a transition: from the state or group that declares it. */
export const edgeIdOf = (from: string, to: string): string => `${from} → ${to}`
