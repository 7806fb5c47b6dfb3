/** Leases shared by several servers, in Redis. */
import { Redis } from 'ioredis'
import { InvalidSetting } from '../operating/variable.ts'
import { ownNamespace } from '../redis/namespace.ts'
import { checkRequirements } from '../redis/requirements.ts'
import { nonsense, trouble } from '../redis/trouble.ts'
import type { LeasesLog } from './leases.ts'
import { checkKey, checkTerms, isToken, type Lease, type Leases, LeasesUnavailable, rememberMs } from './leases.ts'
import * as scripts from './scripts.ts'

interface RedisLeasesOptions {
  url: string
  /** The prefix of keys. */
  namespace?: string | undefined
  /** Epoch milliseconds, for the log. */
  now: () => number
  log: LeasesLog | undefined
}

/** Timeout of an answer, of a connection attempt, and of a connected but silent server. */
const patienceMs = 2000
const reconnectMsMax = 1000
const logEveryMs = 60_000

/** The scripts as ioredis offers them: EVALSHA, then EVAL if Redis no longer has the script. */
interface Scripts {
  takeLease(keys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>
  renewLease(...keysAndArguments: (string | number)[]): Promise<unknown>
  releaseLease(...keysAndArguments: (string | number)[]): Promise<unknown>
  readLeases(keys: number, ...keysAndArguments: string[]): Promise<unknown>
  probeLeases(key: string): Promise<unknown>
}

/**
 * Leases in Redis, for several servers. Every key expires, so Redis must evict none early (`maxmemory-policy noeviction`, the
 * default). While Redis is down each call rejects: at once if the last connection attempt failed, else
 * within two seconds. The client reconnects forever. Source: contract 0, "Redis away".
 */
export class RedisLeases implements Leases {
  readonly #redis: Redis & Scripts
  readonly #namespace: string
  readonly #now: () => number
  readonly #log: LeasesLog | undefined
  #greatestToken = 0
  #lostConnections = 0
  #trouble = 'not connected'
  #loggedAt = Number.NEGATIVE_INFINITY
  #closed = false
  /** Why this Redis is unusable, although it answers. */
  #refusal: string | undefined
  #checked: Promise<void> | undefined
  #isOpen = false

