/**
 * Calls that are under way, by the session and the id that the client gave the request: in the older revisions of MCP a call
 * is canceled by another request. A call whose connection breaks is canceled without.
 */
import type { Hints } from '../../platform/bus/hints.ts'
import { digestOfText } from '../../platform/http/digest.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'

/**
 * A request that cancels may come before the call, which may be at another server, and what servers tell each other may be
 * lost: it is told again so often, behind pauses that double, until somebody has the call. Half a minute in all.
 */
const tellings = 7
const firstPauseMs = 250
/** More at once are told a single time. */
const untoldMax = 1_000

export class OpenCalls {
  readonly #open = new Map<string, AbortController>()
  /** Canceled, and not known to have been under way. */
  readonly #early = new Set<string>()

  /** The request that cancels may come to another server than the call. */
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

  /** Whether the call is under way here. */
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
