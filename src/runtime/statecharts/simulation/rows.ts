/** The rows of a state for an event, each with the result of its guard, evaluated or assumed. */
import type { AnyEventObject } from 'xstate'
import type { Candidate, DecisionTable } from '../../decisions/table.ts'

/** Assumed results of guards, by name, which replace their evaluation. */
export type Assumptions = Readonly<Record<string, boolean>>

export interface EvaluatedRow {
  /** Equal to the current state if the state stays. */
  to: string
  guard: string | null
  /** null: the guard cannot be evaluated with this data. */
  holds: boolean | null
  /** Whether the result was assumed. */
  assumed: boolean
  /** Whether the event took this row: the first whose guard holds. */
  taken: boolean
}

type Given = { context: Record<string, unknown>; event: AnyEventObject }

const isAssumed = (guard: string, assumptions: Assumptions): boolean => Object.hasOwn(assumptions, guard)

function assumedGuard(guard: Candidate['guard'], assumptions: Assumptions): Candidate['guard'] {
  if (guard === null || !isAssumed(guard.name, assumptions)) return guard
  const holds = assumptions[guard.name] === true
  return { name: guard.name, test: () => holds }
}

/** The table with the assumed results in the rows of one state for one event. */
export function assume(table: DecisionTable, state: string, event: string, assumptions: Assumptions): DecisionTable {
  const candidates = table.rows.get(state)?.get(event)
  if (!candidates) return table
  const assumed = candidates.map((row) => ({ ...row, guard: assumedGuard(row.guard, assumptions) }))
  return { ...table, rows: new Map([[state, new Map([[event, assumed]])]]) }
}

/** The table with the assumed results in one of the creations. */
export function assumeCreation(table: DecisionTable, event: string, assumptions: Assumptions): DecisionTable {
  const birth = table.creations.get(event)
  if (!birth) return table
  return { ...table, creations: new Map([[event, { ...birth, guard: assumedGuard(birth.guard, assumptions) }]]) }
}

function guardResult({ guard }: Pick<Candidate, 'guard'>, given: Given): boolean | null {
  if (guard === null) return true
  try {
    return guard.test(given) === true
  } catch {
    return null
  }
}

/** The result of each row for the event, in the order in which they are tried. The table contains the assumptions. */
export function evaluate(
  table: DecisionTable,
  state: string | null,
  given: Given,
  assumptions: Assumptions,
): EvaluatedRow[] {
  const { event } = given
  const birth = state === null ? table.creations.get(event.type) : undefined
  const rows: readonly Pick<Candidate, 'guard' | 'target' | 'acts'>[] =
    state === null
      ? birth
        ? [{ guard: birth.guard, target: table.initial.state, acts: table.initial.acts }]
        : []
      : // a row without a target and effects counts as none
        (table.rows.get(state)?.get(event.type) ?? []).filter(({ target, acts }) => target !== null || acts.length > 0)
  let open = true
  return rows.map((row) => {
    const holds = guardResult(row, given)
    const taken = open && holds === true
    // an exception in a guard ends the search without a decision
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
