/**
 * How large the parts of a drawing are. Texts are of fixed width or nearly so, and are reckoned instead of measured: a
 * drawing comes out the same on every screen, and can be kept.
 */
import type { ChartEdge, ChartState, EdgeEvent } from '../model.ts'

export interface Size {
  width: number
  height: number
}

/** Of a state's name, in pixels. */
export const stateFont = 16
/** Of the words on a line. */
export const labelFont = 11
export const labelLineHeight = 14
export const initialSize = 12

const stateCharacter = 9.2
const labelCharacter = 6.65
const guardLengthMax = 22
/** More lines than these are said by a number. */
const linesMax = 5

export interface LabelLine {
  text: string
  isDeadline: boolean
  /** A condition of the line above. */
  isGuard: boolean
}

const shortened = (text: string, length: number) => (text.length > length ? `${text.slice(0, length - 1)}…` : text)

function guardsText(guards: string[]): string {
  const [first = '', ...others] = guards
  return others.length === 0 ? first : `${first} or ${others.length} more`
}

function linesOf({ event, isDeadline, guards }: EdgeEvent): LabelLine[] {
  const name = { text: shortened(event, 34), isDeadline, isGuard: false }
  if (guards.length === 0) return [name]
  return [name, { text: `[${shortened(guardsText(guards), guardLengthMax)}]`, isDeadline: false, isGuard: true }]
}

/** What stands on a line: its events, each with what has to hold. Where there are many, the events alone. */
export function labelOf({ events }: ChartEdge): LabelLine[] {
  const all = events.flatMap(linesOf)
  if (all.length <= linesMax) return all
  const names = all.filter(({ isGuard }) => !isGuard)
  if (names.length <= linesMax) return names
  const more = { text: `… ${names.length - linesMax + 1} more`, isDeadline: false, isGuard: true }
  return [...names.slice(0, linesMax - 1), more]
}

export function labelSize(lines: LabelLine[]): Size {
  const widths = lines.map(({ text, isDeadline }) => text.length * labelCharacter + (isDeadline ? 16 : 0))
  return { width: Math.ceil(Math.max(...widths)) + 12, height: lines.length * labelLineHeight + 4 }
}

/** A name breaks where its words begin: `awaiting·Tool·Result`. */
export const wordsOf = (name: string): string[] => name.split(/(?=[A-Z/_-])/)

const boxHeight = 46
/** What borders take of a box from afar, where they are wide. */
const bordersPx = 22

/** How large a name may be in its box, on one line or, if that is larger, on two. */
export function namePxMaxOf(state: ChartState): number {
  const room = stateSize(state).width - bordersPx
  const perPx = stateCharacter / stateFont
  // the longer line of two, where it breaks near its middle
  const longest = Math.max(Math.ceil(state.name.length / 2) + 2, ...wordsOf(state.name).map(({ length }) => length))
  const onTwo = Math.min(room / (longest * perPx), (boxHeight - 10) / 2)
  return Math.floor(Math.max(room / (state.name.length * perPx), onTwo))
}

/** As wide as its name and its deadlines need. */
export function stateSize({ name, deadlines }: ChartState): Size {
  const names = [name.length * stateCharacter, ...deadlines.map((one) => one.length * labelCharacter + 16)]
  return { width: Math.max(126, Math.ceil(Math.max(...names)) + 32), height: boxHeight }
}
