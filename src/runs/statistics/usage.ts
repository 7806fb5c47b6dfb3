/**
 * What a change of a run adds to its organization's counters: the time for which its attempts have held machines, how it
 * began and ended, what its models have read and written, and what is reserved for it. Pure but for the statements that it
 * makes; they are part of the change, so that everything is counted once. Source: contract 8, `Usage` and "Minutes".
 */
import type { Period } from '../../../machines/period.ts'
import type { RunContext } from '../../../machines/run.ts'
import { countShare, countUsage, countWithin, type UsageDelta } from '../../../storage/billing/usage.ts'
import type { LimitReached } from '../../../storage/bounds.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { RunRow } from '../../../storage/tables.ts'
import { type ApiError, budgetExhausted, limitReached } from '../../platform/http/answers/errors.ts'
import type { Reservation, RunChange, RunSeed } from '../record.ts'
import { notifyOfBudget } from './budget-marks.ts'

/**
 * Sets time aside for an organization that wants a run started or continued; undefined where nothing is metered. With `look`
 * the counters are asked first: what was set aside before could not be had. Throws `budget_exhausted` (402) and
 * `limit_exceeded` (422).
 */
export type Reserve = (organizationId: string, look: boolean) => Reservation | undefined | Promise<Reservation>

/** What a start or continue is told that could not have what it wanted. */
export const refusalOf = ({ reached }: LimitReached): ApiError => (reached ? limitReached(reached) : budgetExhausted())

/** A billing period, with what may be used in it; null sets no bound. */
export interface MeteredPeriod extends Period {
  boundMs: number | null
}

/** The current billing period of an organization: what is measured now belongs to it. */
export type PeriodOf = (organizationId: string) => MeteredPeriod | Promise<MeteredPeriod>

export interface Tokens {
  input: number
  output: number
}

/** What is left of a reservation, as the run's row has it. */
export type Reserved = Pick<RunRow, 'reserved_ms' | 'reserved_in'>

export const nothingReserved: Reserved = { reserved_ms: 0, reserved_in: null }

/** In these states nothing is under way that a reservation could be for: whoever goes on from them reserves anew. */
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
  /** One that was taken by this change and that the run still has. */
  taken: Reservation | undefined
}

/** What the moves of a change come to. */
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
  for (const { event, from, to, context } of moves) {
    const now = context as unknown as RunContext
    if (now.chain > chain) {
      tally.taken = from === null ? (seed as RunSeed).reservation : event.reservation
      tally.reserved = tally.taken
        ? { reserved_ms: tally.taken.ms, reserved_in: tally.taken.period.start }
        : nothingReserved
    } else if (now.activeMs > activeMs) {
      const heldMs = now.activeMs - activeMs
      tally.heldMs += heldMs
      // what was set aside has now been used
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

/** The statements that count a change. `period` is the one that the moment of the change lies in. */
export function countChange(
  store: Store,
  {
    organization_id: organizationId,
    agent_id,
    project_id,
  }: Pick<RunRow, 'organization_id' | 'agent_id' | 'project_id'>,
  before: Reserved,
  { heldMs, started, completed, failed, reserved, taken }: Tally,
  tokens: Tokens,
  period: MeteredPeriod,
  at: number,
): Write[] {
  const deltas = new Map<number, UsageDelta>()
  const deltaOf = (periodStart: number): UsageDelta => {
    const known = deltas.get(periodStart)
    const delta = known ?? { ...noCounts, organization_id: organizationId, period_start: periodStart, period_end: null }
    if (!known) deltas.set(periodStart, delta)
    return delta
  }
  // a reservation may be from an earlier period than what is used now
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

  const writes: Write[] = []
  for (const delta of deltas.values()) {
    const boundMs = delta.period_start === taken?.period.start ? taken.boundMs : null
    if (boundMs !== null) writes.push(countWithin(store, { ...delta, boundMs }))
    else if (!isNothing(delta)) writes.push(countUsage(store, delta))
    if (!isNothing(delta)) writes.push(countShare(store, { ...delta, agent_id, project_id: project_id ?? '' }))
  }
  if (heldMs > 0 && period.boundMs !== null) {
    writes.push(...notifyOfBudget(store, { organizationId, period, boundMs: period.boundMs, at }))
  }
  return writes
}

/** Counters to which nothing is added. */
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
