/** A failed request: the API's error shape, or no response. Source: contract 0, "Errors". */

/** One validation issue: its JSON pointer (`/body/slug`) and message. */
export interface Issue {
  path: string
  message: string
}

interface FailureParts {
  /** 0 if there was no response. */
  status: number
  code: string
  message: string
  requestId?: string | undefined
  details?: Record<string, unknown> | undefined
}

/** Codes of conflicts that carry no current state. */
const overtaken = /_mismatch$|^concurrent_change$|^invalid_transition$/

/** Limits set by the plan. Source: contract 8, `limits`. */
const planLimits = new Set(['projects', 'agents', 'liveRuns', 'openStreams', 'storedBytes'])

export class ApiFailure extends Error {
  override readonly name = 'ApiFailure'
  readonly status: number
  readonly code: string
  /** To be quoted in support requests. */
  readonly requestId: string | undefined
  readonly details: Record<string, unknown>

  constructor({ status, code, message, requestId, details = {} }: FailureParts) {
    super(message)
    this.status = status
    this.code = code
    this.requestId = requestId
    this.details = details
  }

  /** Whether retrying may succeed. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500
  }

  /** Validation issues for the fields of a form. */
  get issues(): Issue[] {
    const [, taken] = /^(slug|name)_taken$/.exec(this.code) ?? []
    if (taken !== undefined) return [{ path: `/body/${taken}`, message: this.message }]
    // the message already covers it
    if (this.isLimit) return []
    return Array.isArray(this.details.issues) ? (this.details.issues as Issue[]) : []
  }

  /** The missing permission. */
  get permission(): string | undefined {
    return this.code === 'permission_denied' ? String(this.details.permission) : undefined
  }

  /** Whether a limit was reached; the message names it and the remedy. */
  get isLimit(): boolean {
    return this.code === 'limit_exceeded'
  }

  /** Whether the organization's plan sets the limit. */
  get isOfPlan(): boolean {
    return this.code === 'budget_exhausted' || (this.isLimit && planLimits.has(String(this.details.name)))
  }

  /** Whether another change came first, so that the page is out of date. */
  get isConflict(): boolean {
    return this.status === 409 && (this.currentState !== undefined || overtaken.test(this.code))
  }

  /** The state that caused the conflict, if any. */
  get currentState(): string | undefined {
    return typeof this.details.currentState === 'string' ? this.details.currentState : undefined
  }
}

/** Whether the request was aborted. */
export const isAbort = (thrown: unknown): boolean => thrown instanceof Error && thrown.name === 'AbortError'

interface ErrorBody {
  error: { code: string; message: string; requestId: string; details?: Record<string, unknown> }
}

const isErrorBody = (value: unknown): value is ErrorBody =>
  typeof value === 'object' && value !== null && 'error' in value && typeof value.error === 'object'

/** Converts any thrown value. */
export function failureOf(thrown: unknown): ApiFailure {
  if (thrown instanceof ApiFailure) return thrown
  return new ApiFailure({ status: 0, code: 'connection_lost', message: 'The server did not respond.' })
}

/** Failure of a response with a status other than 2xx. */
export function failureIn(status: number, body: unknown): ApiFailure {
  if (isErrorBody(body)) return new ApiFailure({ status, ...body.error })
  return new ApiFailure({ status, code: 'unexpected_answer', message: `The server answered ${status}.` })
}
