/** Opens the bus of a server. */
import type { Members } from '../members/members.ts'
import type { RedisLog } from '../redis/connection.ts'
import { namespaceOf } from '../redis/namespace.ts'
import { aloneBus, type Bus } from './bus.ts'

interface OpenBusOptions {
  members: Pick<Members, 'isShared' | 'storeId' | 'id'>
  redisUrl: string | undefined
  now: () => number
  log: RedisLog
}

/** A server that shares its store uses Redis; it starts even while Redis is down. */
export async function openBus({ members, redisUrl: url, now, log }: OpenBusOptions): Promise<Bus> {
  if (!members.isShared || url === undefined) return aloneBus
  // imported here so that a single server never loads the client
  const { RedisBus } = await import('./redis-bus.ts')
  return RedisBus.open({ url, namespace: namespaceOf(members), id: members.id, now, log })
}
