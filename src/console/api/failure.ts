/** What went wrong with a request: the API's one error shape, or no answer at all. Source: contract 0, "Errors". */

/** One problem with a request: where (`/body/slug`), and what. */
export interface Issue {
  path: string
  message: string
}

export interface FailureParts {
  /** 0: there was no answer. */
  status: number
  code: string
  message: string
  requestId?: string | undefined
  details?: Record<string, unknown> | undefined
}

/** Conflicts with what happened meanwhile, besides those that name a state. */
const overtaken = /_mismatch$|^concurrent_change$|^invalid_transition$/

/** What a plan limits. Source: contract 8, `limits`. */
const planLimits = new Set(['projects', 'agents', 'liveRuns', 'openStreams', 'storedBytes'])

export class ApiFailure extends Error {
  override readonly name = 'ApiFailure'
  readonly status: number
  readonly code: string
  /** To quote in a request for support. */
  readonly requestId: string | undefined
  readonly details: Record<string, unknown>

  constructor({ status, code, message, requestId, details = {} }: FailureParts) {
    super(message)
    this.status = status
    this.code = code
    this.requestId = requestId
    this.details = details
  }

  /** Whether the same request may work in a moment. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500
  }

  /** What is wrong with the fields of a form. */
  get issues(): Issue[] {
    const [, taken] = /^(slug|name)_taken$/.exec(this.code) ?? []
    if (taken !== undefined) return [{ path: `/body/${taken}`, message: this.message }]
    // it is of the whole, and the message says it already
    if (this.isLimit) return []
    return Array.isArray(this.details.issues) ? (this.details.issues as Issue[]) : []
  }

  /** The permission that is missing. */
  get permission(): string | undefined {
    return this.code === 'permission_denied' ? String(this.details.permission) : undefined
  }

  /** Whether there may be no more of something; the message says how many, and what to do. */
  get isLimit(): boolean {
    return this.code === 'limit_exceeded'
  }

  /** Whether it is the plan of the organization that allows no more. */
  get isOfPlan(): boolean {
    return this.code === 'budget_exhausted' || (this.isLimit && planLimits.has(String(this.details.name)))
  }

  /** Whether another change came first: the page shows an outdated state. */
  get isConflict(): boolean {
    return this.status === 409 && (this.currentState !== undefined || overtaken.test(this.code))
  }

  /** The state that stood in the way, where there was one. */
  get currentState(): string | undefined {
    return typeof this.details.currentState === 'string' ? this.details.currentState : undefined
  }
}

/** Thrown when a request was given up because its caller no longer waits for it. */
export const isAbort = (thrown: unknown): boolean => thrown instanceof Error && thrown.name === 'AbortError'

interface ErrorBody {
  error: { code: string; message: string; requestId: string; details?: Record<string, unknown> }
}

const isErrorBody = (value: unknown): value is ErrorBody =>
  typeof value === 'object' && value !== null && 'error' in value && typeof value.error === 'object'

/** Any thing that was thrown, as a failure. */
export function failureOf(thrown: unknown): ApiFailure {
  if (thrown instanceof ApiFailure) return thrown
  return new ApiFailure({ status: 0, code: 'connection_lost', message: 'The server does not answer.' })
}

/** The failure in an answer that is none of 2xx. */
export function failureIn(status: number, body: unknown): ApiFailure {
  if (isErrorBody(body)) return new ApiFailure({ status, ...body.error })
  return new ApiFailure({ status, code: 'unexpected_answer', message: `The server answered ${status}.` })
}
