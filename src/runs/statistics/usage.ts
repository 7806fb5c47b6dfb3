/**
 * Adds a change of a run to its organization's counters: machine time, starts and ends, model tokens, and reservations.
 * Pure except for the statements it creates, which are part of the change, so that everything is counted once. Source:
 * contract 8, `Usage` and "Minutes".
 */
import type { Period } from '../../../machines/period.ts'
import { countShare, countUsage, countWithin, type UsageDelta } from '../../../storage/billing/usage.ts'
import type { LimitReached } from '../../../storage/bounds.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { RunRow } from '../../../storage/tables.ts'
import { type ApiError, budgetExhausted, limitReached } from '../../platform/http/answers/errors.ts'
import type { Reservation, RunChange, RunSeed } from '../record.ts'
import { notifyOfBudget } from './budget-marks.ts'

/**
 * Reserves time for a start or a continue; undefined if nothing is metered. With `look` it reads the counters first,
 * after a previous reservation failed. `isLive`: the run counts as a live one already. Throws `budget_exhausted` (402)
 * and `limit_exceeded` (422).
 */
export type Reserve = (
  organizationId: string,
  look: boolean,
  isLive?: boolean,
) => Reservation | undefined | Promise<Reservation>

/** The error of a start or a continue that exceeds a limit. */
export const refusalOf = ({ reached }: LimitReached): ApiError => (reached ? limitReached(reached) : budgetExhausted())

/** A billing period with its budget; null is unlimited. */
export interface MeteredPeriod extends Period {
  boundMs: number | null
}

/** The current billing period of an organization. */
export type PeriodOf = (organizationId: string) => MeteredPeriod | Promise<MeteredPeriod>

export interface Tokens {
  input: number
  output: number
}

/** The rest of a reservation in the run's row. */
export type Reserved = Pick<RunRow, 'reserved_ms' | 'reserved_in'>

export const nothingReserved: Reserved = { reserved_ms: 0, reserved_in: null }

/** States without a reservation: a continue from them makes a new one. */
const restingStates = new Set([
  'awaitingToolResult',
  'awaitingDelegateResult',
  'completed',
  'failed',
  'canceled',
  'expired',
])

interface Tally {
  heldMs: number
  started: number
  completed: number
  failed: number
  reserved: Reserved
  /** A reservation made by this change and still held. */
  taken: Reservation | undefined
}

/** Sums up the moves of a change. */
export function tallyOf({ before, moves, seed }: RunChange): Tally {
  const { reserved_ms, reserved_in } = before?.row.row ?? nothingReserved
  const tally: Tally = {
    heldMs: 0,
    started: 0,
    completed: 0,
    failed: 0,
    reserved: { reserved_ms, reserved_in },
    taken: undefined,
  }
  let { chain, activeMs } = before?.context ?? { chain: 0, activeMs: 0 }
  for (const { event, from, to, context: now } of moves) {
    if (now.chain > chain) {
      tally.taken = from === null ? (seed as RunSeed).reservation : event.reservation
      tally.reserved = tally.taken
        ? { reserved_ms: tally.taken.ms, reserved_in: tally.taken.period.start }
        : nothingReserved
    } else if (now.activeMs > activeMs) {
      const heldMs = now.activeMs - activeMs
      tally.heldMs += heldMs
      // the reserved time has been used
      tally.reserved = { ...tally.reserved, reserved_ms: Math.max(0, tally.reserved.reserved_ms - heldMs) }
    }
    ;({ chain, activeMs } = now)
    if (from === to) continue
    if (from === null) tally.started += 1
    if (to === 'completed') tally.completed += 1
    if (to === 'failed') tally.failed += 1
    if (restingStates.has(to)) tally.taken = undefined
    if (restingStates.has(to) || tally.reserved.reserved_ms === 0) tally.reserved = nothingReserved
  }
  return tally
}

interface CountedChange {
  /** What was reserved before the change. */
  before: Reserved
  tally: Tally
  tokens: Tokens
  /** Contains the time of the change. */
  period: MeteredPeriod
  at: number
}

/** The statements that count a change of a run. */
export function countChange(
  store: Store,
  run: Pick<RunRow, 'organization_id' | 'agent_id' | 'project_id'>,
  change: CountedChange,
): Write[] {
  const { tally, period, at } = change
  const { organization_id: organizationId, agent_id } = run
  const writes: Write[] = []
  for (const delta of deltasOf(organizationId, change)) {
    const boundMs = delta.period_start === tally.taken?.period.start ? tally.taken.boundMs : null
    if (boundMs !== null) writes.push(countWithin(store, { ...delta, boundMs }))
    else if (!isNothing(delta)) writes.push(countUsage(store, delta))
    if (!isNothing(delta)) writes.push(countShare(store, { ...delta, agent_id, project_id: run.project_id ?? '' }))
  }
  if (tally.heldMs > 0 && period.boundMs !== null) {
    writes.push(...notifyOfBudget(store, { organizationId, period, boundMs: period.boundMs, at }))
  }
  return writes
}

/** What a change adds to the counters of each period: the reservation may be from an earlier one than the usage. */
function deltasOf(organizationId: string, { before, tally, tokens, period }: CountedChange): UsageDelta[] {
  const { heldMs, started, completed, failed, reserved, taken } = tally
  const deltas = new Map<number, UsageDelta>()
  const deltaOf = (periodStart: number): UsageDelta => {
    const known = deltas.get(periodStart)
    const delta = known ?? { ...noCounts, organization_id: organizationId, period_start: periodStart, period_end: null }
    if (!known) deltas.set(periodStart, delta)
    return delta
  }
  if (before.reserved_in !== null) deltaOf(before.reserved_in).reserved_ms -= before.reserved_ms
  if (reserved.reserved_in !== null) deltaOf(reserved.reserved_in).reserved_ms += reserved.reserved_ms
  if (taken) deltaOf(taken.period.start).period_end = taken.period.end
  const now = deltaOf(period.start)
  now.period_end = period.end
  now.used_ms = heldMs
  now.runs_started = started
  now.runs_completed = completed
  now.runs_failed = failed
  now.input_tokens = tokens.input
  now.output_tokens = tokens.output
  return [...deltas.values()]
}

/** Zero for all counters. */
export const noCounts = {
  used_ms: 0,
  reserved_ms: 0,
  runs_started: 0,
  runs_completed: 0,
  runs_failed: 0,
  input_tokens: 0,
  output_tokens: 0,
}
const counters = Object.keys(noCounts) as (keyof typeof noCounts)[]
const isNothing = (delta: UsageDelta) => counters.every((counter) => delta[counter] === 0)
