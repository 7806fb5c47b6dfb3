/** A worker's request that waits for calls. */
import type { Clock } from '../../platform/time/clock.ts'

/** What a worker can take. */
export interface Wanted {
  environmentId: string
  queue: string
  workerId: string
  /** Left out: any of the queue. */
  operations?: readonly string[] | undefined
  /** null: on behalf of any Agent. */
  agentId: string | null
  /** How many at once. */
  slots: number
}

/** A call that waits. */
export interface Offered {
  id: string
  environment_id: string
  queue: string
  operation: string
  agent_id: string
}

/** The same as one word, for other servers: no part has spaces. */
export const writeOffered = ({ id, environment_id, queue, operation, agent_id }: Offered): string =>
  [id, environment_id, queue, operation, agent_id].join(' ')

export function readOffered(word: string): Offered {
  const [id, environment_id, queue, operation, agent_id] = word.split(' ') as [string, string, string, string, string]
  return { id, environment_id, queue, operation, agent_id }
}

/** Of the inputs in one answer together; the first is given whatever its length. */
export const inputCharactersMax = 4 * 1024 * 1024

export class Waiter<Lease> {
  /** Calls that wait, for it to lease. */
  readonly given: string[] = []
  /** Calls that were committed as leased to it. */
  readonly leased: Lease[] = []
  /** Calls that are about to be. */
  promised = 0
  /** Its worker has asked anew, or leaves: it looks no further. */
  isDismissed = false
  #characters = 0
  #end: (() => void) | undefined
  #isReleased = false

  constructor(readonly wanted: Wanted) {}

  /** Whether it gets nothing yet. */
  get isFree(): boolean {
    return this.given.length + this.leased.length + this.promised === 0
  }

  /** Whether another call may be promised: it waits, has found nothing older, and its answer is not on its way. */
  hasRoom(characters: number): boolean {
    if (!this.#end || this.#isReleased || this.given.length + this.leased.length > 0) return false
    if (this.promised === 0) return true
    return this.promised < this.wanted.slots && this.#characters + characters <= inputCharactersMax
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

  /** It waits no longer than for what is promised. */
  release(): void {
    this.#isReleased = true
    if (this.promised === 0) this.#end?.()
  }

  /** Until something is given, the time is over or the request is gone. */
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
