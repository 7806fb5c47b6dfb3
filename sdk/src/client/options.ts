/** Options of a client, and of a single call. */

/** How to reach a server, and as whom. */
export interface TroupeOptions {
  /** Where the server is. Default: `TROUPE_URL`, else `http://localhost:3000`. */
  baseUrl?: string
  /** An API key (`trp_…`), or a function that gives one for each request. Default: `TROUPE_KEY`, else `TROUPE_API_KEY`; null sends none. */
  apiKey?: string | null | (() => string | Promise<string>)
  /** For a session that belongs to several organizations: the one that calls act in, by id or slug. */
  organization?: string
  /** Headers of every request, such as the `X-CSRF-Token` of a session. */
  headers?: Record<string, string>
  /** How often a request is sent again after a 429, a 503 or a lost answer. Default: 4. */
  maxRetries?: number
  /** The longest `Retry-After` that is waited for; beyond it the error is thrown at once. Default: 60,000. */
  maxRetryAfterMs?: number
  /** The time for one attempt of a request, its answer included, besides what `waitSeconds` asks for. Streams have none. Default: 60,000. */
  timeoutMs?: number
  /** What sends requests. Default: the global `fetch`. */
  fetch?: Fetch
}

/** What of `fetch` is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** What a single call may say besides its input. */
export interface RequestOptions {
  /** Ends the call; it rejects with the signal's reason. */
  signal?: AbortSignal
  /** Instead of one that is made for the call: the same key again has no further effect. */
  idempotencyKey?: string
  /** Instead of the client's. */
  organization?: string
  /** Besides the client's. */
  headers?: Record<string, string>
  /** Instead of the client's. Of a stream: how often in a row a connection is made anew without an event; default 10. */
  maxRetries?: number
  /** Instead of the client's. */
  timeoutMs?: number
}

export interface Settings {
  baseUrl: string
  apiKey: () => Promise<string | null>
  organization: string | undefined
  headers: Record<string, string>
  maxRetries: number
  maxRetryAfterMs: number
  timeoutMs: number
  fetch: Fetch
}

/** The variables of the process, where there is one. */
const environment = (): Record<string, string | undefined> =>
  (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env ?? {}

/** The options with their defaults. Throws `TypeError` when `baseUrl` is not an http address. */
export function settingsOf(options: TroupeOptions): Settings {
  const { TROUPE_URL, TROUPE_KEY, TROUPE_API_KEY } = environment()
  const baseUrl = (options.baseUrl ?? TROUPE_URL ?? 'http://localhost:3000').replace(/\/+$/, '')
  if (!/^https?:\/\/[^/]/.test(baseUrl)) throw new TypeError(`baseUrl is not an http address: ${baseUrl}`)
  const { apiKey = TROUPE_KEY ?? TROUPE_API_KEY ?? null } = options
  return {
    baseUrl,
    apiKey: async () => (typeof apiKey === 'function' ? apiKey() : apiKey),
    organization: options.organization,
    headers: options.headers ?? {},
    maxRetries: options.maxRetries ?? 4,
    maxRetryAfterMs: options.maxRetryAfterMs ?? 60_000,
    timeoutMs: options.timeoutMs ?? 60_000,
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
  }
}
