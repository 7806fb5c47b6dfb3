/** Opens the leases that the configuration asks for. */
import { EmbeddedLeases } from './embedded.ts'
import type { Leases, LeasesLog } from './leases.ts'

export interface LeasesOptions {
  /** redis://[user:password@]host[:port][/database], or rediss:// for TLS. Without it leases are embedded. */
  redisUrl?: string | undefined
  /** Epoch milliseconds. The clock of embedded leases; with Redis, whose own clock counts, only of the log. */
  now?: (() => number) | undefined
  log?: LeasesLog | undefined
}

/**
 * The leases that the configuration asks for. A Redis that is away doesn't stop the start: calls reject with
 * LeasesUnavailable until it is there. Throws when the URL is not one of Redis.
 * Source: contract 9, "Configuration".
 */
export async function openLeases({ redisUrl, now = Date.now, log }: LeasesOptions): Promise<Leases> {
  if (redisUrl === undefined) return new EmbeddedLeases(now)
  // Only here, so that a server without Redis never loads its client.
  const { RedisLeases } = await import('./redis.ts')
  return await RedisLeases.open(redisUrl, now, log)
}
