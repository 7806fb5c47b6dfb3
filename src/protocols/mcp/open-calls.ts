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
/** Further concurrent cancellations of an organization are sent once. */
const earlyMax = 1_000

export class OpenCalls {
  readonly #open = new Map<string, AbortController>()
  /** Canceled calls that are not known here, with the organization, which has at most `earlyMax`. */
  readonly #early = new Map<string, string>()
  readonly #earlyOf = new Map<string, number>()

  /** The cancellation may arrive at a server other than that of the call. */
  constructor(private readonly hints: Hints) {
    hints.on('withdraw', (key) => this.#abort(key))
    hints.on('withdrawn', (key) => void this.#forget(key))
  }

  open(caller: Caller, sessionId: string | null, requestId: unknown): { signal: AbortSignal; close(): void } {
    const canceling = new AbortController()
    const key = keyOf(caller, sessionId, requestId)
    if (key !== undefined) this.#open.set(key, canceling)
    if (key !== undefined && this.#forget(key)) canceling.abort()
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
    const { organizationId } = caller
    const count = this.#earlyOf.get(organizationId) ?? 0
    if (count < earlyMax) {
      this.#early.set(key, organizationId)
      this.#earlyOf.set(organizationId, count + 1)
      this.#tellAgain(key, 1)
    } else this.hints.tell('withdraw', key, true)
  }

  /** Whether the call was canceled before it was known here. */
  #forget(key: string): boolean {
    const organizationId = this.#early.get(key)
    if (organizationId === undefined) return false
    this.#early.delete(key)
    const left = (this.#earlyOf.get(organizationId) ?? 0) - 1
    if (left > 0) this.#earlyOf.set(organizationId, left)
    else this.#earlyOf.delete(organizationId)
    return true
  }

  #tellAgain(key: string, count: number): void {
    this.hints.tell('withdraw', key, true)
    setTimeout(
      () => {
        if (!this.#early.has(key)) return
        if (count < tellings) this.#tellAgain(key, count + 1)
        else this.#forget(key)
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
