/** Tokens that go to the address of an account: to prove it, to set another password. Source: contract 1, "Session". */
import { rowsOf } from '../rows.ts'
import { query } from '../statement.ts'
import type { AccountTokenRow } from '../tables.ts'

const accountTokens = rowsOf('account_tokens', 'id')

type Purpose = AccountTokenRow['purpose']

export const insertAccountToken = accountTokens.insert()

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

/** Uses the token up, unless it is used up already. */
export const spendAccountToken = accountTokens.removeOne()

/** Takes back all tokens of the user for this purpose. */
export const deleteAccountTokens = accountTokens.remove('user_id', 'purpose')

export const listExpiredAccountTokens = accountTokens.only('id').due('expires_at')

export const deleteAccountToken = accountTokens.remove()
