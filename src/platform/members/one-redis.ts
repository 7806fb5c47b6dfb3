/** All servers of a store must use the same Redis: with two, each would consider the other's leases free. */
import { StoreRefused } from '../../../storage/errors.ts'
import type { Hints } from '../bus/hints.ts'
import type { Members } from './members.ts'

const patienceMs = 5_000
const askAgainMs = 200
/** A server that has missed a heartbeat by some margin may be dead. */
const silentAfterMs = 8_000

/**
 * Resolves when another server of the store answers over the bus, or none is alive. Throws `StoreRefused` if one is
 * alive and does not answer.
 */
export async function assertOneRedis(
  members: Pick<Members, 'id' | 'isShared' | 'list'>,
  hints: Pick<Hints, 'isHeard'>,
): Promise<void> {
  if (!members.isShared) return
  const startedAt = performance.now()
  let all = await members.list()
  // by the store's clock, which dates this server's join
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
