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

export interface UsageTables {
  usage_counters: UsageCounterRow
}
