/**
 * Counts within a time window: in Redis if several servers share the work, else in this process. While Redis is down each
 * process counts for itself. Source: contract 0, "Rate limits", "Redis away".
 */
import type { RateLimiterAbstract } from 'rate-limiter-flexible'
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js'
import RateLimiterRedis from 'rate-limiter-flexible/lib/RateLimiterRedis.js'
import RateLimiterRes from 'rate-limiter-flexible/lib/RateLimiterRes.js'
import type { RedisConnection } from '../redis/connection.ts'

interface CounterTerms {
  /** Part of the keys in Redis. */
  name: string
  /** Points per window. */
  points: number
  windowSeconds: number
}

/** Counts in memory while Redis is down, and logs it. */
class InPlaceOfRedis extends RateLimiterMemory {
  connection: RedisConnection | undefined

  override consume(key: string | number, points?: number, options?: object): Promise<RateLimiterRes> {
    this.connection?.report()
    return super.consume(key, points, options)
  }
}

/** Windows follow the clock of the process, or that of Redis. */
export function counter(terms: CounterTerms, connection?: RedisConnection): RateLimiterAbstract {
  const { name, points, windowSeconds } = terms
  const options = { points, duration: windowSeconds, keyPrefix: connection ? name : `troupe:${name}` }
  if (!connection) return new RateLimiterMemory(options)
  const insuranceLimiter = new InPlaceOfRedis(options)
  insuranceLimiter.connection = connection
  return new RateLimiterRedis({
    ...options,
    storeClient: connection.redis,
    insuranceLimiter,
    rejectIfRedisNotReady: true,
  })
}

/** The state of a window. */
interface Counted {
  refused: boolean
  remaining: number
  /** Seconds until the window ends, at least 1. */
  seconds: number
}

const read = ({ remainingPoints, msBeforeNext }: RateLimiterRes, refused: boolean): Counted => ({
  refused,
  remaining: remainingPoints,
  seconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
})

/** Consumes one point. */
export const count = (by: RateLimiterAbstract, key: string): Promise<Counted> =>
  by.consume(key).then(
    (left) => read(left, false),
    (left: unknown) => {
      // the library rejects with the state of the window when no points are left
      if (left instanceof RateLimiterRes) return read(left, true)
      throw left
    },
  )

/** Consumes one point. Returns 0, or the seconds (at least 1) to wait when none is left. */
export async function refusedFor(by: RateLimiterAbstract, key: string): Promise<number> {
  const { refused, seconds } = await count(by, key)
  return refused ? seconds : 0
}
