/**
 * Hints between servers that share a store: there is new work of a kind, or a cached value is stale. A server that
 * misses a hint finds the work in the store a little later.
 */
import type { Bus, Listening } from './bus.ts'

/** The kinds of hints, each with the meaning of its id. */
type HintName =
  /** Runs of an organization wait for a runner. */
  | 'queued'
  /** A delivery of a webhook is due. */
  | 'due'
  /** The history of an Environment has grown. */
  | 'env'
  /** The runner of a run's attempt should read the answer to its heartbeat. */
  | 'signal'
  /** The model call of an attempt must stop; the id names the attempt's fencing token and the step. */
  | 'modelCall'
  /** An invocation must be aborted. */
  | 'breakOff'
  /** A call over MCP was canceled; the id names the call. */
  | 'withdraw'
  /** A call waits for a worker; the id names the call, its operation and its queue. */
  | 'workerCall'
  /** A call in progress ends. */
  | 'withdrawn'
  /** A System Agent was enabled or disabled. */
  | 'policy'
  /** A broadcast waits to be recorded; the id of the store. */
  | 'announced'
  /** Another server has stopped or died; the id of the store. */
  | 'members'

/** Equal hints within this time are sent once. */
const togetherMs = 10
/** Further hints within that time are dropped: a server with that much work finds the rest itself. */
const waitingMax = 10_000
const channel = 'hints'

type Message = [name: HintName, ids: string[]]

export class Hints {
  readonly #listeners = new Map<HintName, ((id: string) => void)[]>()
  readonly #waiting = new Map<HintName, Set<string>>()
  #timing = false
  readonly #listening: Listening

  constructor(private readonly bus: Bus) {
    this.#listening = bus.listen(channel, ([name, ids]: Message) => {
      for (const id of ids) for (const listener of this.#listeners.get(name) ?? []) listener(id)
    })
  }

  /** Whether there may be other servers. */
  get isShared(): boolean {
    return this.bus.isShared
  }

  /** Whether hints of other servers arrive now. */
  isHearing(): boolean {
    return this.bus.isHearing()
  }

  /** Whether another server receives the hints of this one now. */
  async isHeard(): Promise<boolean> {
    await this.#listening.ready
    const isOwnEarOpen = this.bus.isHearing()
    const heard = await this.bus.tell(channel, ['queued', []] satisfies Message)
    return heard > (isOwnEarOpen ? 1 : 0)
  }

  /** Calls back when hints may have been missed, and the connection works again. */
  onceMore(listener: () => void): () => void {
    return this.bus.onceMore(listener)
  }

  /** Sends to all others: at once if a server waits for it, otherwise within some milliseconds. */
  tell(name: HintName, id: string, isUrgent = false): void {
    if (!this.bus.isShared) return
    if (isUrgent) return void this.bus.tell(channel, [name, [id]] satisfies Message)
    const ids = this.#waiting.get(name) ?? new Set()
    if (ids.size < waitingMax) this.#waiting.set(name, ids.add(id))
    if (this.#timing) return
    this.#timing = true
    setTimeout(() => this.#tellWaiting(), togetherMs)
  }

  /** Calls back with hints of other servers. The callback must not throw. */
  on(name: HintName, listener: (id: string) => void): void {
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener])
  }

  #tellWaiting(): void {
    this.#timing = false
    for (const [name, ids] of this.#waiting) void this.bus.tell(channel, [name, [...ids]] satisfies Message)
    this.#waiting.clear()
  }
}
