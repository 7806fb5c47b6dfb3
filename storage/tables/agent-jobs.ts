/** Agent jobs and their ticks. Row types for Kysely; the migrations define the tables. */
export interface AgentJobRow {
  id: string
  organization_id: string
  project_id: string
  environment_id: string
  agent_id: string
  name: string
  cron: string
  timezone: string
  /** Empty for a job that starts a workflow. */
  query: string
  /** The name of the workflow that it starts; null: it sends its query to the Agent. */
  workflow: string | null
  /** JSON; null without a workflow. */
  params: string | null
  overlap: 'skip' | 'allow'
  state: string
  version: number
  machine_version: string
  context: string
  enabled: 0 | 1
  /** null while disabled, and while a tick is being handled. */
  next_run_at: number | null
  created_at: number
  updated_at: number
}

/** The outcome of one tick. */
export interface JobFiringRow {
  job_id: string
  scheduled_for: number
  fired_at: number
  outcome: 'started' | 'skipped_overlap' | 'missed' | 'failed'
  agent_run_id: string | null
  workflow_run_id: string | null
}

export interface JobTables {
  agent_jobs: AgentJobRow
  job_firings: JobFiringRow
}
