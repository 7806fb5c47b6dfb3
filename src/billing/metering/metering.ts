/**
 * The usage of organizations in the current billing period against their budgets and limits. The counters are written
 * with the runs (`src/runs/statistics/usage.ts`). Source: requirement 8, "Billing budget"; contract 8, "Precise
 * points".
 */

import { type CostSums, sumShares } from '../../../storage/billing/costs.ts'
import { findUsage, listShares } from '../../../storage/billing/usage.ts'
import { findRunCounts } from '../../../storage/runs/run-counts.ts'
import type { Store } from '../../../storage/store.ts'
import type { UsageCounterRow, UsageCounts } from '../../../storage/tables.ts'
import { RecentlyUsed } from '../../platform/cache.ts'
import { budgetExhausted, quotaExceeded } from '../../platform/http/answers/errors.ts'
import { minuteMs } from '../../platform/time/durations.ts'
import type { Reservation } from '../../runs/record.ts'
import { CostSum } from '../../runs/statistics/cost-statistics.ts'
import type { MeteredPeriod } from '../../runs/statistics/usage.ts'
import type { PlanLimits } from '../../tenancy/organizations/limits.ts'
import type { ContractTerms, Terms } from '../terms.ts'
import type { RunCounts, ShareOf, UsageCounters, UsageSource } from '../usage.ts'

/** Reserved when a run starts or continues, if that much is left. */
const reservationMs = 60_000
/** The most organizations with a scarce budget that are remembered. */
const scarceMax = 10_000

interface MeteringParts {
  store: Store
  terms: Pick<ContractTerms, 'of'>
}

export class Metering implements UsageSource {
  /** Organizations without a full reservation left: their budget is read first. */
  readonly #scarce = new RecentlyUsed<true>(scarceMax)
  /** Organizations at their limit of runs: they are checked first, so that refusals cost no commit. */
  readonly #full = new RecentlyUsed<true>(scarceMax)

  constructor(private readonly parts: MeteringParts) {}

  /** The current period. */
  readonly periodOf = (organizationId: string): MeteredPeriod | Promise<MeteredPeriod> => {
    const terms = this.parts.terms.of(organizationId)
    return terms instanceof Promise ? terms.then(metered) : metered(terms)
  }

  /**
   * Reserves time, or throws `budget_exhausted` (402). Usually nothing is read first: the statement that stores the
   * reservation refuses (`LimitReached`) if not enough is left, and the caller repeats with `look`.
   */
  readonly reserve = (organizationId: string, look: boolean, isLive = false): Reservation | Promise<Reservation> => {
    const terms = this.parts.terms.of(organizationId)
    if (terms instanceof Promise) return terms.then((known) => this.#reserve(organizationId, known, look, isLive))
    return this.#reserve(organizationId, terms, look, isLive)
  }

  /** The live runs, and the stored bytes of runs. */
  async counts(organizationId: string): Promise<RunCounts> {
    const { store } = this.parts
    const row = await store.first(findRunCounts(store, { organizationId }))
    return { liveRuns: row?.live_runs ?? 0, storedBytes: row?.stored_bytes ?? 0 }
  }

  /** The usage of a period. */
  async of(organizationId: string, period: { start: number }): Promise<UsageCounters> {
    const { store } = this.parts
    const [counts, costs] = await Promise.all([
      this.#counters(organizationId, period),
      sumShares(store, { organizationId, periodStart: period.start }),
    ])
    return countersOf(counts, costs)
  }

  /** The usage of each Agent or Project, the most first; null is usage without one. */
  async shares(organizationId: string, { start }: { start: number }, by: ShareOf) {
    const { store } = this.parts
    const [rows, costs] = await Promise.all([
      store.all(listShares[by](store, { organizationId, periodStart: start })),
      sumShares(store, { organizationId, periodStart: start }, by),
    ])
    const costsOf = (id: string) => costs.filter((sums) => (by === 'agent' ? sums.agent_id : sums.project_id) === id)
    return rows.map(({ id, name, ...counts }) => ({
      id: id === '' ? null : id,
      name,
      counters: countersOf(counts, costsOf(id)),
    }))
  }

  #reserve(organizationId: string, terms: Terms, look: boolean, isLive: boolean): Reservation | Promise<Reservation> {
    const { limits } = terms
    // an organization's first run has no counter that could refuse it
    if (look || limits.liveRuns === 0 || this.#full.get(organizationId)) {
      return this.#assertRoom(organizationId, limits, isLive).then(() => this.#reserveTime(organizationId, terms, look))
    }
    return this.#reserveTime(organizationId, terms, look)
  }

  #reserveTime(organizationId: string, terms: Terms, look: boolean): Reservation | Promise<Reservation> {
    const { period, minuteBudget, limits } = terms
    if (minuteBudget === null) return { ms: reservationMs, period, boundMs: null, limits }
    const boundMs = boundOf(minuteBudget)
    if (boundMs > 0 && !look && !this.#scarce.get(organizationId)) {
      return { ms: Math.min(reservationMs, boundMs), period, boundMs, limits }
    }
    return this.#reserveWhatIsLeft(organizationId, terms, boundMs)
  }

  /** Throws `limit_exceeded` (422) at the limit of live runs or of stored bytes. */
  async #assertRoom(organizationId: string, { liveRuns, storedBytes }: PlanLimits, isLive: boolean): Promise<void> {
    const counts = await this.counts(organizationId)
    this.#full.set(organizationId, true)
    const isCrowded = liveRuns !== null && counts.liveRuns >= liveRuns
    if (isCrowded && !isLive) throw quotaExceeded('liveRuns', liveRuns)
    if (storedBytes !== null && counts.storedBytes >= storedBytes) throw quotaExceeded('storedBytes', storedBytes)
    if (!isCrowded) this.#full.delete(organizationId)
  }

  async #reserveWhatIsLeft(organizationId: string, { period, limits }: Terms, boundMs: number): Promise<Reservation> {
    const row = await this.#counters(organizationId, period)
    const leftMs = boundMs - (row?.used_ms ?? 0) - (row?.reserved_ms ?? 0)
    if (leftMs < reservationMs) this.#scarce.set(organizationId, true)
    else this.#scarce.delete(organizationId)
    if (leftMs <= 0) throw budgetExhausted()
    return { ms: Math.min(reservationMs, leftMs), period, boundMs, limits }
  }

  #counters(organizationId: string, { start }: { start: number }): Promise<UsageCounterRow | undefined> {
    const { store } = this.parts
    return store.first(findUsage(store, { organizationId, periodStart: start }))
  }
}

const boundOf = (minuteBudget: number): number => Math.floor(minuteBudget * minuteMs)

const metered = ({ period, minuteBudget }: Terms): MeteredPeriod => ({
  ...period,
  boundMs: minuteBudget === null ? null : boundOf(minuteBudget),
})

function countersOf(counts: UsageCounts | undefined, costs: readonly CostSums[]): UsageCounters {
  const sum = new CostSum()
  for (const sums of costs) sum.add(sums)
  return {
    minutes: (counts?.used_ms ?? 0) / minuteMs,
    reservedMinutes: (counts?.reserved_ms ?? 0) / minuteMs,
    runs: {
      started: counts?.runs_started ?? 0,
      completed: counts?.runs_completed ?? 0,
      failed: counts?.runs_failed ?? 0,
    },
    tokens: { input: counts?.input_tokens ?? 0, output: counts?.output_tokens ?? 0 },
    ...(sum.modelSteps > 0 && { costs: { cost: sum.cost, costs: sum.costs } }),
  }
}
