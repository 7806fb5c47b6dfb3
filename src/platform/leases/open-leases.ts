/** Opens the leases that the configuration asks for. */
import { EmbeddedLeases } from './embedded.ts'
import type { Leases, LeasesLog } from './leases.ts'

interface LeasesOptions {
  /** redis://[user:password@]host[:port][/database], or rediss:// for TLS. Without it leases are embedded. */
  redisUrl?: string | undefined
  /** The prefix of keys in Redis. */
  namespace?: string | undefined
  /** Epoch milliseconds. The clock of embedded leases; with Redis, which has its own clock, only that of the log. */
  now?: (() => number) | undefined
  log?: LeasesLog | undefined
}

/**
 * Opens the configured leases. The server starts even if Redis is down: calls reject with LeasesUnavailable until it is up.
 * Throws for an invalid Redis URL. Source: contract 9, "Configuration".
 */
export async function openLeases({ redisUrl, namespace, now = Date.now, log }: LeasesOptions): Promise<Leases> {
  if (redisUrl === undefined) return new EmbeddedLeases(now)
  // Imported here so that a server without Redis never loads its client.
  const { RedisLeases } = await import('./redis.ts')
  return await RedisLeases.open({ url: redisUrl, namespace, now, log })
}
