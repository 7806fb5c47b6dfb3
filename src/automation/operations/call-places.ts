/**
 * The places for calls to addresses of tenants. Each organization has a number of them at one server: hanging endpoints
 * of one do not take the connections and the memory of all. Source: trust 2.2.
 */
import { within } from '../../platform/outbound/wait.ts'
import { toolError } from './failure.ts'

const callsMaxDefault = 1_000

interface Places {
  taken: number
  /** The calls that wait, in their order; called, each has a place. */
  waiting: Set<() => void>
}

export class CallPlaces {
  readonly #byOrganization = new Map<string, Places>()

  constructor(private readonly callsMax = callsMaxDefault) {}

  /**
   * Makes the call once there is a place. Throws `OperationFailure` if there is none within `waitMs`, the signal's
   * reason, and what the call throws.
   */
  async make<Output>(
    organizationId: string,
    { waitMs, signal }: { waitMs: number; signal: AbortSignal },
    call: () => Promise<Output>,
  ): Promise<Output> {
    await this.#take(organizationId, waitMs, signal)
    try {
      return await call()
    } finally {
      this.#leave(organizationId)
    }
  }

  async #take(organizationId: string, waitMs: number, aborted: AbortSignal): Promise<void> {
    const places = this.#byOrganization.get(organizationId) ?? { taken: 0, waiting: new Set() }
    this.#byOrganization.set(organizationId, places)
    if (places.taken < this.callsMax) {
      places.taken += 1
      return
    }
    const { signal, stop } = within(waitMs, aborted)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const giveUp = () => {
      // else it has just got its place
      if (places.waiting.delete(resolve)) reject(aborted.aborted ? aborted.reason : this.#tooMany())
    }
    places.waiting.add(resolve)
    signal.addEventListener('abort', giveUp, { once: true })
    if (signal.aborted) giveUp()
    try {
      await promise
    } finally {
      stop()
    }
  }

  /** The place passes to the next call that waits. */
  #leave(organizationId: string): void {
    const places = this.#byOrganization.get(organizationId) as Places
    const [next] = places.waiting
    if (next) {
      places.waiting.delete(next)
      next()
      return
    }
    places.taken -= 1
    if (places.taken === 0) this.#byOrganization.delete(organizationId)
  }

  #tooMany() {
    const calls = this.callsMax.toLocaleString('en')
    return toolError(`The call was not made: the organization has ${calls} calls in progress. Try again later.`)
  }
}
