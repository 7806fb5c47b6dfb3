/**
 * The content of runs: which of them have had their time, and how what they were given and gave is taken out of the store.
 * What stays is the run's row, its journal, and its steps with their names, times and token usage.
 */
import { type RawBuilder, sql } from 'kysely'
import { query, write } from '../statement.ts'
import type { Store, Write } from '../store.ts'
import { loosenTexts } from '../texts.ts'
import { releaseStored } from './run-counts.ts'

// Written as literals: an index on a part of the table serves a query only when the text itself shows that it may.
const hasEnded = sql<boolean>`state in ('completed', 'failed', 'canceled', 'expired')`
const hasContent = sql<boolean>`content_removed_at is null`

/** In one unit of work. */
export const groupsAtOnce = 200
const groups: RawBuilder<number> = sql`(select count(*) from
  (select 1 from run_events where run_id = runs.id limit ${sql.lit(groupsAtOnce + 1)}) as counted)`

/** A run whose content is to go. */
export interface ExpiredRun {
  id: string
  version: number
  context: string
  /** How many groups of frames it has, up to one more than go at once. */
  groups: number
}

/** Runs that have ended and have not changed for a while, whose content has had its time: the longest over first. */
export const listExpiredContent = query((db, values: { now: number; unchangedSince: number; limit: number }) =>
  db
    .selectFrom('runs')
    .select(['id', 'version', 'context'])
    .select(groups.as('groups'))
    .where(hasEnded)
    .where(hasContent)
    .where('retention_expires_at', '<=', values.now)
    .where('updated_at', '<=', values.unchangedSince)
    .orderBy('retention_expires_at')
    .limit(values.limit),
)

/** The run, while it has ended and its content is there. */
export const findContent = query((db, values: { id: string }) =>
  db
    .selectFrom('runs')
    .select(['id', 'version', 'context'])
    .select(groups.as('groups'))
    .where('id', '=', values.id)
    .where(hasEnded)
    .where(hasContent),
)

/** Steps of the run that have failed, with their error as JSON. */
export const listStepErrors = query((db, values: { runId: string }) =>
  db
    .selectFrom('agent_steps')
    .select(['agent_step_id', 'error'])
    .where('run_id', '=', values.runId)
    .where('error', 'is not', null),
)

/** Moves of the run that had a reason, with it as JSON. */
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
  /** The version that was read. */
  from: number
  context: string
  at: number
}

/** Notes that the content is gone, with a new version, so that cached copies of the run become stale. */
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

const deleteInputs = write((db, values: { id: string }) => db.deleteFrom('run_inputs').where('run_id', '=', values.id))
const deleteQueuedInputs = write((db, values: { id: string }) =>
  db.deleteFrom('queued_inputs').where('run_id', '=', values.id),
)
const deleteContext = write((db, values: { id: string }) =>
  db.deleteFrom('run_contexts').where('run_id', '=', values.id),
)
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
export const removeContent = (store: Pick<Store, 'db'>, run: Marked): Write[] => [
  releaseStored(store, { runId: run.id }),
  markRemoved(store, run),
  deleteInputs(store, run),
  deleteQueuedInputs(store, run),
  deleteContext(store, run),
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
export const removeFirstGroups = (store: Pick<Store, 'db'>, run: { id: string; version: number }): Write[] => [
  unchanged(store, run),
  deleteFirstGroups(store, { id: run.id, limit: groupsAtOnce }),
]

/** When the content of a run was removed; null while it is there. */
export const contentRemovedAt = query((db, values: { runId: string }) =>
  db.selectFrom('runs').select('content_removed_at').where('id', '=', values.runId),
)
