/** Answers that are kept under an Idempotency-Key. Source: contract 0, "Idempotency-Key". */
import { query, write } from '../statement.ts'
import type { IdempotencyRow } from '../tables.ts'

/** Fails with a unique violation when an answer is kept under this scope already. */
export const insertAnswer = write((db, row: IdempotencyRow) => db.insertInto('idempotency_keys').values(row))

export const findAnswer = query((db, values: { scope: string }) =>
  db.selectFrom('idempotency_keys').selectAll().where('scope', '=', values.scope),
)

/** Makes room for a new answer; one that has not expired stays. */
export const deleteExpiredAnswer = write((db, values: { scope: string; now: number }) =>
  db.deleteFrom('idempotency_keys').where('scope', '=', values.scope).where('expires_at', '<=', values.now),
)

export const listExpiredAnswers = query((db, values: { now: number; limit: number }) =>
  db
    .selectFrom('idempotency_keys')
    .select('scope')
    .where('expires_at', '<=', values.now)
    .orderBy('expires_at')
    .limit(values.limit),
)