  /**
   * Resolves when Redis is connected or the first attempt has failed. Throws `InvalidSetting` for an invalid URL, and
   * for a Redis that is too old.
   */
  static async open(options: RedisLeasesOptions): Promise<RedisLeases> {
    if (!isRedisUrl(options.url))
      throw new InvalidSetting('REDIS_URL: must look like redis://host:6379/0 or rediss://host:6379/0.')
    const leases = new RedisLeases(options)
    await leases.#redis.connect().catch(() => {}) // reported by the listener for errors
    await leases.#checked
    leases.#isOpen = true
    if (leases.#refusal === undefined) return leases
    await leases.close()
    throw new InvalidSetting(`REDIS_URL: ${leases.#refusal}`)
  }

  private constructor({ url, namespace = ownNamespace, now, log }: RedisLeasesOptions) {
    this.#namespace = namespace
    this.#now = now
    this.#log = log
    this.#redis = new Redis(url, {
      lazyConnect: true,
      connectTimeout: patienceMs,
      commandTimeout: patienceMs,
      socketTimeout: patienceMs, // else a silently lost connection would look ready for many minutes
      disconnectTimeout: 500,
      // A call of unknown outcome is never repeated: if it had taken the lease, the repeated call would find it held.
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      retryStrategy: (attempt) => {
        this.#lostConnections = attempt
        return Math.min(attempt * 50, reconnectMsMax)
      },
      // After a fail-over the old primary is a replica; the name resolves to the new primary.
      reconnectOnError: (error) => error.message.startsWith('READONLY'),
    }) as Redis & Scripts
    this.#redis.on('error', (error: Error) => this.#report(error))
    this.#redis.on('ready', () => {
      this.#lostConnections = 0
      this.#trouble = 'connection lost' // unless an error gives a better reason
      this.#checked = this.#checkRequirements()
    })
    this.#redis.defineCommand('takeLease', { lua: scripts.take })
    this.#redis.defineCommand('renewLease', { lua: scripts.renew, numberOfKeys: 2 })
    this.#redis.defineCommand('releaseLease', { lua: scripts.release, numberOfKeys: 1 })
    this.#redis.defineCommand('readLeases', { lua: scripts.read })
    this.#redis.defineCommand('probeLeases', { lua: scripts.probe, numberOfKeys: 1 })
  }

  acquire(key: string, holder: string, ttlMs: number): Promise<Lease | null> {
    return this.acquireAny([key], holder, ttlMs)
  }

  async acquireAny(keys: readonly string[], holder: string, ttlMs: number): Promise<Lease | null> {
    keys.forEach(checkKey)
    checkTerms(holder, ttlMs)
    const names = [this.#counterKey, ...keys.map(this.#nameOf)]
    const answer = await this.#ask((redis) =>
      redis.takeLease(names.length, ...names, holder, ttlMs, rememberMs, this.#greatestToken),
    )
    if (answer === null) return null
    const [index, token, expiresAt] = listOf(answer, 3)
    const key = typeof index === 'number' ? keys[index - 1] : undefined
    if (key === undefined || !isToken(token) || !isInstant(expiresAt)) throw new LeasesUnavailable(nonsense)
    this.#greatestToken = Math.max(this.#greatestToken, token)
    return { key, holder, token, expiresAt }
  }

  async renew(key: string, holder: string, token: number, ttlMs: number): Promise<Lease | null> {
    checkKey(key)
    checkTerms(holder, ttlMs)
    const known = this.#greatestToken
    const answer = await this.#ask(async (redis) =>
      isToken(token)
        ? redis.renewLease(this.#counterKey, this.#nameOf(key), holder, ttlMs, rememberMs, known, token)
        : null,
    )
    if (answer === null) return null
    const [renewed, expiresAt] = listOf(answer, 2)
    if (renewed !== token || !isInstant(expiresAt)) throw new LeasesUnavailable(nonsense)
    this.#greatestToken = Math.max(this.#greatestToken, token)
    return { key, holder, token, expiresAt }
  }

  async release(key: string, token: number): Promise<boolean> {
    checkKey(key)
    const answer = await this.#ask((redis) => redis.releaseLease(this.#nameOf(key), token, rememberMs))
    if (answer !== null && answer !== token) throw new LeasesUnavailable(nonsense)
    return answer !== null
  }

  async read(keys: readonly string[]): Promise<Map<string, Lease>> {
    const answer = listOf(await this.#ask((redis) => redis.readLeases(keys.length, ...keys.map(this.#nameOf))))
    const held = new Map<string, Lease>()
    for (let at = 0; at < answer.length; at += 4) {
      const [index, token, expiresAt, holder] = answer.slice(at, at + 4)
      const key = typeof index === 'number' ? keys[index - 1] : undefined
      if (key === undefined || !isToken(token) || !isInstant(expiresAt) || typeof holder !== 'string') {
        throw new LeasesUnavailable(nonsense)
      }
      held.set(key, { key, holder, token, expiresAt })
    }
    return held
  }

  async health(): Promise<string> {
    if (this.#refusal !== undefined) return this.#refusal
    return await this.#ask((redis) => redis.probeLeases(`${this.#namespace}lease-probe`)).then(
      (answer) => (answer === 'OK' ? 'ok' : nonsense),
      (error: LeasesUnavailable) => error.reason,
    )
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#redis.disconnect()
  }

  get #counterKey(): string {
    return `${this.#namespace}lease-token`
  }

  readonly #nameOf = (key: string): string => `${this.#namespace}lease:${key}`

  async #ask(call: (redis: Scripts) => Promise<unknown>): Promise<unknown> {
    if (this.#closed) throw new LeasesUnavailable('closed')
    // ioredis queues calls during the first loss; a second one means that reconnecting has failed.
    if (this.#lostConnections > 1) throw new LeasesUnavailable(this.#trouble)
    try {
      return await call(this.#redis)
    } catch (error) {
      throw new LeasesUnavailable(this.#closed ? 'closed' : this.#report(error as Error))
    }
  }

  /** Checks the current Redis again: the address may now lead to another one. */
  async #checkRequirements(): Promise<void> {
    const info: unknown = await this.#redis.info().catch(() => undefined)
    if (typeof info !== 'string') return
    const { refusal, warning } = checkRequirements(info)
    this.#refusal = refusal
    // the caller of `openLeases` gets a refusal itself
    const line = this.#isOpen ? (refusal ?? warning) : warning
    if (line !== undefined && !this.#closed) this.#log?.warn({}, line)
  }

  /** Remembers why Redis is down and logs it, at most once a minute. */
  #report(error: Error): string {
    this.#trouble = trouble(error, patienceMs) ?? this.#trouble
    const now = this.#now()
    if (!this.#closed && now - this.#loggedAt >= logEveryMs) {
      this.#loggedAt = now
      this.#log?.warn({ reason: this.#trouble }, 'Redis is down; no lease can be acquired or renewed until it is up.')
    }
    return this.#trouble
  }
}

const isInstant = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0

function listOf(answer: unknown, length?: number): unknown[] {
  if (!Array.isArray(answer) || (length !== undefined && answer.length !== length))
    throw new LeasesUnavailable(nonsense)
  return answer
}

function isRedisUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^rediss?:$/.test(url.protocol) && url.hostname !== '' && /^\/?\d*$/.test(url.pathname)
}
