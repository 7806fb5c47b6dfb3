/** The runner protocol over HTTP, for runners in their own process. Source: contract 5, "Runner protocol". */
import type { Clock } from '../../../platform/time/clock.ts'
import type { Log } from '../log.ts'
import { RunnerRefused } from '../pool.ts'
import { CallRefused, ServerCalls } from './http-calls.ts'
import { HttpChannel } from './http-channel.ts'
import type { AttemptChannel, LeasedAttempt, LeaseRequest, RunnerTransport } from './protocol.ts'

interface HttpTransportOptions {
  /** `TROUPE_SERVER_URL`. */
  serverUrl: string
  /** `TROUPE_RUNNER_TOKEN`. */
  token: string
  clock: Clock
  log: Log
  /** The timeout of one request, in milliseconds; default 30,000. */
  timeoutMs?: number
}

/** The time beyond its waiting that a lease request may take. */
const leaseMarginMs = 10_000

export class HttpTransport implements RunnerTransport {
  readonly #calls: ServerCalls

  constructor(private readonly options: HttpTransportOptions) {
    this.#calls = new ServerCalls(options)
  }

  /**
   * Requests a lease, with retries while the server is unavailable. Throws RunnerRefused if the server rejects the
   * runner.
   */
  async lease(request: LeaseRequest, signal: AbortSignal): Promise<AttemptChannel | null> {
    try {
      const { data, clockAheadMs } = await this.#calls.make({
        method: 'POST',
        path: '/api/v1/runner/leases',
        token: this.options.token,
        body: request,
        signal,
        timeoutMs: request.waitSeconds * 1_000 + leaseMarginMs,
        until: () => Number.POSITIVE_INFINITY,
      })
      return data === null
        ? null
        : new HttpChannel(data as LeasedAttempt, this.#calls, this.options.clock, clockAheadMs)
    } catch (error) {
      // Other errors may come from a server being set up; the pool retries.
      if (!(error instanceof CallRefused) || (error.status !== 401 && error.status !== 403)) throw error
      throw new RunnerRefused(`${error.message} Is TROUPE_RUNNER_TOKEN the one of the server?`, { cause: error })
    }
  }
}
