/** What organizations have used. Rows as Kysely knows them: the migrations say the rest. */
export interface UsageCounterRow {
  organization_id: string
  /** The first millisecond of the billing period. */
  period_start: number
  used_ms: number
  reserved_ms: number
  runs_started: number
  runs_completed: number
  runs_failed: number
  input_tokens: number
  output_tokens: number
}

/** What an organization has of runs at this moment. */
export interface RunCountsRow {
  organization_id: string
  live_runs: number
  /** What is stored of its runs, as far as it was counted. */
  stored_bytes: number
}

export interface UsageTables {
  usage_counters: UsageCounterRow
  run_counts: RunCountsRow
}
