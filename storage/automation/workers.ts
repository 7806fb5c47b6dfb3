/** The workers that serve the queues of an Environment. Source: contract 11, "Workers". */
import { insertFrom, rowsOf } from '../rows.ts'
import { query, write } from '../statement.ts'
import type { WorkerRow } from '../tables.ts'

const workers = rowsOf('workers', 'environment_id', 'queue', 'worker_id')

/** Of one Environment; more of them work, and are not shown. */
export const shownWorkersMax = 1_000

/** Stores when it was last seen, and what it asked for; not of an Environment that is gone, or that has very many. */
export const keepWorker = write((db, row: WorkerRow) =>
  insertFrom(
    db,
    'workers',
    row,
    db
      .selectFrom('environments')
      .where('environments.id', '=', row.environment_id)
      .where(({ or, eb, exists, selectFrom, val }) =>
        or([
          eb(
            val(shownWorkersMax),
            '>',
            selectFrom('workers as others')
              .select(({ fn }) => fn.countAll<number>().as('count'))
              .where('others.environment_id', '=', row.environment_id),
          ),
          exists(
            selectFrom('workers as known')
              .select('known.slots')
              .where('known.environment_id', '=', row.environment_id)
              .where('known.queue', '=', row.queue)
              .where('known.worker_id', '=', row.worker_id),
          ),
        ]),
      ),
  ).onConflict((conflict) =>
    conflict.columns(['environment_id', 'queue', 'worker_id']).doUpdateSet(({ ref }) => ({
      operations: ref('excluded.operations'),
      slots: ref('excluded.slots'),
      last_seen_at: ref('excluded.last_seen_at'),
    })),
  ),
)

/** It reported; whether it asked this server or another. */
export const touchWorker = write(
  (db, values: { environmentId: string; queue: string; workerId: string; lastSeenAt: number }) =>
    db
      .updateTable('workers')
      .set({ last_seen_at: values.lastSeenAt })
      .where('environment_id', '=', values.environmentId)
      .where('queue', '=', values.queue)
      .where('worker_id', '=', values.workerId),
)

/** It serves the queue no longer. */
export const forgetWorker = workers.remove()

/** Those of an Environment that were seen since then. */
export const listWorkers = query((db, values: { environmentId: string; since: number }) =>
  db
    .selectFrom('workers')
    .selectAll()
    .where('environment_id', '=', values.environmentId)
    .where('last_seen_at', '>=', values.since)
    .limit(shownWorkersMax),
)

/** Those of an Environment that were not, so that there is room for others. */
export const forgetGoneWorkers = write((db, values: { environmentId: string; before: number }) =>
  db.deleteFrom('workers').where('environment_id', '=', values.environmentId).where('last_seen_at', '<', values.before),
)

/** Some of those that were seen last before then, wherever. */
export const listGoneWorkers = query((db, values: { before: number; limit: number }) =>
  db
    .selectFrom('workers')
    .select(['environment_id as environmentId', 'queue', 'worker_id as workerId'])
    .where('last_seen_at', '<', values.before)
    .orderBy('last_seen_at')
    .limit(values.limit),
)
