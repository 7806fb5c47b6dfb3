/**
 * How many runs have not ended, and since when the queue's first one waits. They are counted along the index of a state, a
 * bounded stretch at a time: it holds few of all runs, and nothing more is kept for it when a run moves.
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
          // of a whole organization, the index alone says everything
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
      // Written as a literal: the index on this part of the table serves only where the text itself shows that it may.
      .where(sql<boolean>`state = 'queued'`)
      .where('organization_id', '=', values.organizationId)
      .where('available_at', '<=', values.now)
      .where(within(narrowing, values))
      .orderBy('available_at')
      .limit(1),
  ),
)

/** Runs of a state after an id: how many were walked, the last of them, and how many of them are in the scope. */
export const walkState = (store: Store, values: CountScope & { state: string; after: string; limit: number }) =>
  stretchOf(values)(store, values)

/** The queued run that could have been leased first. */
export const oldestQueuedIn = (store: Store, values: CountScope & { now: number }) => oldestOf(values)(store, values)
