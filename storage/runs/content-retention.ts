/**
 * Finds runs whose content is past its retention time, and removes it: inputs, outputs, stream and checkpoints. The
 * run's row, its journal, and its steps with their names, times and token usage remain.
 */
import { type RawBuilder, sql } from 'kysely'
import { rowsOf } from '../rows.ts'
import { query, write } from '../statement.ts'
import type { Store, Write } from '../store.ts'
import { loosenTexts } from '../texts.ts'
import { noMessageWaits } from './conversations.ts'
import { releaseStored } from './run-counts.ts'

// Literals, not parameters: a partial index serves a query only if the query text implies the index's condition.
const hasEnded = sql<boolean>`state in ('completed', 'failed', 'canceled', 'expired')`
const hasContent = sql<boolean>`content_removed_at is null`

/** The maximum number of frame groups removed in one unit of work. */
export const groupsAtOnce = 200
const groups: RawBuilder<number> = sql`(select count(*) from
  (select 1 from run_events where run_id = runs.id limit ${sql.lit(groupsAtOnce + 1)}) as counted)`

/** A run whose content is due for removal. */
export interface ExpiredRun {
  id: string
  version: number
  context: string
  /** The number of its frame groups, counted up to `groupsAtOnce + 1`. */
  groups: number
}

/**
 * Ended runs, unchanged since a time, whose content is past its retention time, and in which no message waits; the
 * longest expired first.
 */
export const listExpiredContent = query((db, values: { now: number; unchangedSince: number; limit: number }) =>
  db
    .selectFrom('runs')
    .select(['id', 'version', 'context', 'retention_expires_at', 'updated_at'])
    .select(groups.as('groups'))
    .where(hasEnded)
    .where(hasContent)
    // a run with waiting messages goes on
    .where(noMessageWaits)
    .where('retention_expires_at', '<=', values.now)
    .where('updated_at', '<=', values.unchangedSince)
    .orderBy('retention_expires_at')
    .limit(values.limit),
)

/** The run, if it has ended and its content has not been removed. */
export const findContent = query((db, values: { id: string }) =>
  db
    .selectFrom('runs')
    .select(['id', 'version', 'context'])
    .select(groups.as('groups'))
    .where('id', '=', values.id)
    .where(hasEnded)
    .where(hasContent),
)

/** The run's failed steps, with their error as JSON. */
export const listStepErrors = query((db, values: { runId: string }) =>
  db
    .selectFrom('agent_steps')
    .select(['agent_step_id', 'error'])
    .where('run_id', '=', values.runId)
    .where('error', 'is not', null),
)

/** The run's transitions that have a reason, with the reason as JSON. */
export const listMoveReasons = query((db, values: { runId: string }) =>
  db
    .selectFrom('transitions')
    .select(['sequence', 'reason'])
    .where('actor_id', '=', values.runId)
    .where('kind', '=', 'run')
    .where('reason', 'is not', null),
)

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
  /** The version read. */
  from: number
  context: string
  at: number
}

/** Marks the content as removed and increments the version, so that cached copies of the run become stale. */
const markRemoved = write(
  (db, values: Marked) =>
    db
      .updateTable('runs')
      .set(({ eb }) => ({
        version: eb('version', '+', 1),
        context: values.context,
        content_removed_at: values.at,
        query: null,
        counted_bytes: 0,
      }))
      .where('id', '=', values.id)
      .where('version', '=', values.from)
      .where(hasEnded)
      .where(hasContent),
  1,
)

/**
 * Sets the context without content, and increments the version. The run is found again until `removeContent`, also
 * after a crash. `StaleWrite` if it has changed or is live (again).
 */
export const beginRemoval = write(
  (db, values: Pick<Marked, 'id' | 'from' | 'context'>) =>
    db
      .updateTable('runs')
      .set(({ eb }) => ({ version: eb('version', '+', 1), context: values.context }))
      .where('id', '=', values.id)
      .where('version', '=', values.from)
      .where(hasEnded)
      .where(hasContent),
  1,
)

/** Deletes the rows of a run in each table that holds nothing but content. */
const deleteRows = (['run_inputs', 'queued_inputs', 'run_contexts', 'checkpoints', 'call_results'] as const).map(
  (table) => write((db, values: { id: string }) => db.deleteFrom(table).where('run_id', '=', values.id)),
)
const emptySteps = write((db, values: { id: string }) =>
  db
    .updateTable('agent_steps')
    .set({ input: null, output: null, last_checkpoint_id: null })
    .where('run_id', '=', values.id),
)
/** Keeps the last group, without its frames: it records the end of the stream, from which readers resume. */
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

/** Removes the content of a run. The unit fails with `StaleWrite` if the run has changed or is live (again). */
export const removeContent = (store: Pick<Store, 'db'>, run: Marked): Write[] => [
  releaseStored(store, { runId: run.id }),
  markRemoved(store, run),
  ...deleteRows.map((deleteFrom) => deleteFrom(store, run)),
  deleteGroups(store, run),
  emptyGroup(store, run),
  loosenTexts(store, { ownerId: run.id }),
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

/** Removes the oldest frame groups of a run with very many. `StaleWrite` if the run has changed. */
export const removeFirstGroups = (store: Pick<Store, 'db'>, run: { id: string; version: number }): Write[] => [
  unchanged(store, run),
  deleteFirstGroups(store, { id: run.id, limit: groupsAtOnce }),
]

/** When the content of a run was removed; null if it was not. */
export const contentRemovedAt = rowsOf('runs', 'id').only('content_removed_at').find()
