/** Renews the lease of one call. */
import { ApiError } from '../client/errors.ts'
import type { WorkerHeartbeatAnswer } from '../generated/schemas.ts'

const shortestMs = 100
const longestMs = 10_000

export class Heartbeat {
  readonly #aborted = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  #stopped = false
  /** Whether the call no longer belongs to this worker. */
  isLost = false

  /** `expiresAt` is the end of the lease, by the server's clock. */
  constructor(
    expiresAt: string,
    private readonly beat: () => Promise<WorkerHeartbeatAnswer>,
  ) {
    this.#wait(expiresAt)
  }

  get signal(): AbortSignal {
    return this.#aborted.signal
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #wait(expiresAt: string): void {
    // three in the time of a lease, whatever the clocks say
    const third = (Date.parse(expiresAt) - Date.now()) / 3
    this.#timer = setTimeout(() => void this.#send(expiresAt), Math.min(longestMs, Math.max(shortestMs, third)))
  }

  async #send(expiresAt: string): Promise<void> {
    try {
      const answer = await this.beat()
      if (answer.signal === 'cancel') this.#aborted.abort(new Error('The call is no longer wanted.'))
      if (!this.#stopped) this.#wait(answer.expiresAt)
    } catch (error) {
      this.isLost = !this.#stopped && error instanceof ApiError && (error.status === 409 || error.status === 404)
      if (this.isLost) this.#aborted.abort(error)
      else if (!this.#stopped) this.#wait(expiresAt)
    }
  }
}
