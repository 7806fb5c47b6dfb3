/** The first master key of a server encrypts what all servers of the store read: each of them must have it. */
import { StoreRefused } from '../../../storage/errors.ts'
import type { MemberRow, Membership } from '../../../storage/postgres/membership.ts'
import { fingerprintsOf, type KeyRing } from '../secrets/keyring.ts'

const askAgainMs = 200

/**
 * Resolves if all living servers of the store have the first key of this ring, and this ring the first key of each of
 * them. Throws `StoreRefused` otherwise. A server that was killed is listed for a while, but sends no heartbeat; those of
 * earlier versions do not name their keys, and are taken to agree.
 */
export async function assertSharedKey(membership: Pick<Membership, 'list'>, ring: KeyRing): Promise<void> {
  const apart = async () =>
    (await membership.list()).flatMap((row) => {
      const why = whyApart(ring, row)
      return why === undefined ? [] : [{ ...row, why }]
    })
  const beats = new Map((await apart()).map(({ id, beat_at }) => [id, beat_at]))
  for (let left = beats.size; left > 0; ) {
    await Bun.sleep(askAgainMs)
    const now = await apart()
    const living = now.find(({ id, beat_at }) => beat_at > (beats.get(id) ?? 0))
    if (living) throw new StoreRefused(`TROUPE_MASTER_KEYS: ${living.why}`)
    left = now.length
  }
}

/** Why this server and that one could not read what the other encrypts; undefined if they can. */
function whyApart(ring: KeyRing, { master_keys }: MemberRow): string | undefined {
  if (master_keys === null) return undefined
  const own = fingerprintsOf(ring)
  const theirs: readonly string[] = JSON.parse(master_keys)
  if (!theirs.includes(own[0])) {
    return (
      `another server of this store does not have the key ${ring.primary.id}, and could not read what this one encrypts. ` +
      'Add it after the old key on every server first, and then put it first.'
    )
  }
  if (theirs[0] !== undefined && !own.includes(theirs[0])) {
    return (
      'another server of this store has a first key that is not among these, and this one could not read what that one ' +
      'encrypts. Add it here, after the others.'
    )
  }
  return undefined
}
