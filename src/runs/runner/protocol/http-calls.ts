/**
 * HTTP requests of an external runner to the server, with retries while the server is unavailable or busy. Source:
 * contract 5, "Runner protocol"; contract 0, "Every 429 and 503 has an integer `Retry-After`".
 */
import { Repeats } from '../../../platform/repeats.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { pause } from '../../../platform/time/pause.ts'
import type { Log } from '../log.ts'
import { StaleAttempt } from './protocol.ts'
import { sound } from './sound.ts'

interface ServerCallsOptions {
  /** The base URL of the server, without an API path. */
  serverUrl: string
  clock: Clock
  log: Log
  /** The timeout of one request, in milliseconds; default 30,000. */
  timeoutMs?: number
}

export interface ServerCall {
  method: 'POST' | 'PATCH'
  path: string
  token: string
  body: unknown
  /** Identifies a repeated request; by default a new one. */
  idempotencyKey?: string
  /** `traceparent` and `tracestate`. */
  trace?: Record<string, string>
  signal?: AbortSignal
  timeoutMs?: number
  /** No timeout for reading the answer; the reader detects silence itself. */
  untimed?: boolean
  /** The time after which the request is not retried, epoch milliseconds; evaluated before each retry. */
  until(): number
}

export interface ServerAnswer {
  /** The envelope's `data`; null for 204. */
  data: unknown
  /** How far the server's clock is ahead, if known, in milliseconds with a precision of one second. */
  clockAheadMs: number
}

/** The server rejected the request; retrying is pointless. */
export class CallRefused extends Error {
  override readonly name = 'CallRefused'

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}

const passing = new Set([408, 425, 429, 500, 502, 503, 504])
const firstPauseMs = 100
const pauseMsMax = 5_000
/** The maximum number of 500 answers: the request itself may cause them. */
const faultsMax = 3

export class ServerCalls {
  readonly #base: string
  /** Every call fails while the server is away, again and again. */
  readonly #repeats: Repeats

  constructor(private readonly options: ServerCallsOptions) {
    this.#repeats = new Repeats(options.clock)
    this.#base = options.serverUrl.replace(/\/+$/, '')
  }

  /**
   * Sends a request until it is answered. Throws StaleAttempt for 409 `stale_attempt` and when `until` has passed,
   * CallRefused for any other rejection, an AbortError after the signal is aborted.
   */
  make(call: ServerCall): Promise<ServerAnswer> {
    return this.#make(call, answerOf)
  }

  /** The same for a streamed answer; the timeout applies until the answer begins. */
  open(call: ServerCall): Promise<Response> {
    return this.#make(call, async (response) => {
      if (!response.ok) await answerOf(response)
      return response
    })
  }

  async #make<Answer>(call: ServerCall, read: (response: Response) => Promise<Answer>): Promise<Answer> {
    const { clock, log } = this.options
    // proxies repeat a request that a stopping server did not answer only if it has a key
    const idempotencyKey = call.idempotencyKey ?? crypto.randomUUID()
    let faults = 0
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, pauseMsMax)) {
      let waitMs = pauseMs * (0.5 + Math.random() / 2)
      let cause: unknown
      try {
        const response = await this.#send({ ...call, idempotencyKey })
        if (!passing.has(response.status)) return await read(response)
        if (response.status === 500 && ++faults === faultsMax) return await read(response)
        waitMs = Math.max(waitMs, retryAfterMs(response.headers.get('retry-after'), clock.now()))
        const { code, message } = errorOf(await response.text())
        cause = new Error(`The server answered ${response.status} (${code}): ${message}`)
      } catch (error) {
        if (error instanceof StaleAttempt || error instanceof CallRefused) throw error
        if (call.signal?.aborted) throw call.signal.reason
        cause = error
      }
      if (clock.now() + waitMs >= call.until())
        throw new StaleAttempt('The lease expired before the server answered.', { cause })
      const about = { err: cause, path: call.path, waitMs: Math.round(waitMs) }
      this.#repeats.tell(cause, (repeated) => log.warn({ ...about, ...repeated }, 'the server is not available'))
      await pause(clock, waitMs, call.signal)
      call.signal?.throwIfAborted()
    }
  }

  #send({
    method,
    path,
    token,
    body,
    idempotencyKey,
    trace,
    signal,
    timeoutMs,
    untimed,
  }: ServerCall & { idempotencyKey: string }): Promise<Response> {
    const timeout = untimed ? null : AbortSignal.timeout(timeoutMs ?? this.options.timeoutMs ?? 30_000)
    const signals = [signal, timeout].filter((one) => one != null)
    return fetch(this.#base + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
        ...trace,
      },
      body: JSON.stringify(sound(body)),
      signal: AbortSignal.any(signals),
      // A redirect would send the token to another server.
      redirect: 'manual',
    })
  }
}

async function answerOf(response: Response): Promise<ServerAnswer> {
  const { status } = response
  if (status === 204) return { data: null, clockAheadMs: 0 }
  const text = await response.text()
  if (status >= 200 && status < 300) {
    // An HTML page of a proxy throws here, and is retried.
    const { data } = JSON.parse(text) as { data: unknown }
    return { data, clockAheadMs: clockAheadMs(response.headers.get('date')) }
  }
  const { code, message } = errorOf(text)
  if (status === 409 && code === 'stale_attempt') throw new StaleAttempt(message)
  throw new CallRefused(status, code, `The server answered ${status}: ${message}`)
}

function errorOf(text: string): { code: string; message: string } {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown } }
    return { code: String(error?.code ?? 'unknown'), message: String(error?.message ?? 'no reason given') }
  } catch {
    return { code: 'unknown', message: 'no reason given' }
  }
}

/** Seconds or an HTTP date. */
function retryAfterMs(value: string | null, now: number): number {
  if (value === null) return 0
  const seconds = Number(value)
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(value) - now
  return Number.isFinite(ms) ? Math.max(0, ms) : 0
}

/** The header has a precision of seconds and the answer was in transit: less than two seconds are ignored. */
function clockAheadMs(date: string | null): number {
  const ahead = date === null ? 0 : Date.parse(date) - Date.now()
  return Math.abs(ahead) >= 2_000 ? ahead : 0
}
