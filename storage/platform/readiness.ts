/** Whether the store can be written: a row of its own says so. Source: contract 9, "`/readyz` proves a write". */
import { write } from '../statement.ts'

export const proveWrite = write((db, values: { at: number }) =>
  db
    .insertInto('readiness')
    .values({ id: 1, proved_at: values.at })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ proved_at: values.at })),
)
