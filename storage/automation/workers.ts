/** The workers that serve the queues of an Environment. Source: contract 11, "Workers". */
import { insertFrom, rowsOf } from '../rows.ts'
import { query, write } from '../statement.ts'
import type { WorkerRow } from '../tables.ts'

const workers = rowsOf('workers', 'environment_id', 'queue', 'worker_id')

/** The maximum number of workers stored per Environment; further workers work, but are not listed. */
export const shownWorkersMax = 1_000

/** Upserts a polling worker, unless the Environment was deleted, or is at the maximum and the worker is new. */
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

/** Records a report of a worker, whichever server it polls. */
export const touchWorker = write(
  (db, values: { environmentId: string; queue: string; workerId: string; lastSeenAt: number }) =>
    db
      .updateTable('workers')
      .set({ last_seen_at: values.lastSeenAt })
      .where('environment_id', '=', values.environmentId)
      .where('queue', '=', values.queue)
      .where('worker_id', '=', values.workerId),
)

/** Removes a worker from a queue. */
export const forgetWorker = workers.remove()

/** Workers of an Environment seen since this time. */
export const listWorkers = query((db, values: { environmentId: string; since: number }) =>
  db
    .selectFrom('workers')
    .selectAll()
    .where('environment_id', '=', values.environmentId)
    .where('last_seen_at', '>=', values.since)
    .limit(shownWorkersMax),
)

/** Removes workers of an Environment not seen since this time, to make room for others. */
export const forgetGoneWorkers = write((db, values: { environmentId: string; before: number }) =>
  db.deleteFrom('workers').where('environment_id', '=', values.environmentId).where('last_seen_at', '<', values.before),
)

/** Workers in all Environments last seen before this time, longest ago first. */
export const listGoneWorkers = query((db, values: { before: number; limit: number }) =>
  db
    .selectFrom('workers')
    .select(['environment_id as environmentId', 'queue', 'worker_id as workerId'])
    .where('last_seen_at', '<', values.before)
    .orderBy('last_seen_at')
    .limit(values.limit),
)
