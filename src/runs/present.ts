/** Presents runs, steps, checkpoints and transitions in the API. Source: requirement 2; contract 5. */
import { costOf } from '../../machines/run/budget.ts'
import type { PendingInput, QueuedInput, RunContext } from '../../machines/run.ts'
import type { AgentStepRow, CheckpointRow, RunRow } from '../../storage/tables.ts'
import { timestamp, timestampOrNull } from '../platform/http/timestamp.ts'
import { readAgent, readExecution, readUsage } from './records/step-columns.ts'
import type { AgentRun, AgentStep, AwaitingKind, Checkpoint } from './schema.ts'

export type {
  AgentRun as PresentedRun,
  AgentStep as PresentedStep,
  AwaitingKind,
  Checkpoint as PresentedCheckpoint,
} from './schema.ts'

/** The part of the statechart's context that clients see. */
type SeenContext = Pick<RunContext, 'cause' | 'stopReason' | 'attempt' | 'awaiting' | 'startedAt' | 'endedAt'> &
  Partial<Pick<RunContext, 'availableAt' | 'delayMs' | 'queuedInputs' | 'chain' | 'budget' | 'spent'>>

/** The run without its output, which is added on request. */
export const presentRun = (row: RunRow, context: SeenContext): AgentRun => ({
  id: row.id,
  organizationId: row.organization_id,
  projectId: row.project_id,
  environmentId: row.environment_id,
  deploymentId: row.deployment_id,
  agentId: row.agent_id,
  agentRevisionId: row.agent_revision_id,
  agentJobId: row.agent_job_id,
  createdBy: { type: row.created_by_type as AgentRun['createdBy']['type'], id: row.created_by_id },
  subjectUserId: row.subject_user_id,
  threadKey: row.thread_key,
  ...(row.forked_from === null
    ? {}
    : { forkedFrom: { agentRunId: row.forked_from, checkpointId: row.forked_at_checkpoint ?? 0 } }),
  queuedInputs: (context.queuedInputs ?? []).map(presentQueued),
  state: row.state as AgentRun['state'],
  stateReason: context.cause,
  stopReason: context.stopReason,
  cost: context.spent ? costOf(context.spent) : null,
  ...(context.budget ? { limits: context.budget } : {}),
  ...(context.spent ? { usedTokens: context.spent.tokens } : {}),
  attempt: context.attempt,
  ...(context.chain === undefined ? {} : { turn: context.chain }),
  inputDigest: row.input_digest,
  outputDigest: row.output_digest,
  runtimeVersion: row.runtime_version,
  contentRetention: {
    policy: 'standard',
    expiresAt: timestamp(row.retention_expires_at),
    ...(row.content_removed_at === null ? {} : { removedAt: timestamp(row.content_removed_at) }),
  },
  lastActivity: { kind: row.last_activity_kind, at: timestamp(row.last_activity_at) },
  ...(context.delayMs === undefined ? {} : { startAt: timestamp(row.created_at + context.delayMs) }),
  ...(row.state === 'queued' && context.availableAt !== undefined
    ? { availableAt: timestamp(context.availableAt) }
    : {}),
  ...(context.awaiting.length > 0 ? { awaiting: presentAwaiting(context.awaiting) } : {}),
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
  startedAt: timestampOrNull(context.startedAt),
  endedAt: timestampOrNull(context.endedAt),
})

const presentQueued = ({ inputId, query, at }: QueuedInput) => ({ inputId, query, createdAt: timestamp(at) })

/**
 * The source of the pending result. A call with an invocation waits for an approval, another Agent's run, a worker or,
 * once approved, the operation itself.
 */
export const awaitingKindOf = ({
  kind,
  invocationId,
  approvalId,
  waitsFor,
  workflowRunId,
}: PendingInput): AwaitingKind => {
  if (workflowRunId !== undefined) return 'workflow'
  if (approvalId !== undefined) return 'approval'
  return invocationId === undefined ? kind : (waitsFor ?? 'agentRun')
}

/** The first call that the run waits for, and all of them. */
export function presentAwaiting(awaited: readonly PendingInput[]) {
  const pending = awaited.map(({ waitsFor, ...call }) => ({ ...call, kind: awaitingKindOf({ ...call, waitsFor }) }))
  const [first] = pending
  return first ? { ...first, pending } : undefined
}

const json = (text: string | null): unknown => (text === null ? null : JSON.parse(text))

/** The step without its children; the step list adds them. */
export const presentStep = (row: AgentStepRow): AgentStep => ({
  agentStepId: row.agent_step_id,
  agentRunId: row.run_id,
  parentAgentStepId: row.parent_agent_step_id,
  sequence: row.sequence,
  kind: row.kind,
  name: row.name,
  status: row.status,
  attempt: row.attempt,
  agent: readAgent(row.agent),
  timing: {
    startedAt: timestamp(row.started_at),
    endedAt: timestampOrNull(row.ended_at),
    durationMs: row.ended_at === null ? null : Math.max(0, row.ended_at - row.started_at),
  },
  tokenUsage: readUsage(row.token_usage),
  // the usage of a running step may still grow
  cost: row.ended_at === null ? null : (json(row.cost) as AgentStep['cost']),
  execution: readExecution(row.execution),
  input: json(row.input),
  output: json(row.output),
  error: json(row.error) as AgentStep['error'],
  lastCheckpointId: row.last_checkpoint_id,
  childAgentSteps: [],
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
})

export const presentCheckpoint = (
  row: Omit<CheckpointRow, 'messages' | 'remainder' | 'base_checkpoint_id' | 'message_count'>,
): Checkpoint => ({
  checkpointId: row.checkpoint_id,
  /** null for the input, which belongs to no step. */
  agentStepId: row.agent_step_id,
  agentRunId: row.run_id,
  attempt: row.attempt,
  sequence: row.sequence,
  kind: row.kind,
  artifact: { digest: row.digest, sizeBytes: row.size_bytes, mediaType: 'application/json' },
  createdAt: timestamp(row.created_at),
})
