/** The first master key of a server encrypts what all servers of the store read: each of them must have it. */
import { StoreRefused } from '../../../storage/errors.ts'
import type { MemberRow, Membership } from '../../../storage/postgres/membership.ts'
import { fingerprintsOf, type KeyRing } from '../secrets/keyring.ts'

const askAgainMs = 200

/**
 * Waits until the servers are gone that this one could not serve beside: one that was killed is listed for a while, but
 * sends no heartbeat. Throws `StoreRefused` if one of them lives.
 */
export async function outwaitOtherKeys(membership: Pick<Membership, 'list'>, ring: KeyRing): Promise<void> {
  const apart = async () => (await membership.list()).filter((row) => whyApart(ring, row) !== undefined)
  const beats = new Map((await apart()).map(({ id, beat_at }) => [id, beat_at]))
  for (let left = beats.size; left > 0; ) {
    await Bun.sleep(askAgainMs)
    const now = await apart()
    assertSharedKey(
      ring,
      now.filter(({ id, beat_at }) => beat_at > (beats.get(id) ?? 0)),
    )
    left = now.length
  }
}

/**
 * Throws `StoreRefused` unless all of these servers have the first key of this ring, and this ring the first key of each
 * of them. Those of earlier versions do not name their keys, and are taken to agree.
 */
export function assertSharedKey(ring: KeyRing, servers: readonly MemberRow[]) {
  for (const row of servers) {
    const why = whyApart(ring, row)
    if (why !== undefined) throw new StoreRefused(`TROUPE_MASTER_KEYS: ${why}`)
  }
}

/** Why this server and that one could not read what the other encrypts; undefined if they can. */
function whyApart(ring: KeyRing, { master_keys }: MemberRow): string | undefined {
  if (master_keys === null) return undefined
  const own = fingerprintsOf(ring)
  const theirs: readonly string[] = JSON.parse(master_keys)
  if (own[0] !== undefined && !theirs.includes(own[0])) {
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
