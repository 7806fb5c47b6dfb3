/** Checkpoints for lists, without their messages, which may be large. */
import { rowsOf } from '../rows.ts'
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

const checkpoints = rowsOf('checkpoints', 'checkpoint_id')
const shownCheckpoints = checkpoints.only(...shown)

/** The checkpoints of a run before a sequence, newest first. */
export const listCheckpoints = shownCheckpoints.newest('sequence', 'run_id')

/** One checkpoint of a step; undefined if it does not exist or belongs to another step. */
export const findCheckpoint = shownCheckpoints.find('checkpoint_id', 'run_id', 'agent_step_id')

/** The same with their messages, for the search for an intact one. */
export const listWholeCheckpoints = checkpoints.newest('sequence', 'run_id')
