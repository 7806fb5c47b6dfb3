/**
 * A connection to Redis for optional features: limits, broadcasts. While Redis is down every command fails, at once if that
 * is known, else after `patienceMs`; the client reconnects forever. Source: contract 0, "Redis away".
 */
import { Redis } from 'ioredis'
import { trouble } from './trouble.ts'

const reconnectMsMax = 1000
const logEveryMs = 60_000

/** Log for trouble with Redis; a pino logger fits. */
export interface RedisLog {
  warn(details: object, message: string): void
}

interface ConnectionOptions {
  /** redis://[user:password@]host[:port][/database], or rediss:// for TLS. */
  url: string
  /** Timeout of an answer, of a connection attempt, and of a connected but silent server. */
  patienceMs: number
  /** The log message while Redis is down. */
  whenAway: string
  /** Epoch milliseconds, for the log. */
  now: () => number
  log?: RedisLog | undefined
  /** The prefix of keys in the commands; channels are given in full. */
  keyPrefix?: string
  /** Whether the commands of one turn of the event loop are sent together. */
  isPipelined?: boolean
}

export class RedisConnection {
  readonly redis: Redis
  readonly #options: ConnectionOptions
  #reason = 'not connected'
  #loggedAt = Number.NEGATIVE_INFINITY
  #closed = false

  /** Does not connect yet, so that listeners see the first connection. Throws for an invalid URL. */
  constructor(options: ConnectionOptions) {
    this.#options = options
    const { url, patienceMs, keyPrefix = '', isPipelined = false } = options
    this.redis = new Redis(url, {
      lazyConnect: true,
      connectTimeout: patienceMs,
      commandTimeout: patienceMs,
      // else a silently lost connection would look ready for many minutes
      socketTimeout: patienceMs,
      disconnectTimeout: 500,
      // commands fail at once while Redis is down
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      // subscribers subscribe again themselves, to know when it is done
      autoResubscribe: false,
      keyPrefix,
      enableAutoPipelining: isPipelined,
      retryStrategy: (attempt) => Math.min(attempt * 50, reconnectMsMax),
      // after a fail-over the old primary is a replica; the name resolves to the new primary
      reconnectOnError: (error) => error.message.startsWith('READONLY'),
    })
    this.redis.on('error', (error: Error) => this.report(error))
    this.redis.on('ready', () => {
      // unless an error gives a better reason
      this.#reason = 'connection lost'
    })
  }

  /** Resolves when Redis is connected or the first attempt has failed. */
  async open(): Promise<void> {
    await this.redis.connect().catch(() => {}) // reported by the listener for errors
  }

  /** Logs, at most once a minute, that Redis is down and why. */
  report(error?: Error): void {
    const { now, log, whenAway, patienceMs } = this.#options
    if (error) this.#reason = trouble(error, patienceMs) ?? this.#reason
    const at = now()
    if (this.#closed || at - this.#loggedAt < logEveryMs) return
    this.#loggedAt = at
    log?.warn({ reason: this.#reason }, whenAway)
  }

  close(): void {
    this.#closed = true
    this.redis.disconnect()
  }
}
