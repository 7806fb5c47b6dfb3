/**
 * The number of an organization's live runs, and the bytes stored for its runs. Both are counted in the unit of work
 * that changes the run, so that each change counts exactly once, even after a crash. Source: contract 1, "Quotas".
 */
import { type RawBuilder, sql } from 'kysely'
import { liveRunStates, runEnds } from '../../machines/run/states.ts'
import { LimitReached } from '../bounds.ts'
import { rowsOf } from '../rows.ts'
import { query, together, write } from '../statement.ts'
import type { Store, Write } from '../store.ts'

const runCounts = rowsOf('run_counts', 'organization_id')

/** What is added to an organization's counters; negative if a run ends or is removed. */
export interface RunCountsDelta {
  organization_id: string
  live_runs: number
  stored_bytes: number
}

/** The organization's first run creates the row. */
const insertOrAdd = (db: Store['db'], { organization_id, live_runs, stored_bytes }: RunCountsDelta) =>
  db.insertInto('run_counts').values({ organization_id, live_runs, stored_bytes })

const sums = {
  live_runs: sql<number>`run_counts.live_runs + excluded.live_runs`,
  stored_bytes: sql<number>`run_counts.stored_bytes + excluded.stored_bytes`,
}

export const countRuns = together(
  'sums',
  write((db, delta: RunCountsDelta) =>
    insertOrAdd(db, delta).onConflict((conflict) => conflict.column('organization_id').doUpdateSet(sums)),
  ),
)

const countWithin = together(
  'sums',
  write(
    (db, delta: RunCountsDelta & { liveRunsMax: number }) =>
      insertOrAdd(db, delta).onConflict((conflict) =>
        conflict
          .column('organization_id')
          .doUpdateSet(sums)
          .where(sql<boolean>`run_counts.live_runs + excluded.live_runs <= ${delta.liveRunsMax}`),
      ),
    1,
  ),
)

/** The same; `LimitReached` if more runs would then be live. The limit is not checked when the row is created. */
export const countRunsWithin = (store: { db: Store['db'] }, delta: RunCountsDelta, liveRunsMax: number): Write => ({
  ...countWithin(store, { ...delta, liveRunsMax }),
  refusal: () => new LimitReached('As many runs live as may.', { name: 'liveRuns', limit: liveRunsMax }),
})

// It follows the additions of its unit, so it sees at least those; of several identical checks, one is enough.
const assertWithin = together(
  'apart',
  write(
    (db, values: { organizationId: string; bytesMax: number }) =>
      db
        .updateTable('run_counts')
        .set({ stored_bytes: sql<number>`stored_bytes` })
        .where('organization_id', '=', values.organizationId)
        .where('stored_bytes', '<=', values.bytesMax),
    1,
  ),
  ({ organizationId, bytesMax }) => `${organizationId} ${bytesMax}`,
)

/** Fails the unit of work with `LimitReached` if more than `bytesMax` is stored. */
export const storedWithin = (store: { db: Store['db'] }, organizationId: string, bytesMax: number): Write => ({
  ...assertWithin(store, { organizationId, bytesMax }),
  refusal: () => new LimitReached('As much is stored as may be.', { name: 'storedBytes', limit: bytesMax }),
})

/** The organization's counters; no row if nothing was counted. */
export const findRunCounts = runCounts.only('live_runs', 'stored_bytes').find()

/** Adds the bytes stored by a change that leaves the run's row otherwise unchanged. */
export const addCountedBytes = write((db, values: { id: string; bytes: number }) =>
  db
    .updateTable('runs')
    .set({ counted_bytes: sql<number>`counted_bytes + ${values.bytes}` })
    .where('id', '=', values.id),
)

const listed = (states: readonly string[]) => sql.raw(states.map((state) => `'${state}'`).join(', '))

const release = (live: RawBuilder<number>) =>
  write((db, values: { runId: string }) =>
    db
      .updateTable('run_counts')
      .from('runs')
      .set(({ ref }) => ({
        live_runs: sql<number>`${ref('run_counts.live_runs')} - ${live}`,
        stored_bytes: sql<number>`${ref('run_counts.stored_bytes')} - coalesce(${ref('runs.counted_bytes')}, 0)`,
      }))
      .where('runs.id', '=', values.runId)
      .whereRef('run_counts.organization_id', '=', 'runs.organization_id'),
  )

/** Subtracts the counted bytes of an ended run; its removal must follow. */
export const releaseStored = release(sql`0`)

/** The same for a run that is removed in any state; a live one is also subtracted from the live runs. */
export const releaseRun = release(sql`case when runs.state in (${listed(liveRunStates)}) then 1 else 0 end`)

/** A run whose bytes have not been counted yet. */
export interface UncountedRun {
  id: string
  organization_id: string
  version: number
  bytes: number
}

const sizes = {
  run_inputs: ['body'],
  run_events: ['frames'],
  agent_steps: ['input', 'output', 'error'],
  checkpoints: ['messages', 'remainder'],
  call_results: ['outcome'],
  queued_inputs: ['body'],
  run_contexts: ['body'],
}
const storedOf = sql.join(
  Object.entries(sizes).map(([table, columns]) => {
    const size = sql.raw(columns.map((column) => `coalesce(octet_length(${column}), 0)`).join(' + '))
    return sql`(select coalesce(sum(${size}), 0) from ${sql.table(table)} where run_id = runs.id)`
  }),
  sql` + `,
)

/** Ended runs whose bytes have not been counted yet, with their bytes; only the lengths of texts are read. */
export const listUncounted = query((db, values: { limit: number }) =>
  db
    .selectFrom('runs')
    .select(['id', 'organization_id', 'version'])
    // what remains of a run without content is not counted for other runs either
    .select(sql<number>`case when content_removed_at is null then ${storedOf} else 0 end`.as('bytes'))
    .where('counted_bytes', 'is', null)
    .where(sql<boolean>`state in (${listed(runEnds)})`)
    .orderBy('id')
    .limit(values.limit),
)

const noteBytes = write(
  (db, values: Omit<UncountedRun, 'organization_id'>) =>
    db
      .updateTable('runs')
      .set(({ eb }) => ({ version: eb('version', '+', 1), counted_bytes: values.bytes }))
      .where('id', '=', values.id)
      .where('version', '=', values.version)
      .where('counted_bytes', 'is', null),
  1,
)

/** Counts the bytes of an uncounted run and increments its version, so that cached copies become stale. */
export const countOldRun = (store: Pick<Store, 'db'>, { organization_id, ...run }: UncountedRun): Write[] => [
  noteBytes(store, run),
  countRuns(store, { organization_id, live_runs: 0, stored_bytes: run.bytes }),
]
