/**
 * Ended runs, counted by the hour: one row for each place in which runs ended. A run is counted in the unit of work
 * that ends it, by one statement. Source: requirement 3, "Agent Run lifecycle states".
 */
import { sql } from 'kysely'
import { type RunEnd, runEnds } from '../../machines/run/states.ts'
import { perScope } from '../count-scope.ts'
import { hoursOf, type Stretch } from '../runtime/hourly-tallies.ts'
import { query, together, write } from '../statement.ts'
import type { Store } from '../store.ts'
import type { RunPhase, RunTallyRow, TallyColumn } from '../tables.ts'

const hourMs = 3_600_000
/** The number of buckets of each histogram. */
const bucketCount = 32

const mostMs = 2 ** (bucketCount - 1) - 1

/** The bucket of a duration: 0 is below 1 ms, n is from 2^(n-1) to below 2^n ms, the last is everything above. */
const bucketOf = (ms: number): number => bucketCount - Math.clz32(Math.min(Math.max(ms, 0), mostMs))

/** The histogram columns of a phase, by bucket. */
export const histogramOf = (phase: RunPhase): TallyColumn[] =>
  Array.from({ length: bucketCount }, (_, bucket) => `${phase}_${bucket}` as const)

export const tallyColumns: readonly TallyColumn[] = [...runEnds, ...histogramOf('queue'), ...histogramOf('work')]

interface TallyPlace {
  organization_id: string
  project_id: string | null
  environment_id: string | null
}

/** The end of a run: its outcome and time, and the durations of its phases, null if unknown. */
interface RunEnding {
  place: TallyPlace
  outcome: RunEnd
  /** Epoch milliseconds. */
  at: number
  queueMs: number | null
  workMs: number | null
}

const none = Object.fromEntries(tallyColumns.map((column) => [column, 0])) as Record<TallyColumn, number>
const add = together(
  'sums',
  write((db, counted: RunTallyRow) => {
    const { organization_id, hour, project_id, environment_id } = counted
    const columns = Object.fromEntries(tallyColumns.map((column) => [column, counted[column]]))
    const sums = tallyColumns.map((column) => [
      column,
      sql`run_tallies.${sql.ref(column)} + excluded.${sql.ref(column)}`,
    ])
    return db
      .insertInto('run_tallies')
      .values({ organization_id, hour, project_id, environment_id, ...(columns as typeof none) })
      .onConflict((conflict) =>
        conflict
          .columns(['organization_id', 'hour', 'project_id', 'environment_id'])
          .doUpdateSet(Object.fromEntries(sums)),
      )
  }),
)

/** Counts one end. In the unit of work that ends the run, it counts exactly once despite crashes and retries. */
export function countEnding(store: { db: Store['db'] }, { place, outcome, at, queueMs, workMs }: RunEnding) {
  const counted: RunTallyRow = {
    ...none,
    organization_id: place.organization_id,
    hour: at - (at % hourMs),
    project_id: place.project_id ?? '',
    environment_id: place.environment_id ?? '',
  }
  counted[outcome] = 1
  if (queueMs !== null) counted[`queue_${bucketOf(queueMs)}`] = 1
  if (workMs !== null) counted[`work_${bucketOf(workMs)}`] = 1
  return add(store, counted)
}

const sumsOf = perScope((narrowing) =>
  query((db, values: Stretch) =>
    db
      .selectFrom('run_tallies')
      .select(sql<number>`cast((hour - ${values.origin}) / ${values.intervalMs} as integer)`.as('interval'))
      .select(({ fn }) => tallyColumns.map((column) => fn.sum<number>(column).as(column)))
      .where('organization_id', '=', values.organizationId)
      .where('hour', '>=', values.from)
      .where('hour', '<', values.to)
      .where(({ and, eb }) => and(narrowing.map((column) => eb(column, '=', values[column] as string))))
      .groupBy('interval'),
  ),
)

/** The sums over a range of hours, for each interval in which a run ended. */
export const sumTallies = (store: Store, values: Stretch) => sumsOf(values)(store, values)

const hours = hoursOf('run_tallies')
export const runTalliesStep = hours.step
export const pruneTallies = hours.prune
