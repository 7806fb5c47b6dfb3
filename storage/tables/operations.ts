/** Invocations of operations and their approvals. Row types for Kysely; the migrations define the tables. */
import type { ApprovalStatus, InvocationState } from '../../machines/operation-invocation.ts'
import type { WorkerCallState } from '../../machines/worker-call.ts'

export interface InvocationRow {
  id: string
  organization_id: string
  project_id: string
  environment_id: string
  deployment_id: string
  agent_id: string
  operation: string
  agent_run_id: string | null
  tool_call_id: string | null
  /** The chain of the calling run. */
  run_chain: number | null
  workflow_run_id: string | null
  step_id: string | null
  attempt: number | null
  /** The owner of the idempotency key. */
  user_id: string | null
  idempotency_key: string | null
  request_digest: string | null
  /** The number of invocations above it. */
  depth: number
  state: InvocationState
  version: number
  machine_version: string
  context: string
  /** The process that performs it. */
  performer: string | null
  /** null if no approval is required. */
  approval_id: string | null
  /** JSON. */
  input: string
  output: string | null
  error: string | null
  /** Its span, or that of the step that it belongs to (`own-span.ts`); null without a trace. */
  trace: string | null
  created_by_type: string
  created_by_id: string
  created_at: number
  updated_at: number
}

export interface ApprovalRow {
  id: string
  organization_id: string
  environment_id: string
  invocation_id: string
  agent_id: string
  /** `<definition>.<operation>` */
  operation: string
  status: ApprovalStatus
  decided_by_type: string | null
  decided_by_id: string | null
  decided_at: number | null
  note: string | null
  expires_at: number
  created_at: number
}

export interface WorkerCallRow {
  /** The id of the invocation. */
  id: string
  organization_id: string
  project_id: string
  environment_id: string
  agent_id: string
  queue: string
  /** `<definition>.<operation>` */
  operation: string
  worker: string | null
  state: WorkerCallState
  version: number
  machine_version: string
  context: string
  /** JSON. */
  output: string | null
  error: string | null
  created_at: number
  updated_at: number
}

export interface WorkerRow {
  environment_id: string
  queue: string
  /** The worker's name for itself. */
  worker_id: string
  /** JSON; null: all operations of the queue. */
  operations: string | null
  slots: number
  last_seen_at: number
}

export interface OperationTables {
  workers: WorkerRow
  worker_calls: WorkerCallRow
  operation_invocations: InvocationRow
  operation_approvals: ApprovalRow
}
