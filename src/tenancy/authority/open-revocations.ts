/** Opens the revocations of this process: embedded, or over Redis. */
import type { RedisLog } from '../../platform/redis/connection.ts'
import { EmbeddedRevocations, type Revocations } from './revocations.ts'

/** The revocations that the configuration asks for. A Redis that is away does not stop the start. */
export async function openRevocations(options: {
  redisUrl?: string | undefined
  now?: () => number
  log?: RedisLog
}): Promise<Revocations> {
  const { redisUrl: url, now = Date.now, log } = options
  if (url === undefined) return new EmbeddedRevocations()
  // only here, so that a server without Redis never loads its client
  const { RedisRevocations } = await import('./redis-revocations.ts')
  return RedisRevocations.open({ url, now, log })
}
