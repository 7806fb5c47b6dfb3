/** Workflow runs. Row types for Kysely; the migrations define the tables. */
export interface WorkflowRunRow {
  id: string
  organization_id: string
  project_id: string
  environment_id: string
  deployment_id: string
  agent_id: string
  definition_id: string
  definition_revision_id: string
  definition_name: string
  request_key: string | null
  /** The digest of the params. */
  request_digest: string
  actor_user_id: string | null
  created_by_type: string
  created_by_id: string
  state: string
  version: number
  machine_version: string
  context: string
  /** Its span (`own-span.ts`); null without a trace. */
  trace: string | null
  created_at: number
  updated_at: number
}

/** The params of a run, its output, or the output of one of its steps. */
export interface WorkflowValueRow {
  workflow_run_id: string
  name: string
  /** JSON. */
  value: string
}

export interface WorkflowTables {
  workflow_runs: WorkflowRunRow
  workflow_values: WorkflowValueRow
}
