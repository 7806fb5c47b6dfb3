/** Tokens mailed to the address of an account, to verify it or to reset the password. Source: contract 1, "Session". */
import { rowsOf } from '../rows.ts'
import { query } from '../statement.ts'
import type { AccountTokenRow } from '../tables.ts'

const accountTokens = rowsOf('account_tokens', 'id')

type Purpose = AccountTokenRow['purpose']

export const insertAccountToken = accountTokens.insert()

/** The unexpired token with this hash and purpose, with its account. */
export const findAccountToken = query((db, values: { tokenHash: string; purpose: Purpose; now: number }) =>
  db
    .selectFrom('account_tokens')
    .innerJoin('users', 'users.id', 'account_tokens.user_id')
    .select(['account_tokens.id', 'account_tokens.user_id', 'users.email'])
    .where('account_tokens.token_hash', '=', values.tokenHash)
    .where('account_tokens.purpose', '=', values.purpose)
    .where('account_tokens.expires_at', '>', values.now),
)

/** Consumes the token; `StaleWrite` if it is already consumed. */
export const spendAccountToken = accountTokens.removeOne()

/** Revokes all of the user's tokens for this purpose. */
export const deleteAccountTokens = accountTokens.remove('user_id', 'purpose')

export const listExpiredAccountTokens = accountTokens.only('id').due('expires_at')

export const deleteAccountToken = accountTokens.remove()
