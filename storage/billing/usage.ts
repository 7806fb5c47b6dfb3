/**
 * The usage counters of organizations, one row per billing period. Usage is counted in the unit of work that changes
 * the run, so it is counted exactly once, even after a crash. Source: requirement 8, "Billing budget"; contract 8.
 */
import { sql } from 'kysely'
import { LimitReached } from '../bounds.ts'
import { rowsOf } from '../rows.ts'
import { query, together, write } from '../statement.ts'
import type { Store } from '../store.ts'
import type { UsageCounterRow, UsageCounts, UsageShareRow } from '../tables.ts'

const usageCounters = rowsOf('usage_counters', 'organization_id', 'period_start')

/** Amounts added to each counter; a negative one releases a reservation. */
export type UsageDelta = Omit<UsageCounterRow, 'told_percent'>

const columns = [
  'used_ms',
  'reserved_ms',
  'runs_started',
  'runs_completed',
  'runs_failed',
  'input_tokens',
  'output_tokens',
] as const satisfies (keyof UsageCounts)[]

const countsOf = (delta: UsageCounts): UsageCounts => ({
  used_ms: delta.used_ms,
  reserved_ms: delta.reserved_ms,
  runs_started: delta.runs_started,
  runs_completed: delta.runs_completed,
  runs_failed: delta.runs_failed,
  input_tokens: delta.input_tokens,
  output_tokens: delta.output_tokens,
})

/** The first usage of a period inserts its row. */
const insertOrAdd = (db: Store['db'], delta: UsageDelta) =>
  db.insertInto('usage_counters').values({
    organization_id: delta.organization_id,
    period_start: delta.period_start,
    period_end: delta.period_end,
    told_percent: 0,
    ...countsOf(delta),
  })

const key = ['organization_id', 'period_start'] as const
const sumsIn = (table: 'usage_counters' | 'usage_shares') =>
  Object.fromEntries(
    columns.map((column) => [column, sql<number>`${sql.ref(`${table}.${column}`)} + excluded.${sql.ref(column)}`]),
  )
const sums = {
  ...sumsIn('usage_counters'),
  period_end: sql<number>`coalesce(excluded.period_end, usage_counters.period_end)`,
}
const sumsOfShare = sumsIn('usage_shares')

export const countUsage = together(
  'sums',
  write((db, delta: UsageDelta) =>
    insertOrAdd(db, delta).onConflict((conflict) => conflict.columns(key).doUpdateSet(sums)),
  ),
)

/** Adds to an Agent's share of the usage. */
export const countShare = together(
  'sums',
  write((db, share: UsageShareRow) =>
    db
      .insertInto('usage_shares')
      .values({
        organization_id: share.organization_id,
        period_start: share.period_start,
        agent_id: share.agent_id,
        project_id: share.project_id,
        ...countsOf(share),
      })
      .onConflict((conflict) => conflict.columns([...key, 'agent_id']).doUpdateSet(sumsOfShare)),
  ),
)

/**
 * `countUsage`, but with `LimitReached` if used and reserved time would exceed the bound. The first reservation of a
 * period is not checked, because a single reservation never exceeds the bound.
 */
export const countWithin = together(
  'sums',
  write(
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
  ),
)

/** The usage of a period; no row if there is none. */
export const findUsage = usageCounters.find()

/** The starts of periods with usage that began before a time, latest first, with their ends if known. */
export const listPeriodsBefore = usageCounters
  .only('period_start', 'period_end')
  .newest('period_start', 'organization_id')

/** The most Agents or Projects in one answer. */
const sharesMax = 1_000

/** The name of the Agent or Project; null if it was deleted, and for System Agents, which have no row in `agents`. */
const nameOf = {
  agent_id: sql<string | null>`(select agents.name from agents where agents.id = usage_shares.agent_id)`,
  project_id: sql<string | null>`(select projects.name from projects where projects.id = usage_shares.project_id)`,
}

