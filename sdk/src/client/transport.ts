/**
 * Sends requests, and retries them if that is safe: after a 429 or a 503 of the server, which changed nothing, and
 * after a lost answer if a repetition has no further effect.
 */
import { ApiError, ConnectionError, errorOf, reasonOf, TroupeError } from './errors.ts'
import type { RequestOptions, Settings } from './options.ts'
import { backOffMs, pause } from './pause.ts'

export interface ApiRequest {
  method: string
  /** With its query. */
  path: string
  body?: unknown
  accept?: string
  headers?: Record<string, string>
  /** Whether a repetition has no further effect. */
  repeatable: boolean
  /** How long the server was asked to wait before it answers. */
  waitMs?: number
  redirect?: RequestRedirect
  options: RequestOptions
}

const lostAnswers = new Set([502, 504])

/** The delay before the next attempt, or undefined if there is none. */
function retryDelayMs(
  error: TroupeError,
  attempt: number,
  request: ApiRequest,
  settings: Settings,
): number | undefined {
  if (!(error instanceof ApiError)) return request.repeatable ? backOffMs(attempt) : undefined
  const { status, code, retryAfterMs } = error
  // an answer of a proxy does not show what the server did
  const isLost = lostAnswers.has(status) || (status === 503 && code === 'unexpected_answer')
  if (isLost && !request.repeatable) return undefined
  if (!isLost && status !== 429 && status !== 503 && code !== 'idempotency_in_progress') return undefined
  if (retryAfterMs === undefined) return backOffMs(attempt)
  return retryAfterMs <= settings.maxRetryAfterMs ? retryAfterMs : undefined
}

export class Transport {
  constructor(readonly settings: Settings) {}

  /**
   * The result of `read` for an answer with a successful status. Throws an `ApiError` if the server refuses, a
   * `ConnectionError` if there is no answer, and the reason of the caller's signal.
   */
  async send<T>(request: ApiRequest, read: (answer: Response) => Promise<T>): Promise<T> {
    const { signal, maxRetries = this.settings.maxRetries } = request.options
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(request, read)
      } catch (error) {
        if (signal?.aborted) throw signal.reason
        if (!(error instanceof TroupeError) || attempt > maxRetries) throw error
        const delayMs = retryDelayMs(error, attempt, request, this.settings)
        if (delayMs === undefined) throw error
        await pause(delayMs, signal)
      }
    }
  }

  /** A stream of events, which the caller reads, or 204; sent once. Throws as `send` does. */
  async open(request: ApiRequest, signal: AbortSignal): Promise<Response> {
    const answer = await this.#fetch({ ...request, accept: 'text/event-stream' }, signal)
    if (!isGood(answer) || (answer.status !== 204 && !isOf(answer, 'text/event-stream'))) throw await errorOf(answer)
    return answer
  }

  async #attempt<T>(request: ApiRequest, read: (answer: Response) => Promise<T>): Promise<T> {
    const { signal, timeoutMs: patienceMs = this.settings.timeoutMs } = request.options
    const timeoutMs = patienceMs + (request.waitMs ?? 0)
    const ending = new AbortController()
    const abort = () => ending.abort(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    if (signal?.aborted) abort()
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      ending.abort()
    }, timeoutMs)
    try {
      const answer = await this.#fetch(request, ending.signal)
      if (!isGood(answer)) throw await errorOf(answer)
      return await read(answer).catch((cause) => {
        throw cause instanceof TroupeError ? cause : noAnswer(request, cause)
      })
    } catch (error) {
      if (!isLate) throw error
      throw new ConnectionError('timeout', `No answer to ${request.method} ${request.path} within ${timeoutMs} ms.`)
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }

  async #fetch(request: ApiRequest, signal: AbortSignal): Promise<Response> {
    const { baseUrl, fetch } = this.settings
    const { method, path, body, redirect } = request
    const headers = await this.#headers(request)
    // a value that JSON does not have is an error of the caller, not of the connection
    const text = body === undefined ? undefined : JSON.stringify(body)
    try {
      return await fetch(baseUrl + path, {
        method,
        headers,
        signal,
        ...(text !== undefined && { body: text }),
        ...(redirect && { redirect }),
      })
    } catch (cause) {
      throw noAnswer(request, cause)
    }
  }

  async #headers({ accept, body, headers, options }: ApiRequest): Promise<Record<string, string>> {
    const apiKey = await this.settings.apiKey()
    const organization = options.organization ?? this.settings.organization
    return {
      accept: accept ?? 'application/json',
      ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
      ...(organization !== undefined && { 'x-troupe-organization': organization }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...this.settings.headers,
      ...headers,
      ...options.headers,
    }
  }
}

const isGood = ({ status, type }: Response) => (status >= 200 && status < 400) || type === 'opaqueredirect'

const isOf = ({ headers }: Response, type: string) => headers.get('content-type')?.includes(type) === true

/** The body as JSON. Throws an `ApiError` for that of another program, such as the page of a proxy. */
export const jsonOf = async (answer: Response): Promise<unknown> =>
  isOf(answer, 'json') ? answer.json() : Promise.reject(await errorOf(answer))

const noAnswer = ({ method, path }: ApiRequest, cause: unknown) =>
  new ConnectionError('connection_failed', `No answer to ${method} ${path}: ${reasonOf(cause)}`, { cause })
