/** Whether the store can be written: a row of its own says so. Source: contract 9, "`/readyz` proves a write". */
import { write } from '../statement.ts'
import type { Store, Write } from '../store.ts'

export const proveWrite = write((db, values: { at: number }) =>
  db
    .insertInto('readiness')
    .values({ id: 1, proved_at: values.at })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ proved_at: values.at })),
)

/**
 * A unit of work that proves it. A transaction of PostgreSQL changes a row of its connection by itself: servers that wrote one
 * row would wait for each other.
 */
export const proofOfWrite = (store: Store, at: number): Write[] =>
  store.engine === 'postgres' ? [] : [proveWrite(store, { at })]
