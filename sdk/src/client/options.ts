/** Options of a client, and of a single call. */

/** The address of a server, and the credentials. */
export interface TroupeOptions {
  /** The address of the server. Default: `TROUPE_URL`, else `http://localhost:3000`. */
  baseUrl?: string
  /**
   * An API key (`trp_…`), or a function that returns one for each request. Default: `TROUPE_KEY`, else
   * `TROUPE_API_KEY`; null sends none.
   */
  apiKey?: string | null | (() => string | Promise<string>)
  /** For a session of a user in several organizations: the organization of all calls, by id or slug. */
  organization?: string
  /** Headers of every request, such as the `X-CSRF-Token` of a session. */
  headers?: Record<string, string>
  /** How often a request is retried after a 429, a 503 or a lost answer. Default: 4. */
  maxRetries?: number
  /** The longest `Retry-After` to wait for; a longer one throws the error at once. Default: 60,000. */
  maxRetryAfterMs?: number
  /**
   * The timeout of one attempt of a request, including its answer, in addition to `waitSeconds`. Streams have none.
   * Default: 60,000.
   */
  timeoutMs?: number
  /** The function that sends requests. Default: the global `fetch`. */
  fetch?: Fetch
}

/** The used part of `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Options of a single call, besides its input. */
export interface RequestOptions {
  /** Aborts the call, which rejects with the signal's reason. */
  signal?: AbortSignal
  /** Replaces the key that is generated for the call; a repeated key has no further effect. */
  idempotencyKey?: string
  /** Overrides the client's. */
  organization?: string
  /** Added to the client's. */
  headers?: Record<string, string>
  /**
   * Overrides the client's. For a stream, and for the wait of `run.output`: how many requests in a row may fail;
   * default 10.
   */
  maxRetries?: number
  /** Overrides the client's. */
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

/** The environment variables of the process, if there are any. */
const environment = (): Record<string, string | undefined> =>
  (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env ?? {}

/** The options with their defaults. Throws `TypeError` if `baseUrl` is not an http address. */
export function settingsOf(options: TroupeOptions): Settings {
  // pipelines set variables without a value to an empty text
  const { TROUPE_URL, TROUPE_KEY, TROUPE_API_KEY } = environment()
  const baseUrl = (options.baseUrl ?? (TROUPE_URL || 'http://localhost:3000')).replace(/\/+$/, '')
  if (!/^https?:\/\/[^/]/.test(baseUrl)) throw new TypeError(`baseUrl is not an http address: ${baseUrl}`)
  const { apiKey = TROUPE_KEY || TROUPE_API_KEY || null } = options
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
