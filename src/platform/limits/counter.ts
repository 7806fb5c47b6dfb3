/**
 * Counting within a window of time, in Redis where several servers share the work, else in this process. While Redis is
 * away each process counts for itself: nothing is refused for that, and nothing goes uncounted. Source: contract 0,
 * "Rate limits", "Redis away".
 */
import type { RateLimiterAbstract } from 'rate-limiter-flexible'
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js'
import RateLimiterRedis from 'rate-limiter-flexible/lib/RateLimiterRedis.js'
import RateLimiterRes from 'rate-limiter-flexible/lib/RateLimiterRes.js'
import type { RedisConnection } from '../redis/connection.ts'

export interface CounterTerms {
  /** Part of the keys in Redis. */
  name: string
  /** How many are free in a window. */
  points: number
  windowSeconds: number
}

/** Counts in memory in place of a Redis that is away, and says so in the log. */
class InPlaceOfRedis extends RateLimiterMemory {
  connection: RedisConnection | undefined

  override consume(key: string | number, points?: number, options?: object): Promise<RateLimiterRes> {
    this.connection?.report()
    return super.consume(key, points, options)
  }
}

/** Its windows follow the time of the process, or that of Redis. */
export function counter(terms: CounterTerms, connection?: RedisConnection): RateLimiterAbstract {
  const { name, points, windowSeconds } = terms
  const options = { points, duration: windowSeconds, keyPrefix: `troupe:${name}` }
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

/** What is left of a window. */
export interface Counted {
  refused: boolean
  remaining: number
  /** Until the window ends, at least 1. */
  seconds: number
}

const read = ({ remainingPoints, msBeforeNext }: RateLimiterRes, refused: boolean): Counted => ({
  refused,
  remaining: remainingPoints,
  seconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
})

/** Counts one. */
export const count = (by: RateLimiterAbstract, key: string): Promise<Counted> =>
  by.consume(key).then(
    (left) => read(left, false),
    (left: unknown) => {
      // the library rejects with what is left when that is nothing
      if (left instanceof RateLimiterRes) return read(left, true)
      throw left
    },
  )
