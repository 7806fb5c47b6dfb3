/** The highlighted parts of a statechart: the current state of an actor, its earlier states, and its last transition. */
import type { ChartModel } from './model.ts'

/** A row of the journal, as the API returns it. */
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
  /** How often each state was entered, and each edge taken. */
  states: ReadonlyMap<string, number>
  edges: ReadonlyMap<string, number>
  /** Transitions that have just happened; their edges are highlighted. */
  fired: readonly Fired[]
}

/** A transition whose edge is highlighted. `turn` is its sequence number; the highlight starts after `delayMs`. */
export interface Fired {
  edge: string
  event: string
  turn: number
  delayMs: number
}

/** A transition that has just happened, by its sequence number in the journal. */
export interface Passed {
  sequence: number
  delayMs: number
}

export const unlit: Lit = { active: null, states: new Map(), edges: new Map(), fired: [] }

/** The state alone, without a journal. */
export const litAt = (active: string | undefined): Lit => ({ ...unlit, active: active ?? null })

const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)

/** From the journal's rows up to the shown one, ascending, and those of them that have just happened. */
export function litBy(
  rows: readonly JournalRow[],
  upTo: number,
  edgeOf: ChartModel['edgeOf'] = () => undefined,
  passed: readonly Passed[] = [],
): Lit {
  const delays = new Map(passed.map(({ sequence, delayMs }) => [sequence, delayMs]))
  const fired: Fired[] = []
  const states = new Map<string, number>()
  const edges = new Map<string, number>()
  let last: JournalRow | undefined
  for (const row of rows) {
    if (row.sequence > upTo) break
    // the first loaded row need not be the journal's first: count the state that it leaves as well
    if (last === undefined && row.from !== null && row.from !== row.to) count(states, row.from)
    if (row.from !== row.to) count(states, row.to)
    const edge = edgeOf(row)
    if (edge !== undefined) {
      count(edges, edge)
      const delayMs = delays.get(row.sequence)
      if (delayMs !== undefined) fired.push({ edge, event: row.event, turn: row.sequence, delayMs })
    }
    last = row
  }
  return { active: last?.to ?? null, states, edges, fired }
}
