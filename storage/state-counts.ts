/**
 * Counts of runs, deliveries and invocations by state. The store updates them in the unit of work that changes the
 * rows, so they cost only a few rows to read and never drift, however rows are deleted. Source: contract 9, "counted,
 * never scanned".
 */
import { query } from './statement.ts'
import type { Store } from './store.ts'
import type { StateCountRow } from './tables.ts'

// in PostgreSQL a count has several rows, one for each connection that commits
const countsOf = query((db, { kind }: Pick<StateCountRow, 'kind'>) =>
  db
    .selectFrom('state_counts')
    .select(({ fn }) => ['state', fn.sum<number>('count').as('count')])
    .where('kind', '=', kind)
    .groupBy('state'),
)

/** Counts by state; a state without rows may be absent. */
export async function stateCounts(store: Store, kind: StateCountRow['kind']): Promise<ReadonlyMap<string, number>> {
  const rows = await store.all(countsOf(store, { kind }))
  return new Map(rows.map(({ state, count }) => [state, Number(count)]))
}
