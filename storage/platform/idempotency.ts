/** Answers stored under an Idempotency-Key. Source: contract 0, "Idempotency-Key". */
import { rowsOf } from '../rows.ts'
import { together, write } from '../statement.ts'

const idempotencyKeys = rowsOf('idempotency_keys', 'scope')

/** Fails with `UniqueViolation` if an answer is already stored under this key. */
export const insertAnswer = together('rows', idempotencyKeys.insert())

export const findAnswer = idempotencyKeys.find()

/** Deletes an expired answer to make room for a new one. */
export const deleteExpiredAnswer = together(
  'rows',
  write((db, values: { scope: string; now: number }) =>
    db.deleteFrom('idempotency_keys').where('scope', '=', values.scope).where('expires_at', '<=', values.now),
  ),
)

export const listExpiredAnswers = idempotencyKeys.only('scope').due('expires_at')
