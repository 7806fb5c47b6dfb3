/** The parts of a chart that differ from another one. */
import type { Change } from '../../../runtime/statecharts/differences.ts'

export interface Marks {
  /** By the name of the state or the group. */
  states: ReadonlyMap<string, Change>
  /** By the id of the line. */
  edges: ReadonlyMap<string, Change>
}

/** Marks a change without colour. */
export const signOf: Record<Change, string> = { added: '+', removed: '−', changed: '~' }
