/** Servers of a store have one Redis: over two of them each would take the other's leases for free. */
import { StoreRefused } from '../../../storage/errors.ts'
import type { Hints } from '../bus/hints.ts'
import type { Members } from './members.ts'

const patienceMs = 5_000
const askAgainMs = 200
/** One that has missed a beat, and some more, may be dead. */
const silentAfterMs = 8_000

/**
 * Resolves when another server of the store is heard over the bus, or none is there that lives. Throws `StoreRefused` when
 * one lives and is not heard.
 */
export async function assertOneRedis(
  members: Pick<Members, 'id' | 'isShared' | 'list'>,
  hints: Pick<Hints, 'isHeard'>,
): Promise<void> {
  if (!members.isShared) return
  const startedAt = performance.now()
  let all = await members.list()
  // by the store's clock: this one has just joined
  const joinedAt = all.find(({ id }) => id === members.id)?.beatAt ?? 0
  for (;;) {
    const waitedMs = performance.now() - startedAt
    const others = all.filter(({ id, beatAt }) => id !== members.id && joinedAt + waitedMs - beatAt < silentAfterMs)
    if (others.length === 0 || (await hints.isHeard())) return
    if (waitedMs > patienceMs && others.some(({ beatAt }) => beatAt > joinedAt))
      throw new StoreRefused(
        'REDIS_URL: no other server of this store is heard over this Redis; all need the same one, and it has to be there.',
      )
    await Bun.sleep(askAgainMs)
    all = await members.list()
  }
}
