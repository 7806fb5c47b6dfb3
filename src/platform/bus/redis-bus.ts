/** The bus over Redis, by publish and subscribe. */
import { RedisConnection, type RedisLog } from '../redis/connection.ts'
import type { Bus, Listening } from './bus.ts'

/** The timeout of an answer. */
const patienceMs = 1_000
/** The interval of pings; a lost connection is noticed within this time plus the timeout. */
const probeEveryMs = 1_000
/** The most channels in one command after a reconnect. */
const channelsAtOnce = 1_000

const whenAway = 'Redis is down; servers that share the store look into it instead of hearing from each other.'

type Listener = (message: never) => void

interface Channel {
  listeners: Set<Listener>
  ready: Promise<void>
}

interface RedisBusOptions {
  url: string
  /** The prefix of channels. */
  namespace: string
  /** This process. */
  id: string
  /** Epoch milliseconds, for the log. */
  now?: () => number
  log?: RedisLog | undefined
}

export class RedisBus implements Bus {
  readonly isShared = true
  readonly #speaker: RedisConnection
  readonly #ear: RedisConnection
  readonly #prefix: string
  /** The prefix of this process's messages. */
  readonly #own: string
  readonly #channels = new Map<string, Channel>()
  readonly #gapListeners = new Set<() => void>()
  readonly #probe: ReturnType<typeof setInterval>
  #hearing = false

  /** Resolves when the bus listens, or when the first connection attempt has failed. */
  static async open(options: RedisBusOptions): Promise<RedisBus> {
    const bus = new RedisBus(options)
    await Promise.all([bus.#speaker.open(), bus.#ear.open()])
    await bus.#subscribeAll()
    return bus
  }

  private constructor({ url, namespace, id, now = Date.now, log }: RedisBusOptions) {
    this.#prefix = namespace
    this.#own = `${id} `
    this.#speaker = new RedisConnection({ url, patienceMs, whenAway, now, isPipelined: true })
    this.#ear = new RedisConnection({ url, patienceMs, whenAway, now, log })
    const { redis } = this.#ear
    redis.on('ready', () => void this.#subscribeAll())
    redis.on('close', () => {
      this.#hearing = false
    })
    redis.on('message', (channel: string, text: string) => this.#hear(channel.slice(this.#prefix.length), text))
    // without an answer in time the connection is replaced
    this.#probe = setInterval(() => void redis.ping().catch(() => {}), probeEveryMs)
    this.#probe.unref()
  }

  tell(channel: string, message: unknown): Promise<number> {
    const text = this.#own + JSON.stringify(message)
    return this.#speaker.redis.publish(this.#prefix + channel, text).catch(() => 0)
  }

  listen(channel: string, listener: Listener): Listening {
    let known = this.#channels.get(channel)
    if (!known) {
      known = { listeners: new Set(), ready: this.#hearing ? this.#subscribe([channel]) : Promise.resolve() }
      this.#channels.set(channel, known)
    }
    const { listeners, ready } = known
    listeners.add(listener)
    return {
      ready,
      end: () => {
        if (!listeners.delete(listener) || listeners.size > 0 || this.#channels.get(channel) !== known) return
        this.#channels.delete(channel)
        if (this.#hearing) void this.#ear.redis.unsubscribe(this.#prefix + channel).catch(() => {})
      },
    }
  }

  isHearing(): boolean {
    return this.#hearing
  }

  onceMore(listener: () => void): () => void {
    this.#gapListeners.add(listener)
    return () => void this.#gapListeners.delete(listener)
  }

  close(): void {
    clearInterval(this.#probe)
    this.#hearing = false
    this.#speaker.close()
    this.#ear.close()
  }

  #hear(channel: string, text: string): void {
    const known = this.#channels.get(channel)
    if (!known || text.startsWith(this.#own)) return
    let message: never
    try {
      message = JSON.parse(text.slice(text.indexOf(' ') + 1)) as never
    } catch {
      // a message of another version of the protocol
      return
    }
    for (const listener of known.listeners) listener(message)
  }

  async #subscribe(channels: readonly string[]): Promise<void> {
    await this.#ear.redis.subscribe(...channels.map((channel) => this.#prefix + channel)).then(
      () => {},
      // a connection without answers receives nothing
      () => this.#ear.redis.status === 'ready' && this.#ear.redis.disconnect(true),
    )
  }

  async #subscribeAll(): Promise<void> {
    const { redis } = this.#ear
    if (this.#hearing || redis.status !== 'ready') return
    // later listeners subscribe themselves
    this.#hearing = true
    const channels = [...this.#channels.keys()]
    for (let start = 0; start < channels.length && redis.status === 'ready'; start += channelsAtOnce) {
      await this.#subscribe(channels.slice(start, start + channelsAtOnce))
    }
    if (redis.status !== 'ready') return
    for (const listener of this.#gapListeners) listener()
  }
}
