/** The first master key encrypts what all servers of the store read: each of them must have it. */
import { StoreRefused } from '../../../storage/errors.ts'
import type { MemberRow, Membership } from '../../../storage/postgres/membership.ts'
import { fingerprintOf, type KeyRing } from '../secrets/keyring.ts'

const askAgainMs = 200

/**
 * Resolves if all living servers of the store have the first key of this ring. Throws `StoreRefused` if one is alive
 * without it: one that was killed is listed for a while, but sends no heartbeat. Servers of earlier versions, which do
 * not name their keys, are taken to have it.
 */
export async function assertSharedKey(membership: Pick<Membership, 'list'>, { primary }: KeyRing): Promise<void> {
  const own = fingerprintOf(primary.key)
  const lacking = async () => (await membership.list()).filter((row) => !hasKey(row, own))
  const beats = new Map((await lacking()).map(({ id, beat_at }) => [id, beat_at]))
  for (let left = beats.size; left > 0; ) {
    await Bun.sleep(askAgainMs)
    const now = await lacking()
    if (now.some(({ id, beat_at }) => beat_at > (beats.get(id) ?? 0))) {
      throw new StoreRefused(
        `TROUPE_MASTER_KEYS: another server of this store does not have the key ${primary.id}, and could not read what ` +
          'this one encrypts. Add it after the old key on every server first, and then put it first.',
      )
    }
    left = now.length
  }
}

const hasKey = ({ master_keys }: MemberRow, fingerprint: string): boolean =>
  master_keys === null || (JSON.parse(master_keys) as string[]).includes(fingerprint)
