/** Calls that are queued for workers or leased by them. The row is the actor's. Source: contract 11, "Workers". */
import { sql } from 'kysely'
import { bounds, LimitReached } from '../bounds.ts'
import { isNull } from '../by-engine.ts'
import { insertFrom, rowsOf } from '../rows.ts'
import { query, write } from '../statement.ts'
import type { WorkerCallRow } from '../tables.ts'

const workerCalls = rowsOf('worker_calls', 'id')
const limit: number = bounds.queuedWorkerCalls.limit

// A literal: a partial index serves a query only if the text implies the index's condition.
const isQueued = sql<boolean>`worker_calls.state = 'queued'`

/**
 * `LimitReached` if the Environment has the maximum of queued calls. Unlike other bounds, it is checked in the insert,
 * because this is the hot path.
 */
export const insertWorkerCall = write(
  (db, row: WorkerCallRow) =>
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
  1,
  () => new LimitReached(`There are ${limit} queuedWorkerCalls.`, { name: 'queuedWorkerCalls', limit }),
)

export const updateWorkerCall = workerCalls.move('worker', 'output', 'error')

export const getWorkerCall = workerCalls.find()

/** The Project, Environment and Agent of a call in the organization. */
export const findPlaceOfWorkerCall = workerCalls
  .only('project_id', 'environment_id', 'agent_id')
  .find('id', 'organization_id')

/** Queued calls of a queue, oldest first. */
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

/**
 * The number of calls of an Environment in a state by queue and worker, and when the oldest of them was made: of an Agent,
 * or null for all, among those that have been in the state longest, up to `limit`.
 */
export const countCallsInState = query(
  (db, values: { environmentId: string; state: 'queued' | 'leased'; agentId: string | null; limit: number }) =>
    db
      .selectFrom((calls) =>
        calls
          .selectFrom('worker_calls')
          .select(['queue', 'worker', 'agent_id', 'created_at'])
          .where('environment_id', '=', values.environmentId)
          .where('state', '=', values.state)
          .orderBy(sql`coalesce(state_since, updated_at)`)
          .orderBy('id')
          .limit(values.limit)
          .as('counted'),
      )
      .select(['queue', 'worker'])
      .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('created_at').as('oldest')])
      .where(({ or, eb }) => or([eb('agent_id', '=', values.agentId), isNull(values.agentId)]))
      .groupBy(['queue', 'worker']),
)

/** Calls of a queue leased by a worker, longest leased first. */
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

/** The input and the trace of a call's invocation. */
export const getInputOfCall = rowsOf('operation_invocations', 'id').only('input', 'trace').find()
