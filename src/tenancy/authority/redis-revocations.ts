/**
 * Changes of authority between processes, over Redis. Whoever announces one waits until every process that listens has
 * acknowledged it, for about a second: one that is silent for longer trusts what it knew for two seconds at most. A process
 * that does not hear trusts nothing. Source: requirement 5.2; contract 0, "Redis away"; design 6.
 */
import { RedisConnection, type RedisLog } from '../../platform/redis/connection.ts'
import { type Change, EmbeddedRevocations, type Revocations } from './revocations.ts'

const changesChannel = 'troupe:revocations'
/** Where one process hears who has heard it. */
const heardChannel = (processId: string) => `${changesChannel}:heard:${processId}`

/** How long Redis, and the other processes, are waited for. */
const patienceMs = 1000
/** A connection that died without a word is noticed within this time and the patience. */
const probeEveryMs = 1000

const whenAway =
  'Redis is away; each request is authenticated in the store, and other processes learn of revocations within 2 s.'

interface Announcement {
  id: string
  /** The process that announces. */
  from: string
  change: Change
}

/** The announcement, or undefined for what no process of this version has sent. */
function read(text: string): Announcement | undefined {
  try {
    const { id, from, change } = JSON.parse(text)
    const isOne = typeof id === 'string' && typeof from === 'string' && typeof change === 'object' && change !== null
    return isOne ? { id, from, change } : undefined
  } catch {
    return undefined
  }
}

/** A broadcast on its way: acknowledgements may come before Redis has said how many to wait for. */
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

  /** Resolves when all have heard, or after the time. */
  async all(withinMs: number): Promise<void> {
    const timer = setTimeout(this.#complete.resolve, withinMs)
    await this.#complete.promise
    clearTimeout(timer)
  }

  /** Nobody can be heard of any more. */
  giveUp(): void {
    this.#complete.resolve()
  }

  #look(): void {
    if (this.#heard >= this.#wanted) this.#complete.resolve()
  }
}

export interface RedisRevocationsOptions {
  url: string
  /** Epoch milliseconds, of the log. */
  now?: () => number
  log?: RedisLog | undefined
}

export class RedisRevocations implements Revocations {
  readonly #id: string = crypto.randomUUID()
  /** The listeners of this process. */
  readonly #here = new EmbeddedRevocations()
  readonly #speaker: RedisConnection
  readonly #ear: RedisConnection
  readonly #awaited = new Map<string, Awaited>()
  readonly #probe: ReturnType<typeof setInterval>
  #hearing = false

  /** Resolves when it hears, or when the first attempt to connect has failed. */
  static async open(options: RedisRevocationsOptions): Promise<RedisRevocations> {
    const revocations = new RedisRevocations(options)
    await Promise.all([revocations.#speaker.open(), revocations.#ear.open()])
    await revocations.#subscribe()
    return revocations
  }

  private constructor({ url, now = Date.now, log }: RedisRevocationsOptions) {
    this.#speaker = new RedisConnection({ url, patienceMs, whenAway, now })
    this.#ear = new RedisConnection({ url, patienceMs, whenAway, now, log })
    const { redis } = this.#ear
    redis.on('ready', () => void this.#subscribe())
    redis.on('close', () => {
      this.#hearing = false
      for (const awaited of this.#awaited.values()) awaited.giveUp()
    })
    redis.on('message', (channel: string, text: string) => {
      if (channel === changesChannel) this.#hear(text)
      else this.#awaited.get(text)?.heard()
    })
    // without an answer in time the connection is given up, and made anew
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
      const processes = await this.#speaker.redis.publish(changesChannel, JSON.stringify(announcement))
      // who does not hear cannot be told who has heard
      if (!this.#hearing) return
      awaited.want(processes)
      await awaited.all(until - performance.now())
    } catch {
      // the others hear of it when they connect again; until then they trust nothing for longer than two seconds
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

  async #subscribe(): Promise<void> {
    const { redis } = this.#ear
    if (this.#hearing || redis.status !== 'ready') return
    try {
      await redis.subscribe(changesChannel, heardChannel(this.#id))
    } catch {
      // as good as away: connected anew, it is tried again
      if (redis.status === 'ready') redis.disconnect(true)
      return
    }
    if (redis.status !== 'ready') return
    // what was announced before is unknown
    await this.#here.announce({})
    this.#hearing = true
  }

  #hear(text: string): void {
    const announcement = read(text)
    if (announcement?.from === this.#id) {
      this.#awaited.get(announcement.id)?.heard()
      return
    }
    // what is not understood may mean anything
    void this.#here.announce(announcement?.change ?? {})
    if (announcement) this.#speaker.redis.publish(heardChannel(announcement.from), announcement.id).catch(() => {})
  }
}
