/** Usage of organizations. Row types for Kysely; the migrations define the tables. */
export interface UsageCounts {
  used_ms: number
  reserved_ms: number
  runs_started: number
  runs_completed: number
  runs_failed: number
  input_tokens: number
  output_tokens: number
}

/** An organization's usage in one billing period. */
export interface UsageCounterRow extends UsageCounts {
  organization_id: string
  /** The first millisecond of the billing period. */
  period_start: number
  /** The first millisecond after it; null if not recorded yet. */
  period_end: number | null
  /** The highest budget threshold announced, in percent: 0, 80 or 100. */
  told_percent: number
}

/** One Agent's share of that usage. */
export interface UsageShareRow extends UsageCounts {
  organization_id: string
  period_start: number
  /** '' for usage counted before shares were introduced. */
  agent_id: string
  /** '' for usage outside of Projects. */
  project_id: string
}

/** An organization's current counts of runs. */
interface RunCountsRow {
  organization_id: string
  live_runs: number
  /** The bytes stored for its runs, as far as counted. */
  stored_bytes: number
}

/** Sums over model steps; the cost is split into units of 10^-6, 10^-15 and 10^-24 of the currency. */
export interface CostCounts {
  model_steps: number
  input_tokens: number
  output_tokens: number
  cost_6: number
  cost_15: number
  cost_24: number
}

/** Costs of one hour. */
export interface CostTallyRow extends CostCounts {
  organization_id: string
  /** The first millisecond of the hour. */
  hour: number
  /** '' for runs outside of Projects. */
  project_id: string
  /** '' for runs outside of Environments. */
  environment_id: string
  agent_id: string
  provider: string
  model: string
  /** '' if no API key started the run. */
  api_key_id: string
  /** '' for steps without a price. */
  currency: string
}

/** Costs of one Agent in one billing period. */
export interface CostShareRow extends CostCounts {
  organization_id: string
  /** The first millisecond of the billing period. */
  period_start: number
  agent_id: string
  /** '' for usage outside of Projects. */
  project_id: string
  /** '' for steps without a price. */
  currency: string
}

export interface UsageTables {
  usage_counters: UsageCounterRow
  usage_shares: UsageShareRow
  run_counts: RunCountsRow
  cost_tallies: CostTallyRow
  cost_shares: CostShareRow
}
