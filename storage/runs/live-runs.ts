/**
 * Counts live runs, and finds the longest-waiting queued run. Runs are counted by scanning the index by state, a
 * bounded stretch at a time: few of all runs are live, and no counter has to be updated when a run changes state.
 */
import { sql } from 'kysely'
import { type CountScope, type CountScopeColumns, perScope } from '../count-scope.ts'
import { query } from '../statement.ts'
import type { Store } from '../store.ts'

const within = (columns: CountScopeColumns, values: CountScope) => {
  const conditions = columns.map((column) => sql`${sql.ref(column)} = ${values[column]}`)
  return columns.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` and `)}`
}

const stretchOf = perScope((narrowing) =>
  query((db, values: CountScope & { state: string; after: string; limit: number }) =>
    db
      .selectFrom((runs) =>
        runs
          .selectFrom('runs')
          // for a whole organization the index is covering
          .select(['id', ...narrowing])
          .where('organization_id', '=', values.organizationId)
          .where('state', '=', values.state)
          .where('id', '>', values.after)
          .orderBy('id')
          .limit(values.limit)
          .as('walked'),
      )
      .select(({ fn }) => [
        fn.countAll<number>().as('walked'),
        fn.max<string | null>('id').as('last'),
        fn.countAll<number>().filterWhere(within(narrowing, values)).as('found'),
      ]),
  ),
)

const oldestOf = perScope((narrowing) =>
  query((db, values: CountScope & { now: number }) =>
    db
      .selectFrom('runs')
      .select('available_at')
      // A literal, not a parameter: the partial index serves only if the query text implies its condition.
      .where(sql<boolean>`state = 'queued'`)
      .where('organization_id', '=', values.organizationId)
      .where('available_at', '<=', values.now)
      .where(within(narrowing, values))
      .orderBy('available_at')
      .limit(1),
  ),
)

/** Scans runs in a state after an id: the number scanned, the last id, and the number in the scope. */
export const walkState = (store: Store, values: CountScope & { state: string; after: string; limit: number }) =>
  stretchOf(values)(store, values)

/** When the longest-waiting queued run in the scope became available for lease. */
export const oldestQueuedIn = (store: Store, values: CountScope & { now: number }) => oldestOf(values)(store, values)
