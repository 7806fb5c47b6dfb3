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
  /** The run that it is a step of; null: none. */
  parent_run_id: string | null
  parent_step_id: string | null
  parent_attempt: number | null
  /** How many runs are above it. */
  depth: number
  /** The job that started it. */
  agent_job_id: string | null
  /** The run of an Agent that it is a call of; null: none. */
  agent_run_id: string | null
  tool_call_id: string | null
  run_chain: number | null
  created_at: number
  updated_at: number
}

/** The params of a run, its output, or the output of one of its steps. */
interface WorkflowValueRow {
  workflow_run_id: string
  name: string
  /** JSON. */
  value: string
}

/** An event for steps that wait. */
export interface WorkflowEventRow {
  id: string
  organization_id: string
  environment_id: string
  event: string
  correlation: string
  /** JSON. */
  data: string
  /** 1: no wait has it. */
  is_kept: number
  /** 1: it ended the wait of a step. */
  is_taken: number
  created_at: number
}

/** A step that waits for an event. */
export interface WorkflowWaitRow {
  workflow_run_id: string
  step_id: string
  attempt: number
  environment_id: string
  event: string
  correlation: string
  until_at: number
  /** The event that it was given. */
  event_id: string | null
}

export interface WorkflowTables {
  workflow_events: WorkflowEventRow
  workflow_waits: WorkflowWaitRow
  workflow_runs: WorkflowRunRow
  workflow_values: WorkflowValueRow
}
