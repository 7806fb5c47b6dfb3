/**
 * Calls that are under way, by the session and the id that the client gave the request: in the older revisions of MCP a call
 * is canceled by another request. A call whose connection breaks is canceled without.
 */
import type { Hints } from '../../platform/bus/hints.ts'
import { digestOfText } from '../../platform/http/digest.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'

export class OpenCalls {
  readonly #open = new Map<string, AbortController>()

  /** The request that cancels may come to another server than the call. */
  constructor(private readonly hints: Hints) {
    hints.on('withdraw', (key) => this.#open.get(key)?.abort())
  }

  open(caller: Caller, sessionId: string | null, requestId: unknown): { signal: AbortSignal; close(): void } {
    const canceling = new AbortController()
    const key = keyOf(caller, sessionId, requestId)
    if (key !== undefined) this.#open.set(key, canceling)
    return {
      signal: canceling.signal,
      close: () => {
        if (key !== undefined && this.#open.get(key) === canceling) this.#open.delete(key)
      },
    }
  }

  cancel(caller: Caller, sessionId: string | null, requestId: unknown): void {
    const key = keyOf(caller, sessionId, requestId)
    if (key === undefined) return
    const canceling = this.#open.get(key)
    canceling?.abort()
    if (!canceling) this.hints.tell('withdraw', key, true)
  }
}

/** undefined: the request cannot be named. */
const keyOf = ({ credentialId }: Caller, sessionId: string | null, requestId: unknown): string | undefined =>
  sessionId === null || (typeof requestId !== 'string' && typeof requestId !== 'number')
    ? undefined
    : digestOfText(JSON.stringify([credentialId, sessionId, requestId]))
