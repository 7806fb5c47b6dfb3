/**
 * Calls in progress, by the session and the client's id of the request: in older revisions of MCP another request
 * cancels a call. A call whose connection breaks is canceled too.
 */
import type { Hints } from '../../platform/bus/hints.ts'
import { digestOfText } from '../../platform/http/digest.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'

/**
 * A cancellation may arrive before the call, which may be at another server, and messages between servers may be lost:
 * it is sent this many times, with doubling pauses, until a server has the call. Half a minute in all.
 */
const tellings = 7
const firstPauseMs = 250
/** Further concurrent cancellations are sent once. */
const untoldMax = 1_000

export class OpenCalls {
  readonly #open = new Map<string, AbortController>()
  /** Canceled calls that are not known here. */
  readonly #early = new Set<string>()

  /** The cancellation may arrive at a server other than that of the call. */
  constructor(private readonly hints: Hints) {
    hints.on('withdraw', (key) => this.#abort(key))
    hints.on('withdrawn', (key) => void this.#early.delete(key))
  }

  open(caller: Caller, sessionId: string | null, requestId: unknown): { signal: AbortSignal; close(): void } {
    const canceling = new AbortController()
    const key = keyOf(caller, sessionId, requestId)
    if (key !== undefined) this.#open.set(key, canceling)
    if (key !== undefined && this.#early.delete(key)) canceling.abort()
    return {
      signal: canceling.signal,
      close: () => {
        if (key !== undefined && this.#open.get(key) === canceling) this.#open.delete(key)
      },
    }
  }

  cancel(caller: Caller, sessionId: string | null, requestId: unknown): void {
    const key = keyOf(caller, sessionId, requestId)
    if (key === undefined || this.#abort(key) || this.#early.has(key)) return
    if (this.#early.size < untoldMax) {
      this.#early.add(key)
      this.#tellAgain(key, 1)
    } else this.hints.tell('withdraw', key, true)
  }

  #tellAgain(key: string, count: number): void {
    this.hints.tell('withdraw', key, true)
    setTimeout(
      () => {
        if (!this.#early.has(key)) return
        if (count < tellings) this.#tellAgain(key, count + 1)
        else this.#early.delete(key)
      },
      firstPauseMs * 2 ** (count - 1),
    ).unref()
  }

  /** Whether the call is in progress here. */
  #abort(key: string): boolean {
    const canceling = this.#open.get(key)
    if (!canceling) return false
    canceling.abort()
    this.hints.tell('withdrawn', key, true)
    return true
  }
}

/** undefined: the request cannot be named. */
const keyOf = ({ credentialId }: Caller, sessionId: string | null, requestId: unknown): string | undefined =>
  sessionId === null || (typeof requestId !== 'string' && typeof requestId !== 'number')
    ? undefined
    : digestOfText(JSON.stringify([credentialId, sessionId, requestId]))
