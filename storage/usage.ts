/**
 * The counters of what organizations use, one row for each billing period. Everything is counted in the unit of work that
 * changes the run, so that it is counted once, whatever crashes. Source: requirement 8, "Billing budget"; contract 8.
 */
import { sql } from 'kysely'
import { LimitReached } from './errors.ts'
import { query, write } from './statement.ts'
import type { Store } from './store.ts'
import type { UsageCounterRow } from './tables.ts'

/** What is added to each counter; a reservation is given back with a negative number. */
export type UsageDelta = UsageCounterRow

const columns = [
  'used_ms',
  'reserved_ms',
  'runs_started',
  'runs_completed',
  'runs_failed',
  'input_tokens',
  'output_tokens',
] as const satisfies (keyof UsageDelta)[]

/** The period's row begins with the first thing that there is to count. */
const insertOrAdd = (db: Store['db'], delta: UsageDelta) =>
  db.insertInto('usage_counters').values({
    organization_id: delta.organization_id,
    period_start: delta.period_start,
    used_ms: delta.used_ms,
    reserved_ms: delta.reserved_ms,
    runs_started: delta.runs_started,
    runs_completed: delta.runs_completed,
    runs_failed: delta.runs_failed,
    input_tokens: delta.input_tokens,
    output_tokens: delta.output_tokens,
  })

const key = ['organization_id', 'period_start'] as const
const sums = Object.fromEntries(
  columns.map((column) => [column, sql<number>`usage_counters.${sql.ref(column)} + excluded.${sql.ref(column)}`]),
)

export const countUsage = write((db, delta: UsageDelta) =>
  insertOrAdd(db, delta).onConflict((conflict) => conflict.columns(key).doUpdateSet(sums)),
)

/**
 * The same, unless more would then be used and reserved than the bound: `LimitReached`. A row that begins with it is not
 * held against the bound; nobody reserves more than that at once.
 */
export const countWithin = write(
  (db, delta: UsageDelta & { boundMs: number }) =>
    insertOrAdd(db, delta).onConflict((conflict) =>
      conflict
        .columns(key)
        .doUpdateSet(sums)
        .where(
          sql<boolean>`usage_counters.used_ms + usage_counters.reserved_ms + excluded.used_ms + excluded.reserved_ms
            <= ${delta.boundMs}`,
        ),
    ),
  1,
  () => new LimitReached('The budget of the period is used or reserved.'),
)

/** What has been counted in a period; no row when there was nothing. */
export const findUsage = query((db, values: { organizationId: string; periodStart: number }) =>
  db
    .selectFrom('usage_counters')
    .selectAll()
    .where('organization_id', '=', values.organizationId)
    .where('period_start', '=', values.periodStart),
)

/** Gives back what a run has reserved whose record cannot be read: its columns say what that is. */
export const releaseReservation = write((db, values: { runId: string }) =>
  db
    .updateTable('usage_counters')
    .from('runs')
    .set(({ ref }) => ({ reserved_ms: sql<number>`${ref('usage_counters.reserved_ms')} - ${ref('runs.reserved_ms')}` }))
    .where('runs.id', '=', values.runId)
    .whereRef('usage_counters.organization_id', '=', 'runs.organization_id')
    .whereRef('usage_counters.period_start', '=', 'runs.reserved_in'),
)