const sharesBy = (column: 'agent_id' | 'project_id') =>
  query((db, values: { organizationId: string; periodStart: number }) =>
    db
      .selectFrom('usage_shares')
      .select(`${column} as id`)
      .select(nameOf[column].as('name'))
      .select(({ fn }) => columns.map((counter) => fn.sum<number>(counter).as(counter)))
      .where('organization_id', '=', values.organizationId)
      .where('period_start', '=', values.periodStart)
      .groupBy(column)
      .orderBy('used_ms', 'desc')
      .orderBy('id')
      .limit(sharesMax),
  )

/**
 * The usage of a period by Agent or Project, largest first; the id '' is usage of none. The table has a row per Agent.
 */
export const listShares = { agent: sharesBy('agent_id'), project: sharesBy('project_id') }

/** A share of the budget at which organizations are notified. */
interface BudgetMark {
  organizationId: string
  periodStart: number
  percent: number
  /** That share of the budget, in milliseconds. */
  thresholdMs: number
}

const markOf = ({ organizationId, periodStart, percent, thresholdMs }: BudgetMark) =>
  `${organizationId} ${periodStart} ${percent} ${thresholdMs}`

/** Announces that the usage has reached the mark; does nothing below the mark, or if it was already announced. */
export const announceBudgetMark = together(
  'apart',
  write((db, values: BudgetMark & { type: string; actorType: string; actorId: string; data: string; at: number }) =>
    db
      .insertInto('announcements')
      .columns([
        'organization_id',
        'type',
        'subject_type',
        'subject_id',
        'actor_type',
        'actor_id',
        'data',
        'at',
        'told_up_to',
      ])
      .expression(
        db
          .selectFrom('usage_counters')
          .select(({ val }) => [
            'organization_id',
            val(values.type).as('type'),
            val('organization').as('subject_type'),
            'organization_id as subject_id',
            val(values.actorType).as('actor_type'),
            val(values.actorId).as('actor_id'),
            val(values.data).as('data'),
            val(values.at).as('at'),
            val('').as('told_up_to'),
          ])
          .where('organization_id', '=', values.organizationId)
          .where('period_start', '=', values.periodStart)
          .where('used_ms', '>=', values.thresholdMs)
          .where('told_percent', '<', values.percent),
      ),
  ),
  markOf,
)

/** Records that the mark was announced; follows `announceBudgetMark` in the same unit of work. */
export const noteBudgetMark = together(
  'apart',
  write((db, values: BudgetMark) =>
    db
      .updateTable('usage_counters')
      .set({ told_percent: values.percent })
      .where('organization_id', '=', values.organizationId)
      .where('period_start', '=', values.periodStart)
      .where('used_ms', '>=', values.thresholdMs)
      .where('told_percent', '<', values.percent),
  ),
  markOf,
)

/** Lets the marks of a period be announced again: its budget has changed. */
export const forgetBudgetMarks = write((db, values: Pick<BudgetMark, 'organizationId' | 'periodStart'>) =>
  db
    .updateTable('usage_counters')
    .set({ told_percent: 0 })
    .where('organization_id', '=', values.organizationId)
    .where('period_start', '=', values.periodStart),
)

/** Releases the reservation of a run whose record cannot be read; columns of the run have the amount. */
export const releaseReservation = write((db, values: { runId: string }) =>
  db
    .updateTable('usage_counters')
    .from('runs')
    .set(({ ref }) => ({ reserved_ms: sql<number>`${ref('usage_counters.reserved_ms')} - ${ref('runs.reserved_ms')}` }))
    .where('runs.id', '=', values.runId)
    .whereRef('usage_counters.organization_id', '=', 'runs.organization_id')
    .whereRef('usage_counters.period_start', '=', 'runs.reserved_in'),
)

/** `releaseReservation` for the share of the run's Agent. */
export const releaseShare = write((db, values: { runId: string }) =>
  db
    .updateTable('usage_shares')
    .from('runs')
    .set(({ ref }) => ({ reserved_ms: sql<number>`${ref('usage_shares.reserved_ms')} - ${ref('runs.reserved_ms')}` }))
    .where('runs.id', '=', values.runId)
    .whereRef('usage_shares.organization_id', '=', 'runs.organization_id')
    .whereRef('usage_shares.period_start', '=', 'runs.reserved_in')
    .whereRef('usage_shares.agent_id', '=', 'runs.agent_id'),
)
