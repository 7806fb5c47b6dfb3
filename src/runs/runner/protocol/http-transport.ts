/** The runner protocol over HTTP, for a runner that is a process of its own. Source: contract 5, "Runner protocol". */
import type { Clock } from '../../../platform/time/clock.ts'
import type { Log } from '../log.ts'
import { RunnerRefused } from '../pool.ts'
import { CallRefused, ServerCalls } from './http-calls.ts'
import { HttpChannel } from './http-channel.ts'
import type { AttemptChannel, LeasedAttempt, LeaseRequest, RunnerTransport } from './protocol.ts'

export interface HttpTransportOptions {
  /** `TROUPE_SERVER_URL`. */
  serverUrl: string
  /** `TROUPE_RUNNER_TOKEN`. */
  token: string
  clock: Clock
  log: Log
  /** Time for one call with its answer; default 30,000. */
  timeoutMs?: number
}

/** What a request for work may take beyond its waiting. */
const leaseMarginMs = 10_000

export class HttpTransport implements RunnerTransport {
  readonly #calls: ServerCalls

  constructor(private readonly options: HttpTransportOptions) {
    this.#calls = new ServerCalls(options)
  }

  /** Asks for work; outlives a server that is away. Throws RunnerRefused when the server does not take the runner. */
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
      // Anything else may be a server that is being set up; the pool asks again.
      if (!(error instanceof CallRefused) || (error.status !== 401 && error.status !== 403)) throw error
      throw new RunnerRefused(`${error.message} Is TROUPE_RUNNER_TOKEN the one of the server?`, { cause: error })
    }
  }
}
