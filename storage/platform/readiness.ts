/** Proves that the store can be written, with a row of its own. Source: contract 9, "`/readyz` proves a write". */
import { write } from '../statement.ts'
import type { Store, Write } from '../store.ts'

const proveWrite = write((db, values: { at: number }) =>
  db
    .insertInto('readiness')
    .values({ id: 1, proved_at: values.at })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ proved_at: values.at })),
)

/**
 * The unit of work for the proof. Empty in PostgreSQL, where each transaction updates its connection's own row anyway;
 * servers that updated one shared row would wait for each other.
 */
export const proofOfWrite = (store: Store, at: number): Write[] =>
  store.engine === 'postgres' ? [] : [proveWrite(store, { at })]
