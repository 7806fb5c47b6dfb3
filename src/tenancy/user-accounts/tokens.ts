/** Tokens that are mailed to the address of an account: created with their mail, removed when they expire. */

import { newId } from '../../../storage/ids.ts'
import type { BackgroundStore, Store, Write } from '../../../storage/store.ts'
import type { AccountTokenRow } from '../../../storage/tables.ts'
import {
  deleteAccountToken,
  insertAccountToken,
  listExpiredAccountTokens,
} from '../../../storage/tenancy/account-tokens.ts'
import type { Mails } from '../../platform/mail/mails.ts'
import { forEach, inBatches } from '../../platform/operating/batches.ts'
import { hashSecret } from '../../platform/secrets/tokens.ts'

interface NewToken {
  userId: string
  purpose: AccountTokenRow['purpose']
  now: number
  lifeMs: number
}

/** A token whose mail is sent after its commit. */
export function mailedToken(
  store: Store,
  mails: Pick<Mails, 'tokenOf' | 'accounts'>,
  { userId, purpose, now, lifeMs }: NewToken,
): Write {
  const id = newId('atk', now)
  const insertion = insertAccountToken(store, {
    id,
    user_id: userId,
    purpose,
    token_hash: hashSecret(mails.tokenOf(id)),
    mail_due_at: now,
    mail_attempts: 0,
    created_at: now,
    expires_at: now + lifeMs,
  })
  return { ...insertion, committed: mails.accounts.wake }
}

/** Deletes up to `limit` expired tokens; returns how many. Called periodically. */
export const pruneAccountTokens = (store: BackgroundStore, now: number, limit: number): Promise<number> =>
  inBatches(limit, async (some) =>
    forEach(await store.all(listExpiredAccountTokens(store, { now, limit: some })), (token) =>
      store.commit([deleteAccountToken(store, token)]),
    ),
  )
