/**
 * Where everything of a statechart is drawn. The layouts of the built-in statecharts are made ahead of time and come with
 * `GET /api/v1/machines/{kind}`, so that a page draws them at once.
 *
 * All numbers are pixels of one plane whose origin is the upper left corner of the drawing, groups included: nothing is
 * relative to what surrounds it. Texts have the sizes of `text-metrics.ts`, and every box has room for all of its text.
 */

export interface Point {
  x: number
  y: number
}

export interface Box extends Point {
  width: number
  height: number
}

/** Across or downwards: how the transitions mostly lead. */
export type Direction = 'right' | 'down'

/** One line of the text on a transition. Guards and effects stand below the event that they belong to. */
export interface LabelLine {
  text: string
  /**
   * A deadline is an event that comes by itself: its text ends with its length, and a clock stands before it. `more` says
   * how many events have no line.
   */
  is: 'event' | 'deadline' | 'guard' | 'effect' | 'more'
  /** The event that the line belongs to; of `more`, none. */
  event: string | null
}

export interface EdgeLabel extends Box {
  lines: LabelLine[]
}

export interface EdgeRoute {
  /** From its beginning to its arrow head; between two points the line is straight. */
  points: Point[]
  label: EdgeLabel
}

export interface ChartLayout {
  width: number
  height: number
  /** By name. */
  states: Record<string, Box>
  /** The frames of groups by name, outer ones first; the title is in the first `groupTitleHeight` pixels. */
  groups: Record<string, Box>
  /** By `edgeIdOf(from, to)`, where both are states or groups: a transition of a group is one line from its frame. */
  edges: Record<string, EdgeRoute>
  /** The dot where everything begins, and its line. */
  initial: { dot: Box; points: Point[] } | null
}

/** A statechart laid out in both directions. */
export type ChartLayouts = Record<Direction, ChartLayout>

/** The line that a transition is drawn on: from the state or group that declares it. */
export const edgeIdOf = (from: string, to: string): string => `${from} → ${to}`
