/** Fits the name of a state into its box. */
import { stateFont, stateHeight, stateNameWidth } from '../../../runtime/statecharts/layouts/text-metrics.ts'

/** A name breaks where its words begin: `awaiting·Tool·Result`. */
export const wordsOf = (name: string): string[] => name.split(/(?=[A-Z/_-])/)

/** What borders take of a box from afar, where they are wide. */
const bordersPx = 22

/** In pixels: on one line or, if that is larger, on two. */
export function namePxMaxOf(name: string, boxWidth: number): number {
  const room = boxWidth - bordersPx
  const perPx = stateNameWidth('a') / stateFont
  // the longer line of two, where it breaks near its middle
  const longest = Math.max(Math.ceil(name.length / 2) + 2, ...wordsOf(name).map(({ length }) => length))
  const onTwo = Math.min(room / (longest * perPx), (stateHeight - 10) / 2)
  return Math.floor(Math.max(room / (name.length * perPx), onTwo))
}
