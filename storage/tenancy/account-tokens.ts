/** Tokens that go to the address of an account: to prove it, to set another password. Source: contract 1, "Session". */
import { query, write } from '../statement.ts'
import type { AccountTokenRow } from '../tables.ts'

type Purpose = AccountTokenRow['purpose']

export const insertAccountToken = write((db, row: AccountTokenRow) => db.insertInto('account_tokens').values(row))

/** The token with this hash that can still be used, and the account that it is of. */
export const findAccountToken = query((db, values: { tokenHash: string; purpose: Purpose; now: number }) =>
  db
    .selectFrom('account_tokens')
    .innerJoin('users', 'users.id', 'account_tokens.user_id')
    .select(['account_tokens.id', 'account_tokens.user_id', 'users.email'])
    .where('account_tokens.token_hash', '=', values.tokenHash)
    .where('account_tokens.purpose', '=', values.purpose)
    .where('account_tokens.expires_at', '>', values.now),
)

/** Uses the token up, unless somebody else has. */
export const spendAccountToken = write(
  (db, values: { id: string }) => db.deleteFrom('account_tokens').where('id', '=', values.id),
  1,
)

/** Takes back all tokens of the user for this purpose. */
export const deleteAccountTokens = write((db, values: { userId: string; purpose: Purpose }) =>
  db.deleteFrom('account_tokens').where('user_id', '=', values.userId).where('purpose', '=', values.purpose),
)

export const listExpiredAccountTokens = query((db, values: { now: number; limit: number }) =>
  db
    .selectFrom('account_tokens')
    .select('id')
    .where('expires_at', '<=', values.now)
    .orderBy('expires_at')
    .limit(values.limit),
)

export const deleteAccountToken = write((db, values: { id: string }) =>
  db.deleteFrom('account_tokens').where('id', '=', values.id),
)
