/**
 * A connection to Redis for what can be done without it: limits, announcements. While Redis is away every command fails,
 * at once when that is known and else within the connection's patience; it is reconnected to for ever. Source: contract 0,
 * "Redis away".
 */
import { Redis } from 'ioredis'
import { trouble } from './trouble.ts'

const reconnectMsMax = 1000
const logEveryMs = 60_000

/** Where trouble with Redis is reported; a pino logger fits. */
export interface RedisLog {
  warn(details: object, message: string): void
}

export interface ConnectionOptions {
  /** redis://[user:password@]host[:port][/database], or rediss:// for TLS. */
  url: string
  /** How long an answer, a connection, or a connected but silent server is waited for. */
  patienceMs: number
  /** What the log says while Redis is away. */
  whenAway: string
  /** Epoch milliseconds, of the log. */
  now: () => number
  log?: RedisLog | undefined
}

export class RedisConnection {
  readonly redis: Redis
  readonly #options: ConnectionOptions
  #reason = 'not connected'
  #loggedAt = Number.NEGATIVE_INFINITY
  #closed = false

  /** Not connected yet, so that listeners hear of the first connection. Throws when the URL is not one at all. */
  constructor(options: ConnectionOptions) {
    this.#options = options
    const { url, patienceMs } = options
    this.redis = new Redis(url, {
      lazyConnect: true,
      connectTimeout: patienceMs,
      commandTimeout: patienceMs,
      // else a connection that died without a word would look ready for many minutes
      socketTimeout: patienceMs,
      disconnectTimeout: 500,
      // nobody waits for a Redis that is away
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      // whoever subscribes wants to know when it is done
      autoResubscribe: false,
      retryStrategy: (attempt) => Math.min(attempt * 50, reconnectMsMax),
      // after a fail-over the old primary is a replica: the name leads to the new one
      reconnectOnError: (error) => error.message.startsWith('READONLY'),
    })
    this.redis.on('error', (error: Error) => this.report(error))
    this.redis.on('ready', () => {
      // what it will be if no error says more
      this.#reason = 'connection lost'
    })
  }

  /** Resolves when Redis is there or the first attempt to connect has failed. */
  async open(): Promise<void> {
    await this.redis.connect().catch(() => {}) // reported by the listener for errors
  }

  /** Says in the log, at most once a minute, that Redis is away, and why. */
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
