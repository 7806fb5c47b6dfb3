/** Usage in a billing period. Source: contract 8, `Usage`; contract 13, "Cost". */
import type { Cost } from '../../machines/run/budget.ts'

/** The usage of an organization in a period. */
export interface UsageCounters {
  /** Minutes for which attempts held a machine, with decimals. */
  minutes: number
  /** Unused minutes that live runs have reserved. */
  reservedMinutes: number
  runs: { started: number; completed: number; failed: number }
  tokens: { input: number; output: number }
  /** Omitted if no model step ended while the server had prices. */
  costs?: {
    /** null if a step had no price, and if there are two currencies. */
    cost: Cost | null
    /** By currency. */
    costs: Cost[]
  }
}

/** The current counts of an organization's runs. */
export interface RunCounts {
  /** Unfinished runs. */
  liveRuns: number
  storedBytes: number
}

export const shareOwners = ['project', 'agent'] as const
export type ShareOf = (typeof shareOwners)[number]

/** The usage of one Agent or Project. */
export interface UsageShareCounters {
  id: string | null
  name: string | null
  counters: UsageCounters
}

export interface UsageSource {
  counts(organizationId: string): Promise<RunCounts>
  of(organizationId: string, period: { start: number }): Promise<UsageCounters>
  /** The usage by owner, the most first; the id is null for usage without one, the name for a deleted one. */
  shares(organizationId: string, period: { start: number }, by: ShareOf): Promise<UsageShareCounters[]>
}
