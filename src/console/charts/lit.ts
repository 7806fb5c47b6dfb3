/** What of a statechart an actor has seen so far: where it is, where it has been, which move it made last. */
import { edgeIdOf } from './model.ts'

/** A row of the journal, as the API has it. */
export interface JournalRow {
  sequence: number
  from: string | null
  to: string
  event: string
  actor: { type: string; id: string }
  attempt: number
  reason: { code: string; message: string } | null
  at: string
}

export interface Lit {
  active: string | null
  /** How often each state was entered, and each line taken. */
  states: ReadonlyMap<string, number>
  edges: ReadonlyMap<string, number>
  /** The move that is being made. `turn` tells one from the next on the same line. */
  fired: { edge: string; event: string; turn: number } | null
}

export const unlit: Lit = { active: null, states: new Map(), edges: new Map(), fired: null }

/** Only the state, where nothing else is known. */
export const litAt = (active: string | undefined): Lit => ({ ...unlit, active: active ?? null })

const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)

/** By the rows of a journal up to one, ascending. `moving`: that one is being made now. */
export function litBy(rows: readonly JournalRow[], upTo: number, moving: boolean): Lit {
  const states = new Map<string, number>()
  const edges = new Map<string, number>()
  let last: JournalRow | undefined
  for (const row of rows) {
    if (row.sequence > upTo) break
    // the first row that is known may be one in the middle: where it comes from counts as well
    if (last === undefined && row.from !== null && row.from !== row.to) count(states, row.from)
    if (row.from !== row.to) count(states, row.to)
    if (row.from !== null) count(edges, edgeIdOf(row.from, row.to))
    last = row
  }
  const fired =
    moving && last && last.from !== null
      ? { edge: edgeIdOf(last.from, last.to), event: last.event, turn: last.sequence }
      : null
  return { active: last?.to ?? null, states, edges, fired }
}
