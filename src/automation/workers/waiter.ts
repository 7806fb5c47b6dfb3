/** A worker's request that waits for calls. */
import type { Clock } from '../../platform/time/clock.ts'

/** The calls that a worker accepts. */
export interface Wanted {
  environmentId: string
  queue: string
  workerId: string
  /** Omitted: any operation of the queue. */
  operations?: readonly string[] | undefined
  /** null: on behalf of any Agent. */
  agentId: string | null
  /** The most calls at once. */
  slots: number
}

/** A waiting call. */
export interface Offered {
  id: string
  environment_id: string
  queue: string
  operation: string
  agent_id: string
}

/** The key of a queue in memory. */
export const keyOf = (environmentId: string, queue: string): string => `${environmentId} ${queue}`

/** Whether the request accepts the call. */
export const fits = (
  { operations, agentId }: Pick<Wanted, 'operations' | 'agentId'>,
  call: Pick<Offered, 'operation' | 'agent_id'>,
): boolean =>
  (operations === undefined || operations.includes(call.operation)) && (agentId === null || agentId === call.agent_id)

/** A text between this id and the ids before it, except those that only end differently. */
export const idBefore = (id: string): string => id.slice(0, -1)

/** The same as a text for other servers: no part contains spaces. */
export const writeOffered = ({ id, environment_id, queue, operation, agent_id }: Offered): string =>
  [id, environment_id, queue, operation, agent_id].join(' ')

export function readOffered(word: string): Offered {
  const [id, environment_id, queue, operation, agent_id] = word.split(' ') as [string, string, string, string, string]
  return { id, environment_id, queue, operation, agent_id }
}

/** The bound of the inputs in one answer; the first call is included whatever its size. */
export const inputCharactersMax = 4 * 1024 * 1024

export class Waiter<Lease> {
  /** Waiting calls, for this request to lease. */
  readonly given: string[] = []
  /** Calls that were committed as leased to it. */
  readonly leased: Lease[] = []
  /** The number of calls that are about to be committed as leased to it. */
  promised = 0
  /** The worker has sent a new request, or leaves: this one takes no more calls. */
  isDismissed = false
  /** The least id of the acceptable calls that were offered since it asks. */
  #noticed: string | undefined
  #characters = 0
  #end: (() => void) | undefined
  #isReleased = false

  constructor(readonly wanted: Wanted) {}

  /** Whether it waits, and has no calls yet. While it reads the store it may find as many as it has slots. */
  get isFree(): boolean {
    return this.#end !== undefined && !this.#isReleased && this.leased.length + this.promised === 0
  }

  /** Whether a call that it accepts was offered since it asks. */
  get hasNoticed(): boolean {
    return this.#noticed !== undefined
  }

  /**
   * Whether another call may be reserved for it: it waits, has found no older call, and its answer is not being sent.
   */
  hasRoom(characters: number): boolean {
    if (!this.#end || this.#isReleased || this.given.length + this.leased.length > 0) return false
    if (this.promised === 0) return true
    return this.promised < this.wanted.slots && this.#characters + characters <= inputCharactersMax
  }

  /** A call is offered, to this request or another one. */
  notice(call: Offered): void {
    if (!fits(this.wanted, call)) return
    if (this.#noticed === undefined || call.id < this.#noticed) this.#noticed = call.id
  }

  /** The id, or a lesser one that precedes all calls offered since it asks: the store may have been read before them. */
  beforeNoticed(id: string): string {
    return this.#noticed === undefined || this.#noticed > id ? id : idBefore(this.#noticed)
  }

  give(id: string): void {
    this.given.push(id)
    this.release()
  }

  promise(characters: number): void {
    this.promised += 1
    this.#characters += characters
  }

  keepPromise(lease: Lease): void {
    this.leased.push(lease)
    this.dropPromise()
  }

  dropPromise(): void {
    this.promised -= 1
    if (this.leased.length > 0 || this.#isReleased) this.release()
  }

  /** It waits only for reserved calls. */
  release(): void {
    this.#isReleased = true
    if (this.promised === 0) this.#end?.()
  }

  /** Resolves when there are calls, the time is over or the request is gone. */
  wait(clock: Clock, waitMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const release = () => this.release()
      const timer = clock.after(waitMs, release)
      signal.addEventListener('abort', release, { once: true })
      this.#end = () => {
        timer.cancel()
        signal.removeEventListener('abort', release)
        this.#end = undefined
        resolve()
      }
      if (signal.aborted || this.#isReleased) this.release()
    })
  }
}
