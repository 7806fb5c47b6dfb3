/**
 * Announces changes of authority to other processes over Redis. An announcement waits up to a second until every listening
 * process has acknowledged it; a silent process relies on cached answers for two seconds at most, and one without a
 * connection caches nothing. Source: requirement 5.2; contract 0, "Redis away"; design 6.
 */
import { RedisConnection, type RedisLog } from '../../platform/redis/connection.ts'
import { ownNamespace } from '../../platform/redis/namespace.ts'
import { type Change, EmbeddedRevocations, type Revocations } from './revocations.ts'

/** The longest wait for Redis, and for the other processes. */
const patienceMs = 1000
/** A silently lost connection is detected within this time and the patience. */
const probeEveryMs = 1000

const whenAway =
  'Redis is down; each request is authenticated in the store, and other processes apply revocations within 2 s.'

interface Announcement {
  id: string
  /** The announcing process. */
  from: string
  change: Change
}

/** The announcement; undefined if another version sent it. */
function read(text: string): Announcement | undefined {
  try {
    const { id, from, change } = JSON.parse(text)
    const isOne = typeof id === 'string' && typeof from === 'string' && typeof change === 'object' && change !== null
    return isOne ? { id, from, change } : undefined
  } catch {
    return undefined
  }
}

/** An announcement in progress: acknowledgements may arrive before Redis returns the number of receivers. */
class Awaited {
  #heard = 0
  #wanted = Number.POSITIVE_INFINITY
  readonly #complete = Promise.withResolvers<void>()

  heard(): void {
    this.#heard += 1
    this.#look()
  }

  want(processes: number): void {
    this.#wanted = processes
    this.#look()
  }

  /** Resolves when all have acknowledged, or after the time. */
  async all(withinMs: number): Promise<void> {
    const timer = setTimeout(this.#complete.resolve, withinMs)
    await this.#complete.promise
    clearTimeout(timer)
  }

  /** No more acknowledgements can arrive. */
  giveUp(): void {
    this.#complete.resolve()
  }

  #look(): void {
    if (this.#heard >= this.#wanted) this.#complete.resolve()
  }
}

interface RedisRevocationsOptions {
  url: string
  /** The prefix of channels. */
  namespace?: string | undefined
  /** Epoch milliseconds, for the log. */
  now?: () => number
  log?: RedisLog | undefined
}

export class RedisRevocations implements Revocations {
  readonly #id: string = crypto.randomUUID()
  /** The listeners of this process. */
  readonly #here = new EmbeddedRevocations()
  readonly #speaker: RedisConnection
  readonly #ear: RedisConnection
  readonly #changes: string
  readonly #awaited = new Map<string, Awaited>()
  readonly #probe: ReturnType<typeof setInterval>
  #hearing = false

  /** Resolves when it listens, or when the first attempt to connect has failed. */
  static async open(options: RedisRevocationsOptions): Promise<RedisRevocations> {
    const revocations = new RedisRevocations(options)
    await Promise.all([revocations.#speaker.open(), revocations.#ear.open()])
    await revocations.#subscribe()
    return revocations
  }

  private constructor({ url, namespace = ownNamespace, now = Date.now, log }: RedisRevocationsOptions) {
    this.#changes = `${namespace}revocations`
    this.#speaker = new RedisConnection({ url, patienceMs, whenAway, now })
    this.#ear = new RedisConnection({ url, patienceMs, whenAway, now, log })
    const { redis } = this.#ear
    redis.on('ready', () => void this.#subscribe())
    redis.on('close', () => {
      this.#hearing = false
      for (const awaited of this.#awaited.values()) awaited.giveUp()
    })
    redis.on('message', (channel: string, text: string) => {
      if (channel === this.#changes) this.#hear(text)
      else this.#awaited.get(text)?.heard()
    })
    // without an answer in time the connection is replaced
    this.#probe = setInterval(() => void redis.ping().catch(() => {}), probeEveryMs)
    this.#probe.unref()
  }

  async announce(change: Change): Promise<void> {
    await this.#here.announce(change)
    const id = crypto.randomUUID()
    const awaited = new Awaited()
    this.#awaited.set(id, awaited)
    const until = performance.now() + patienceMs
    try {
      const announcement: Announcement = { id, from: this.#id, change }
      const processes = await this.#speaker.redis.publish(this.#changes, JSON.stringify(announcement))
      // acknowledgements cannot be received without a connection
      if (!this.#hearing) return
      awaited.want(processes)
      await awaited.all(until - performance.now())
    } catch {
      // the others are notified when they reconnect; until then their caches expire within two seconds
      this.#ear.report()
    } finally {
      this.#awaited.delete(id)
    }
  }

  listen(listener: (change: Change) => void): void {
    this.#here.listen(listener)
  }

  isHearing(): boolean {
    return this.#hearing
  }

  async close(): Promise<void> {
    clearInterval(this.#probe)
    this.#hearing = false
    this.#speaker.close()
    this.#ear.close()
  }

  /** The channel on which a process gets acknowledgements. */
  #heardBy(processId: string): string {
    return `${this.#changes}:heard:${processId}`
  }

  async #subscribe(): Promise<void> {
    const { redis } = this.#ear
    if (this.#hearing || redis.status !== 'ready') return
    try {
      await redis.subscribe(this.#changes, this.#heardBy(this.#id))
    } catch {
      // treated as down: reconnect and retry
      if (redis.status === 'ready') redis.disconnect(true)
      return
    }
    if (redis.status !== 'ready') return
    // earlier announcements may have been missed
    await this.#here.announce({})
    this.#hearing = true
  }

  #hear(text: string): void {
    const announcement = read(text)
    if (announcement?.from === this.#id) {
      this.#awaited.get(announcement.id)?.heard()
      return
    }
    // an unknown announcement may mean any change
    void this.#here.announce(announcement?.change ?? {})
    if (announcement) this.#speaker.redis.publish(this.#heardBy(announcement.from), announcement.id).catch(() => {})
  }
}
