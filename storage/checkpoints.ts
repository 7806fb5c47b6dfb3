/** Checkpoints. A later one holds only the messages that it adds to the one it goes on from. */
import { query, write } from './statement.ts'
import type { CheckpointRow } from './tables.ts'

export const insertCheckpoint = write((db, row: CheckpointRow) => db.insertInto('checkpoints').values(row))

export const getCheckpoint = query((db, values: { runId: string; checkpointId: number }) =>
  db
    .selectFrom('checkpoints')
    .selectAll()
    .where('checkpoint_id', '=', values.checkpointId)
    .where('run_id', '=', values.runId),
)

/** The one that a continuation goes on from. */
export const latestCheckpoint = query((db, values: { runId: string }) =>
  db.selectFrom('checkpoints').selectAll().where('run_id', '=', values.runId).orderBy('sequence', 'desc').limit(1),
)
