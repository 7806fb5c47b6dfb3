/** Fits the name of a state into its box. */
import { stateFont, stateHeight, stateNameWidth } from '../../../runtime/statecharts/layouts/text-metrics.ts'

/** Splits a name at its words: `awaiting·Tool·Result`. */
export const wordsOf = (name: string): string[] => name.split(/(?=[A-Z/_-])/)

/** The width of a box's borders when zoomed out. */
const bordersPx = 22

/** The font size in pixels: on one line or, if that allows a larger one, on two. */
export function namePxMaxOf(name: string, boxWidth: number): number {
  const room = boxWidth - bordersPx
  const perPx = stateNameWidth('a') / stateFont
  // the longer of two lines, for a break near the middle
  const longest = Math.max(Math.ceil(name.length / 2) + 2, ...wordsOf(name).map(({ length }) => length))
  const onTwo = Math.min(room / (longest * perPx), (stateHeight - 10) / 2)
  return Math.floor(Math.max(room / (name.length * perPx), onTwo))
}
