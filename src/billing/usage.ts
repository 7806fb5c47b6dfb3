/** What an organization has used in a period, from whoever measures. Source: contract 8, `Usage`. */
export interface UsageCounters {
  /** Minutes that attempts have held a machine, with decimals. */
  minutes: number
  /** Minutes that runs under way have set aside and not used yet. */
  reservedMinutes: number
  runs: { started: number; completed: number; failed: number }
  tokens: { input: number; output: number }
}

/** What an organization has of runs at this moment. */
export interface RunCounts {
  /** Those that have not ended. */
  liveRuns: number
  storedBytes: number
}

export const shareOwners = ['project', 'agent'] as const
export type ShareOf = (typeof shareOwners)[number]

/** What one Agent or Project has used. */
export interface UsageShareCounters {
  id: string | null
  name: string | null
  counters: UsageCounters
}

export interface UsageSource {
  counts(organizationId: string): Promise<RunCounts>
  of(organizationId: string, period: { start: number }): Promise<UsageCounters>
  /** What each has used of that, the most first; the id is null for what is of none, the name of what is gone. */
  shares(organizationId: string, period: { start: number }, by: ShareOf): Promise<UsageShareCounters[]>
}
