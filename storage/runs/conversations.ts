/** Conversations: the run of each client key, the context for its operations, and its queued messages. */
import { sql } from 'kysely'
import { rowsOf } from '../rows.ts'
import { query, write } from '../statement.ts'
import type { Store, Write } from '../store.ts'
import type { RunContextRow, RunRow, RunThreadRow } from '../tables.ts'

const threads = rowsOf('run_threads', 'organization_id', 'environment_id', 'agent_id', 'thread_key')
const queuedInputs = rowsOf('queued_inputs', 'run_id', 'input_id')

/** Condition on `runs`: no message waits in the run for its turn. */
export const noMessageWaits = sql<boolean>`not exists (select 1 from queued_inputs where queued_inputs.run_id = runs.id)`

/** The run of the key. */
export const findThread = threads.only('run_id').find()

const pointThread = write(
  (db, { replaces, ...row }: RunThreadRow & { replaces: string }) =>
    db
      .insertInto('run_threads')
      .values(row)
      .onConflict((conflict) =>
        conflict
          .columns(['organization_id', 'environment_id', 'agent_id', 'thread_key'])
          .doUpdateSet({ run_id: row.run_id })
          .where('run_threads.run_id', '=', replaces),
      ),
  1,
)

/**
 * Points the key of a new run to that run instead of the run `replaces`. Fails the unit of work with `StaleWrite` if
 * the key already points to another run.
 */
export const openThread = (store: { db: Store['db'] }, row: RunRow, replaces: string | null): Write[] =>
  row.thread_key
    ? [
        pointThread(store, {
          organization_id: row.organization_id,
          environment_id: row.environment_id ?? '',
          agent_id: row.agent_id,
          thread_key: row.thread_key,
          run_id: row.id,
          replaces: replaces ?? '',
        }),
      ]
    : []

/** Sets the context for the run's operations, replacing the previous one. */
export const putRunContext = write((db, row: RunContextRow) =>
  db
    .insertInto('run_contexts')
    .values(row)
    .onConflict((conflict) => conflict.column('run_id').doUpdateSet({ body: row.body })),
)
export const getRunContext = rowsOf('run_contexts', 'run_id').find()

export const insertQueuedInput = queuedInputs.insert()
export const getQueuedInput = queuedInputs.find()
/** Deletes exactly one; otherwise `StaleWrite`. */
export const deleteQueuedInput = queuedInputs.removeOne()

const hasEnded = sql<boolean>`runs.state in ('completed', 'failed', 'canceled')`

/** Ended runs with queued messages, after a run id. */
export const listRunsWithNextInput = query((db, values: { after: string; limit: number }) =>
  db
    .selectFrom('queued_inputs')
    .innerJoin('runs', 'runs.id', 'queued_inputs.run_id')
    .select('queued_inputs.run_id as id')
    .distinct()
    .where('queued_inputs.run_id', '>', values.after)
    .where(hasEnded)
    .orderBy('queued_inputs.run_id')
    .limit(values.limit),
)

/** The stream positions where the turns after the first begin, in order, with their times and the states before them. */
export const listTurnStarts = query((db, values: { runId: string; limit: number; offset: number }) =>
  db
    .selectFrom('transitions')
    .select(['from_state', 'stream_sequence', 'at'])
    .where('actor_id', '=', values.runId)
    .where('kind', '=', 'run')
    .where('event', '=', 'continue')
    .where('to_state', '=', 'queued')
    .orderBy('sequence')
    .limit(values.limit)
    .offset(values.offset),
)
