/** Calls that wait for workers, and those that workers have. The row is the actor's. Source: contract 11, "Workers". */
import { sql } from 'kysely'
import { bounds, LimitReached } from '../bounds.ts'
import { insertFrom, rowsOf } from '../rows.ts'
import { withUnit } from '../sqlite/fragments.ts'
import { query, write } from '../statement.ts'
import type { WorkerCallRow } from '../tables.ts'

const workerCalls = rowsOf('worker_calls', 'id')
const limit: number = bounds.queuedWorkerCalls.limit

// Written as a literal: an index on a part of the table serves a query only when the text itself shows that it may.
const isQueued = sql<boolean>`worker_calls.state = 'queued'`

/** Throws `LimitReached`, as the other bounds do; on the hot path, so that it is one statement with the row. */
export const insertWorkerCall = write(
  (db, row: WorkerCallRow) =>
    withUnit(
      db,
      insertFrom(
        db,
        'worker_calls',
        row,
        db
          .selectFrom('organizations')
          .where('organizations.id', '=', row.organization_id)
          .where(({ eb, selectFrom, val }) =>
            eb(
              val(limit),
              '>',
              eb.fn.coalesce(
                selectFrom('actor_counts')
                  .select('count')
                  .where('place', '=', row.environment_id)
                  .where('kind', '=', 'worker-call')
                  .where('state', '=', 'queued'),
                val(0),
              ),
            ),
          ),
      ),
    ),
  1,
  () => new LimitReached(`There are ${limit} queuedWorkerCalls.`, { name: 'queuedWorkerCalls', limit }),
)

export const updateWorkerCall = workerCalls.moveWithUnit('worker', 'output', 'error')

export const getWorkerCall = workerCalls.find()

/** Where a call of the organization is. */
export const findPlaceOfWorkerCall = workerCalls
  .only('project_id', 'environment_id', 'agent_id')
  .find('id', 'organization_id')

/** The calls that wait in a queue, the oldest first. */
export const listQueuedCalls = query(
  (db, values: { environmentId: string; queue: string; after: string; limit: number }) =>
    db
      .selectFrom('worker_calls')
      .select(['id', 'operation', 'agent_id'])
      .where(isQueued)
      .where('environment_id', '=', values.environmentId)
      .where('queue', '=', values.queue)
      .where('id', '>', values.after)
      .orderBy('id')
      .limit(values.limit),
)

/** The calls of an Environment in a state, those in it the longest first. */
export const listCallsInState = query(
  (db, values: { environmentId: string; state: 'queued' | 'leased' | 'retrying'; limit: number }) =>
    db
      .selectFrom('worker_calls')
      .select(['id', 'queue', 'agent_id', 'worker', 'created_at'])
      .where('environment_id', '=', values.environmentId)
      .where('state', '=', values.state)
      .orderBy(sql`coalesce(state_since, updated_at)`)
      .orderBy('id')
      .limit(values.limit),
)

/** The calls of a queue that a worker has, those that it has had the longest first. */
export const listCallsOfWorker = query(
  (db, values: { environmentId: string; queue: string; workerId: string; limit: number }) =>
    db
      .selectFrom('worker_calls')
      .select(['id', 'agent_id'])
      .where('environment_id', '=', values.environmentId)
      .where('state', '=', 'leased')
      .where('queue', '=', values.queue)
      .where('worker', '=', values.workerId)
      .orderBy(sql`coalesce(state_since, updated_at)`)
      .orderBy('id')
      .limit(values.limit),
)

/** What the invocation of a call was given. */
export const getInputOfCall = rowsOf('operation_invocations', 'id').only('input', 'trace').find()
