/** Checkpoints. One with a base checkpoint holds only the messages that it adds to the base. */
import { rowsOf } from '../rows.ts'
import { together, writeTexts } from '../statement.ts'
import type { Store } from '../store.ts'
import type { CheckpointRow } from '../tables.ts'

const checkpoints = rowsOf('checkpoints', 'checkpoint_id')

export const insertCheckpoint = together(
  'rows',
  writeTexts(
    (db, row: CheckpointRow) => db.insertInto('checkpoints').values(row),
    ({ run_id }) => run_id,
  ),
)

export const getCheckpoint = checkpoints.find('checkpoint_id', 'run_id')

/** The checkpoints of a run with these ids. */
export const listCheckpointsById = (store: Store, runId: string, ids: readonly number[]): Promise<CheckpointRow[]> =>
  store.db.selectFrom('checkpoints').selectAll().where('checkpoint_id', 'in', ids).where('run_id', '=', runId).execute()

/** The latest checkpoint, from which a continuation resumes. */
export const latestCheckpoint = checkpoints.latest('sequence', 'run_id')

/** The size of the latest checkpoint as JSON, in bytes. */
export const latestCheckpointSize = checkpoints.only('size_bytes').latest('sequence', 'run_id')

/** The id of the latest checkpoint. */
export const latestCheckpointId = checkpoints.only('checkpoint_id').latest('sequence', 'run_id')
