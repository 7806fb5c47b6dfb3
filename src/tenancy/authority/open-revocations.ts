/** Opens the configured revocations: embedded, or over Redis. */
import type { RedisLog } from '../../platform/redis/connection.ts'
import { EmbeddedRevocations, type Revocations } from './revocations.ts'

/** The server starts even if Redis is down. */
export async function openRevocations(options: {
  redisUrl?: string | undefined
  /** The prefix of channels in Redis. */
  namespace?: string
  now?: () => number
  log?: RedisLog
}): Promise<Revocations> {
  const { redisUrl: url, namespace, now = Date.now, log } = options
  if (url === undefined) return new EmbeddedRevocations()
  // imported here so that a server without Redis never loads its client
  const { RedisRevocations } = await import('./redis-revocations.ts')
  return RedisRevocations.open({ url, namespace, now, log })
}
