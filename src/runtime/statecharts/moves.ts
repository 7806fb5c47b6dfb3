/** The transitions of a statechart, from its decision table. Source: contract 5, "Machines"; contract 9. */
import type { DecisionTable } from '../decisions/table.ts'

/** One row of the transition table. */
export interface ChartMove {
  /** null: the actor is created. */
  from: string | null
  /** The event of a deadline is the name of its delay, as in the journal. */
  event: string
  guard: string | null
  /** Equal to `from` if the state stays. */
  to: string
  /** The requested effects, including those of leaving and entering, in order. */
  effects: string[]
  /** The state or group that declares the transition; null for a creation. */
  declaredAt: string | null
  /** The target as declared: the group itself if the actor stays in its current state of the group. */
  declaredTo: string
}

/** All transitions, creations first, in the order in which candidates are tried. */
export function listMoves(table: DecisionTable): ChartMove[] {
  const { state: to, acts: initial } = table.initial
  const requested = initial.flatMap((act) => (act.do === 'effect' ? [act.name] : []))
  const moves = [...table.creations].map(([event, { guard }]): ChartMove => {
    return {
      from: null,
      event,
      guard: guard?.name ?? null,
      to,
      effects: [...requested],
      declaredAt: null,
      declaredTo: to,
    }
  })
  for (const [from, rows] of table.rows) {
    for (const [event, candidates] of rows) {
      for (const { guard, target, acts, effects, declaredAt, declaredTo } of candidates) {
        // a row without a target and effects counts as none
        if (target === null && acts.length === 0) continue
        const to = target ?? from
        moves.push({ from, event, guard: guard?.name ?? null, to, effects: [...effects], declaredAt, declaredTo })
      }
    }
  }
  return moves
}

/** The events for which each state has a row; none in a final state. */
export function eventsByState(table: DecisionTable): ReadonlyMap<string, string[]> {
  const events = new Map(table.states.map((state) => [state, new Set<string>()]))
  for (const { from, event } of listMoves(table)) if (from !== null) events.get(from)?.add(event)
  return new Map([...events].map(([state, names]) => [state, [...names]]))
}

/** The names of deadlines. */
export function deadlinesOf(table: DecisionTable): ReadonlySet<string> {
  const candidates = [...table.rows.values()].flatMap((rows) => [...rows.values()].flat())
  const acts = [table.initial, ...candidates].flatMap((row) => row.acts)
  return new Set(acts.flatMap((act) => (act.do === 'arm' || act.do === 'disarm' ? [act.timer] : [])))
}
