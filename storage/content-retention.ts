/**
 * The content of runs: which of them have had their time, and how what they were given and gave is taken out of the store.
 * What stays is the run's row, its journal, and its steps with their names, times and token usage.
 */
import { type RawBuilder, sql } from 'kysely'
import { releaseStored } from './run-counts.ts'
import { query, write } from './statement.ts'
import type { Store, Write } from './store.ts'
import { loosenTexts } from './texts.ts'

// Written as literals: an index on a part of the table serves a query only when the text itself shows that it may.
const hasEnded = sql<boolean>`state in ('completed', 'failed', 'canceled', 'expired')`
const hasContent = sql<boolean>`content_removed_at is null`

const countOf = (table: string): RawBuilder<number> =>
  sql`(select count(*) from ${sql.table(table)} where run_id = runs.id)`

/** A run whose content is to go. */
export interface ExpiredRun {
  id: string
  version: number
  context: string
  /** How many groups of frames it has, and how many rows with content besides. */
  groups: number
  rows: number
}

/** Runs that have ended and have not changed for a while, whose content has had its time: the longest over first. */
export const listExpiredContent = query((db, values: { now: number; unchangedSince: number; limit: number }) =>
  db
    .selectFrom('runs')
    .select(['id', 'version', 'context'])
    .select([
      countOf('run_events').as('groups'),
      sql<number>`${countOf('agent_steps')} + ${countOf('checkpoints')} + ${countOf('call_results')} + ${countOf('run_inputs')}`.as(
        'rows',
      ),
    ])
    .where(hasEnded)
    .where(hasContent)
    .where('retention_expires_at', '<=', values.now)
    .where('updated_at', '<=', values.unchangedSince)
    .orderBy('retention_expires_at')
    .limit(values.limit),
)

/** Steps that have failed, of these runs, with their error as JSON. */
export const listStepErrors = (store: Store, runIds: readonly string[]) =>
  store.db
    .selectFrom('agent_steps')
    .select(['run_id', 'agent_step_id', 'error'])
    .where('run_id', 'in', runIds)
    .where('error', 'is not', null)
    .execute()

/** Moves of these runs that had a reason, with it as JSON. */
export const listMoveReasons = (store: Store, runIds: readonly string[]) =>
  store.db
    .selectFrom('transitions')
    .select(['actor_id', 'sequence', 'reason'])
    .where('actor_id', 'in', runIds)
    .where('kind', '=', 'run')
    .where('reason', 'is not', null)
    .execute()

export const setStepError = write((db, values: { agentStepId: number; error: string }) =>
  db.updateTable('agent_steps').set({ error: values.error }).where('agent_step_id', '=', values.agentStepId),
)

export const setMoveReason = write((db, values: { runId: string; sequence: number; reason: string }) =>
  db
    .updateTable('transitions')
    .set({ reason: values.reason })
    .where('actor_id', '=', values.runId)
    .where('kind', '=', 'run')
    .where('sequence', '=', values.sequence),
)

interface Marked {
  id: string
  /** The version that was read. */
  from: number
  context: string
  at: number
}

/** Notes that the content is gone, as a change of its own: whoever has the run in memory has an outdated one. */
const markRemoved = write(
  (db, values: Marked) =>
    db
      .updateTable('runs')
      .set(({ eb }) => ({
        version: eb('version', '+', 1),
        context: values.context,
        content_removed_at: values.at,
        counted_bytes: 0,
      }))
      .where('id', '=', values.id)
      .where('version', '=', values.from)
      .where(hasEnded)
      .where(hasContent),
  1,
)

const deleteInputs = write((db, values: { id: string }) => db.deleteFrom('run_inputs').where('run_id', '=', values.id))
const deleteCheckpoints = write((db, values: { id: string }) =>
  db.deleteFrom('checkpoints').where('run_id', '=', values.id),
)
const deleteCallResults = write((db, values: { id: string }) =>
  db.deleteFrom('call_results').where('run_id', '=', values.id),
)
const emptySteps = write((db, values: { id: string }) =>
  db
    .updateTable('agent_steps')
    .set({ input: null, output: null, last_checkpoint_id: null })
    .where('run_id', '=', values.id),
)
/** The last group stays, without its frames: it says where the stream ended, which readers come back with. */
const deleteGroups = write((db, values: { id: string }) =>
  db
    .deleteFrom('run_events')
    .where('run_id', '=', values.id)
    .where('first_sequence', '<', ({ selectFrom }) =>
      selectFrom('run_events as latest')
        .select(({ fn }) => fn.max('latest.first_sequence').as('first_sequence'))
        .where('latest.run_id', '=', values.id),
    ),
)
const emptyGroup = write((db, values: { id: string }) =>
  db.updateTable('run_events').set({ frames: '[]' }).where('run_id', '=', values.id),
)

/** Removes the content of a run. The unit fails with `StaleWrite` when the run has changed, or lives (again). */
export const removeContent = (store: Store, run: Marked): Write[] => [
  releaseStored(store, { runId: run.id }),
  markRemoved(store, run),
  deleteInputs(store, run),
  deleteGroups(store, run),
  emptyGroup(store, run),
  deleteCheckpoints(store, run),
  deleteCallResults(store, run),
  loosenTexts(store, { runId: run.id }),
  emptySteps(store, run),
]

const unchanged = write(
  (db, values: { id: string; version: number }) =>
    db
      .updateTable('runs')
      .set(({ ref }) => ({ version: ref('version') }))
      .where('id', '=', values.id)
      .where('version', '=', values.version),
  1,
)
const deleteFirstGroups = write((db, values: { id: string; limit: number }) =>
  db
    .deleteFrom('run_events')
    .where('run_id', '=', values.id)
    .where('first_sequence', 'in', ({ selectFrom }) =>
      selectFrom('run_events as first')
        .select('first.first_sequence')
        .where('first.run_id', '=', values.id)
        .orderBy('first.first_sequence')
        .limit(values.limit),
    ),
)

/** Removes the oldest frames of a run that has very many. `StaleWrite` when the run has changed. */
export const removeFirstGroups = (store: Store, run: { id: string; version: number }, limit: number): Write[] => [
  unchanged(store, run),
  deleteFirstGroups(store, { id: run.id, limit }),
]

/** When the content of a run was removed; null while it is there. */
export const contentRemovedAt = query((db, values: { runId: string }) =>
  db.selectFrom('runs').select('content_removed_at').where('id', '=', values.runId),
)
