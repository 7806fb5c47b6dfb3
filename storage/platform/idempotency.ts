/** Answers that are kept under an Idempotency-Key. Source: contract 0, "Idempotency-Key". */
import { rowsOf } from '../rows.ts'
import { together, write } from '../statement.ts'

const idempotencyKeys = rowsOf('idempotency_keys', 'scope')

/** Fails with a unique violation when an answer is kept under this scope already. */
export const insertAnswer = together('rows', idempotencyKeys.insert())

export const findAnswer = idempotencyKeys.find()

/** Makes room for a new answer; one that has not expired stays. */
export const deleteExpiredAnswer = together(
  'rows',
  write((db, values: { scope: string; now: number }) =>
    db.deleteFrom('idempotency_keys').where('scope', '=', values.scope).where('expires_at', '<=', values.now),
  ),
)

export const listExpiredAnswers = idempotencyKeys.only('scope').due('expires_at')
