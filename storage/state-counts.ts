/**
 * How many runs, deliveries and invocations are in each state. The store counts them in the unit of work that changes them, so
 * that a look costs a few rows and nothing drifts, whatever removes them. Source: contract 9, "counted, never scanned".
 */
import { rowsOf } from './rows.ts'
import type { Store } from './store.ts'
import type { StateCountRow } from './tables.ts'

const counts = rowsOf('state_counts', 'kind', 'state')

const countsOf = counts.only('state', 'count').find('kind')

/** By state; a state without any may be left out. */
export async function stateCounts(store: Store, kind: StateCountRow['kind']): Promise<ReadonlyMap<string, number>> {
  const rows = await store.all(countsOf(store, { kind }))
  return new Map(rows.map(({ state, count }) => [state, Number(count)]))
}
