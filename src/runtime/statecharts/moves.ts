/** The moves of a statechart, read off its decision table. Source: contract 5, "Machines"; contract 9. */
import type { DecisionTable } from '../decisions/table.ts'

/** One row of the transition table. */
export interface ChartMove {
  /** null: the actor comes into being. */
  from: string | null
  /** A deadline's event is the name of its delay, as in the journal. */
  event: string
  guard: string | null
  /** Equal to `from` when the state stays. */
  to: string
  /** What the move asks for, entering and leaving included, in order. */
  effects: string[]
  /** The state or the group that declares it; null: the actor comes into being. */
  declaredAt: string | null
  /** Where it leads as it is declared: the group itself, where it leaves each of its states as it is. */
  declaredTo: string
}

/** Every move, creations first, in the order in which candidates are tried. */
export function listMoves(table: DecisionTable): ChartMove[] {
  const { state: to, acts: initial } = table.initial
  const requested = initial.flatMap((act) => (act.do === 'effect' ? [act.name] : []))
  const moves = [...table.births].map(([event, { guard }]): ChartMove => {
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
        // a row that neither moves nor does anything counts as none
        if (target === null && acts.length === 0) continue
        const to = target ?? from
        moves.push({ from, event, guard: guard?.name ?? null, to, effects: [...effects], declaredAt, declaredTo })
      }
    }
  }
  return moves
}

/** The events that each state has a row for; none at all in a state that is final. */
export function eventsByState(table: DecisionTable): ReadonlyMap<string, string[]> {
  const events = new Map(table.states.map((state) => [state, new Set<string>()]))
  for (const { from, event } of listMoves(table)) if (from !== null) events.get(from)?.add(event)
  return new Map([...events].map(([state, names]) => [state, [...names]]))
}

/** Names of the events that are deadlines. */
export function deadlinesOf(table: DecisionTable): ReadonlySet<string> {
  const candidates = [...table.rows.values()].flatMap((rows) => [...rows.values()].flat())
  const acts = [table.initial, ...candidates].flatMap((row) => row.acts)
  return new Set(acts.flatMap((act) => (act.do === 'arm' || act.do === 'disarm' ? [act.timer] : [])))
}
