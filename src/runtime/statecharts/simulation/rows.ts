/** The rows that a state has for an event, each with what its guard says, or is assumed to say. */
import type { AnyEventObject } from 'xstate'
import type { Candidate, DecisionTable } from '../../decisions/table.ts'

/** Answers of guards that are given instead of asked for, by the guard's name. */
export type Assumptions = Readonly<Record<string, boolean>>

export interface JudgedRow {
  /** Equal to the present state where that stays. */
  to: string
  guard: string | null
  /** null: the guard cannot be asked with this data. */
  holds: boolean | null
  /** Whether the answer was given, and not asked for. */
  assumed: boolean
  /** Whether the event took this row: the first one that holds. */
  taken: boolean
}

type Given = { context: Record<string, unknown>; event: AnyEventObject }

const isAssumed = (guard: string, assumptions: Assumptions): boolean => Object.hasOwn(assumptions, guard)

function assumedGuard(guard: Candidate['guard'], assumptions: Assumptions): Candidate['guard'] {
  if (guard === null || !isAssumed(guard.name, assumptions)) return guard
  const holds = assumptions[guard.name] === true
  return { name: guard.name, test: () => holds }
}

/** The table with these answers of guards in the rows of one state for one event. */
export function assume(table: DecisionTable, state: string, event: string, assumptions: Assumptions): DecisionTable {
  const candidates = table.rows.get(state)?.get(event)
  if (!candidates) return table
  const assumed = candidates.map((row) => ({ ...row, guard: assumedGuard(row.guard, assumptions) }))
  return { ...table, rows: new Map([[state, new Map([[event, assumed]])]]) }
}

/** The table with these answers of guards in one of the ways that an actor comes into being. */
export function assumeBirth(table: DecisionTable, event: string, assumptions: Assumptions): DecisionTable {
  const birth = table.births.get(event)
  if (!birth) return table
  return { ...table, births: new Map([[event, { ...birth, guard: assumedGuard(birth.guard, assumptions) }]]) }
}

function verdict({ guard }: Pick<Candidate, 'guard'>, given: Given): boolean | null {
  if (guard === null) return true
  try {
    return guard.test(given) === true
  } catch {
    return null
  }
}

/** What each row says to the event, in the order in which they are tried. The table has the assumptions in it. */
export function judge(table: DecisionTable, state: string | null, given: Given, assumptions: Assumptions): JudgedRow[] {
  const { event } = given
  const birth = state === null ? table.births.get(event.type) : undefined
  const rows: readonly Pick<Candidate, 'guard' | 'target' | 'acts'>[] =
    state === null
      ? birth
        ? [{ guard: birth.guard, target: table.initial.state, acts: table.initial.acts }]
        : []
      : // a row that neither moves nor does anything counts as none
        (table.rows.get(state)?.get(event.type) ?? []).filter(({ target, acts }) => target !== null || acts.length > 0)
  let open = true
  return rows.map((row) => {
    const holds = verdict(row, given)
    const taken = open && holds === true
    // a guard that breaks ends the search: nothing is decided
    if (holds !== false) open = false
    const guard = row.guard?.name ?? null
    return {
      to: row.target ?? state ?? '',
      guard,
      holds,
      assumed: guard !== null && isAssumed(guard, assumptions),
      taken,
    }
  })
}
