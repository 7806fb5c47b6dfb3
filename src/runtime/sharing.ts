/**
 * Notifications about actors between servers that share a store, sent after each commit, with its news if other servers
 * have listened to the actor. A single server neither sends nor receives any.
 */
import type { Bus, Listening } from '../platform/bus/bus.ts'
import { RecentlyUsed } from '../platform/cache.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { Actor, Address, AnyKind } from './kind.ts'
import { type ActorMemory, keyOf } from './memory.ts'

/** The notification of a commit at another server. */
export interface CommitNotice {
  version: number
  /** The news as the kind's `tell` wrote it; omitted: read the store. */
  news?: unknown
}

/**
 * The intervals at which watchers read the store: while notifications do not arrive, and while they do, since one may
 * be lost.
 */
const unheardMs = 1_000
const heardTicks = 3
/** Actors to which other servers are known to listen. */
const heardMax = 10_000
/** Longer news are not sent; the listeners read the store. */
const newsCharactersMax = 16 * 1024

const changes = 'changes'
const channelOf = (key: string) => `actor/${key}`

export class ActorSharing {
  readonly #heard = new RecentlyUsed<true>(heardMax)
  /** Watchers that read the store at intervals. */
  readonly #watchers = new Set<() => void>()
  readonly #ofActors = new Map<string, Set<() => void>>()
  readonly #changed = new Map<string, Set<(id: string | undefined) => void>>()
  #ticking = false
  #ticks = 0

  constructor(
    private readonly bus: Bus,
    private readonly clock: Clock,
    private readonly memory: Pick<ActorMemory, 'forget'>,
  ) {
    if (!bus.isShared) return
    bus.listen(changes, (address: Address) => {
      this.memory.forget(keyOf(address))
      this.#tellListeners(address.kind, address.id)
    })
    bus.onceMore(() => {
      for (const watcher of this.#watchers) watcher()
      for (const kind of this.#changed.keys()) this.#tellListeners(kind, undefined)
    })
  }

  get isShared(): boolean {
    return this.bus.isShared
  }

  /** Notifies the other servers that the actor was committed here. */
  tell(key: string, { tell, isRemembered }: AnyKind, { address, version }: Actor<unknown>, news: unknown): void {
    if (!this.bus.isShared) return
    const notice: CommitNotice = { version }
    if (tell && this.#heard.get(key)) {
      const text = tell(news)
      if (JSON.stringify(text).length <= newsCharactersMax) notice.news = text
    }
    void this.bus.tell(channelOf(key), notice).then((count) => {
      if (count > 0) this.#heard.set(key, true)
      else this.#heard.delete(key)
    })
    if (isRemembered) void this.bus.tell(changes, address)
  }

  /**
   * Calls back when another server has committed the actor, or, without an argument, when it may have, or its row was
   * changed or removed here by another unit of work than its own.
   */
  watch(address: Address, listener: (notice: CommitNotice | undefined) => void): Listening {
    const key = keyOf(address)
    const listening = this.bus.listen(channelOf(key), listener)
    const watcher = () => listener(undefined)
    const ofActor = (this.#ofActors.get(key) ?? new Set()).add(watcher)
    this.#ofActors.set(key, ofActor)
    if (this.bus.isShared) {
      this.#watchers.add(watcher)
      this.#tick()
    }
    return {
      ready: listening.ready,
      end: () => {
        ofActor.delete(watcher)
        if (ofActor.size === 0 && this.#ofActors.get(key) === ofActor) this.#ofActors.delete(key)
        this.#watchers.delete(watcher)
        listening.end()
      },
    }
  }

  /** Another unit of work than the actor's own has changed or removed its row here. */
  forget(key: string): void {
    this.memory.forget(key)
    for (const watcher of this.#ofActors.get(key) ?? []) watcher()
  }

  /**
   * Calls back when another server has changed an actor of the kind, or, without an id, when it may have changed any.
   */
  onChange(kind: string, listener: (id: string | undefined) => void): void {
    this.#changed.set(kind, (this.#changed.get(kind) ?? new Set()).add(listener))
  }

  #tellListeners(kind: string, id: string | undefined): void {
    for (const listener of this.#changed.get(kind) ?? []) listener(id)
  }

  #tick(): void {
    if (this.#ticking) return
    this.#ticking = true
    this.clock.after(unheardMs, () => {
      this.#ticking = false
      this.#ticks += 1
      if (!this.bus.isHearing() || this.#ticks % heardTicks === 0) for (const watcher of this.#watchers) watcher()
      if (this.#watchers.size > 0) this.#tick()
    })
  }
}
