/** Agent runs, and the runtime's records of all actors. Row types for Kysely; the migrations define the tables. */
import type { Generated } from 'kysely'

/** An actor's snapshot is stored in its resource's row: `state`, `version`, `machine_version`, `context`. */
export interface RunRow {
  id: string
  organization_id: string
  project_id: string | null
  environment_id: string | null
  deployment_id: string | null
  agent_id: string
  agent_revision_id: string
  agent_job_id: string | null
  created_by_type: string
  created_by_id: string
  subject_user_id: string | null
  /** The client's key for the conversation. */
  thread_key: string | null
  /** The beginning of its first message; null if it has only attachments, and once the content was removed. */
  query: string | null
  state: string
  version: number
  machine_version: string
  context: string
  /** JSON: provider, model, reasoning budget and credential source. */
  binding: string
  input_digest: string
  output_digest: string | null
  runtime_version: string
  /** When its content may be removed, and when it was removed. */
  retention_expires_at: number
  content_removed_at: number | null
  available_at: number
  /** The remaining machine time reserved for it, and the first millisecond of the period of the reservation. */
  reserved_ms: number
  reserved_in: number | null
  /** Its share of the organization's counted stored bytes; null if not counted yet. */
  counted_bytes: number | null
  last_activity_kind: string
  last_activity_at: number
  /** Its span (`own-span.ts`); null without a trace. */
  trace: string | null
  /** The run that it was forked from, and the checkpoint there; null if it was started. */
  forked_from: string | null
  forked_at_checkpoint: number | null
  created_at: number
  updated_at: number
}

/** The input of a chain of attempts, from the start or a continue. */
export interface RunInputRow {
  run_id: string
  chain: number
  /** JSON: query, contents, tool results. */
  body: string
  created_at: number
  /** Digest and size of the checkpoint made from it; null until that is requested. */
  artifact_digest: string | null
  artifact_bytes: number | null
}

/** The run of a conversation key; `environment_id` is '' for System Agents. */
export interface RunThreadRow {
  organization_id: string
  environment_id: string
  agent_id: string
  thread_key: string
  run_id: string
}

/** The context for a run's operations besides their input: a JSON object. */
export interface RunContextRow {
  run_id: string
  body: string
}

/** A queued message of a run. */
export interface QueuedInputRow {
  run_id: string
  input_id: number
  /** JSON: input, maxRetries, binding. */
  body: string
  /** The sender. */
  by_type: string
  by_id: string
}

/** One entry of an actor's journal. */
export interface TransitionRow {
  kind: string
  actor_id: string
  sequence: number
  from_state: string | null
  to_state: string
  event: string
  by_type: string
  by_id: string
  attempt: number
  reason: string | null
  at: number
  /** Its sequence number in the resource's event stream, if there is one. */
  stream_sequence: number | null
}

/** The stored form: the columns describe the last of the transitions that share the row. */
export interface StoredMoves extends TransitionRow {
  /** JSON: the state before the first other transition, then the others (`runtime/journal.ts`); null: no others. */
  earlier: string | null
}

/** The timer of a run: when it is due, in epoch milliseconds. */
export interface RunTimer {
  name: string
  dueAt: number
}

/** A timer of an actor other than a run. */
export interface TimerRow {
  kind: string
  actor_id: string
  name: string
  due_at: number
}

export interface EffectRow {
  id: string
  kind: string
  actor_id: string
  name: string
  params: string
  due_at: number
  attempts: number
  /** The server that executes it; null: the owner of the actor's slot. */
  holder: string | null
}

/** Ended spans that have not been exported yet. */
interface TraceSpansRow {
  /** A random integer. */
  id: number
  /** The process that exports them. */
  server: string
  /** JSON: a list of spans. */
  spans: string
  created_at: number
}

/** Stream events of a run, one row per unit of work: frames `first_sequence` to `last_sequence`. */
export interface RunEventsRow {
  run_id: string
  first_sequence: number
  last_sequence: number
  frames: string
}

export interface AgentStepRow {
  agent_step_id: number
  run_id: string
  parent_agent_step_id: number | null
  /** The number of its `step.started` in the run's stream; 0 in rows of earlier versions, which precede all others. */
  sequence: number
  kind: 'agent' | 'model' | 'tool' | 'delegate'
  name: string
  status: 'running' | 'waiting' | 'completed' | 'failed' | 'canceled'
  attempt: number
  /** Lists, or objects in rows of earlier versions (`runs/records/step-columns.ts`). */
  agent: string
  execution: string
  token_usage: string
  /** JSON: amount and currency, for a running step the cost so far; null without a price. */
  cost: string | null
  input: string | null
  output: string | null
  error: string | null
  last_checkpoint_id: number | null
  started_at: number
  ended_at: number | null
  created_at: number
  updated_at: number
}

export interface CheckpointRow {
  checkpoint_id: number
  run_id: string
  agent_step_id: number
  attempt: number
  sequence: number
  kind: 'step' | 'suspended' | 'final'
  digest: string
  size_bytes: number
  /** The checkpoint whose messages precede those of this one; null if this one holds all messages. */
  base_checkpoint_id: number | null
  /** JSON: the messages after those of the base. */
  messages: string
  message_count: number
  /** JSON: the rest of the runtime checkpoint. */
  remainder: string
  created_at: number
}

/** An external result of a call that a run waits for. */
export interface CallResultRow {
  run_id: string
  tool_call_id: string
  /** JSON: `{result}` or `{error}`. */
  outcome: string
  created_at: number
}

export interface IdempotencyRow {
  scope: string
  fingerprint: string
  status: number
  body: string
  created_at: number
  expires_at: number
}

/** A counter for integer ids, from which processes reserve ranges. */
interface CounterRow {
  name: string
  next: number
}

/** A piece of a long text, which a row of a run or a Deployment refers to by its id. */
interface TextPieceRow {
  piece_id: number
  owner_id: string
  text_id: string
  number: number
  body: string
}

interface LooseTextRow {
  owner_id: string
  text_id: string
}

/** A run that is waiting for a person's answer. */
interface WaitingRunRow {
  run_id: string
  organization_id: string
  project_id: string | null
  environment_id: string | null
  agent_id: string
  /** The Environment, or the organization for a run outside of Environments. */
  place: string
  /** The tool or delegate of the first call that waits for a person. */
  tool: string
  since: number
}

/** Columns of a run that its actor does not keep in memory. */
interface RunMarks {
  /** When a call that its attempt waits for last made progress; set only if several servers share the store. */
  progress_at?: number | null
  /** Its timer; null without one. */
  due_timer?: string | null
  due_at?: number | null
}

export interface RunsTables {
  runs: RunRow & RunMarks
  waiting_runs: WaitingRunRow
  run_inputs: RunInputRow
  run_threads: RunThreadRow
  queued_inputs: QueuedInputRow
  run_contexts: RunContextRow
  transitions: Omit<StoredMoves, 'earlier'> & { earlier: Generated<string | null> }
  timers: TimerRow
  trace_spans: TraceSpansRow
  effects: Omit<EffectRow, 'holder'> & { holder: Generated<string | null> }
  run_events: RunEventsRow
  agent_steps: AgentStepRow
  checkpoints: CheckpointRow
  call_results: CallResultRow
  text_pieces: Omit<TextPieceRow, 'piece_id'> & { piece_id: Generated<number> }
  loose_texts: LooseTextRow
  idempotency_keys: IdempotencyRow
  counters: CounterRow
}
