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

/** Of one billing period. */
export interface UsageCounterRow extends UsageCounts {
  organization_id: string
  /** The first millisecond of the billing period. */
  period_start: number
  /** The first one after it; null where it was not noted yet. */
  period_end: number | null
  /** How much of the budget has been told of: 0, 80 or 100. */
  told_percent: number
}

/** What one Agent has of that. */
export interface UsageShareRow extends UsageCounts {
  organization_id: string
  period_start: number
  /** '' for what was counted before shares were. */
  agent_id: string
  /** '' for what is of no Project. */
  project_id: string
}

/** What an organization has of runs at this moment. */
export interface RunCountsRow {
  organization_id: string
  live_runs: number
  /** What is stored of its runs, as far as it was counted. */
  stored_bytes: number
}

/** A sum of model steps: its cost is in units of 10^-6, 10^-15 and 10^-24 of the currency. */
export interface CostCounts {
  model_steps: number
  input_tokens: number
  output_tokens: number
  cost_6: number
  cost_15: number
  cost_24: number
}

/** Of one hour. */
export interface CostTallyRow extends CostCounts {
  organization_id: string
  /** Its first millisecond. */
  hour: number
  /** '' for runs outside of Projects. */
  project_id: string
  /** '' for runs outside of Environments. */
  environment_id: string
  agent_id: string
  provider: string
  model: string
  /** '' where no key has started the run. */
  api_key_id: string
  /** '' for steps without a price. */
  currency: string
}

/** Of one Agent in one billing period. */
export interface CostShareRow extends CostCounts {
  organization_id: string
  /** The first millisecond of the billing period. */
  period_start: number
  agent_id: string
  /** '' for what is of no Project. */
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
