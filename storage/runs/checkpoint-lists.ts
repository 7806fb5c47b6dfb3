/** Checkpoints for lists, without their messages, which may be large. */
import { query } from '../statement.ts'
import type { CheckpointRow } from '../tables.ts'

const shown = [
  'checkpoint_id',
  'run_id',
  'agent_step_id',
  'attempt',
  'sequence',
  'kind',
  'digest',
  'size_bytes',
  'created_at',
] as const satisfies readonly (keyof CheckpointRow)[]

/** The checkpoints of a run before a sequence, newest first. */
export const listCheckpoints = query((db, values: { runId: string; before: number; limit: number }) =>
  db
    .selectFrom('checkpoints')
    .select(shown)
    .where('run_id', '=', values.runId)
    .where('sequence', '<', values.before)
    .orderBy('sequence', 'desc')
    .limit(values.limit),
)

/** One checkpoint of a step; undefined if it does not exist or belongs to another step. */
export const findCheckpoint = query((db, values: { runId: string; agentStepId: number; checkpointId: number }) =>
  db
    .selectFrom('checkpoints')
    .select(shown)
    .where('checkpoint_id', '=', values.checkpointId)
    .where('run_id', '=', values.runId)
    .where('agent_step_id', '=', values.agentStepId),
)

/** The latest checkpoint before a sequence, with its messages; for the search for an intact one. */
export const checkpointBefore = query((db, values: { runId: string; before: number }) =>
  db
    .selectFrom('checkpoints')
    .selectAll()
    .where('run_id', '=', values.runId)
    .where('sequence', '<', values.before)
    .orderBy('sequence', 'desc')
    .limit(1),
)
