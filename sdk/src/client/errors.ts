/** Errors: refusals of the server, failed connections, and runs that end without success. */
import type { ErrorCode } from '../generated/schemas.ts'

/** One problem of a request, with its place. */
export interface Issue {
  /** Such as `/body/slug`. */
  path: string
  message: string
}

/** The common class of all errors of this package. */
export class TroupeError extends Error {
  override readonly name: string = 'TroupeError'
  /** A code of the API, or of this package. */
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/**
 * There was no answer: the server cannot be reached, the connection broke (`connection_failed`), or the request timed
 * out (`timeout`).
 */
export class ConnectionError extends TroupeError {
  override readonly name = 'ConnectionError'
  declare readonly code: 'connection_failed' | 'timeout'
}

/** Why there is no answer: Node.js has the reason in the cause of its error, and Bun adds hints for its own users. */
export function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const { message, code } = (cause.cause ?? cause) as { message?: string; code?: string }
  return (message || code || cause.message).replace(/ (?:Is the computer|For more information)\b.*/s, '')
}

/** The error in an answer of the server. */
interface Refusal {
  status: number
  code: string
  message: string
  requestId: string | undefined
  details: Record<string, unknown>
  /** From the header `Retry-After`. */
  retryAfterMs: number | undefined
}

/** The server refused a request. Each status that programs distinguish has its own class. */
export class ApiError extends TroupeError {
  override readonly name: string = 'ApiError'
  declare readonly code: ErrorCode | 'unexpected_answer'
  /** The HTTP status. */
  readonly status: number
  /** For support; the server logs it too. */
  readonly requestId: string | undefined
  readonly details: Readonly<Record<string, unknown>>
  /** The problems of the request, each with its place; empty unless the status is 422. */
  readonly issues: readonly Issue[]
  /** How long to wait before a retry, if the server specifies it. */
  readonly retryAfterMs: number | undefined

  constructor({ status, code, message, requestId, details, retryAfterMs }: Refusal) {
    super(code, message)
    this.status = status
    this.requestId = requestId
    this.details = details
    this.issues = Array.isArray(details.issues) ? (details.issues as Issue[]) : []
    this.retryAfterMs = retryAfterMs
  }
}

/** 400: malformed, or not possible. */
export class BadRequestError extends ApiError {
  override readonly name = 'BadRequestError'
}
/** 401: no credential, or an invalid one. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError'
}
/** 402: the budget of the organization is used up. */
export class BudgetError extends ApiError {
  override readonly name = 'BudgetError'
}
/** 403: `details.permission` names the missing permission. */
export class PermissionError extends ApiError {
  override readonly name = 'PermissionError'
}
/** 404: missing, or in another organization. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError'
}
/** 409: not possible in the current state; `details.currentState` often names it. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError'
}
/** 422: `issues` has the problems and their places. */
export class ValidationError extends ApiError {
  override readonly name = 'ValidationError'
}
/** 429, after all retries. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError'
}
/** 500 and above, after all retries. */
export class ServerError extends ApiError {
  override readonly name = 'ServerError'
}

const byStatus: Record<number, new (refusal: Refusal) => ApiError> = {
  400: BadRequestError,
  401: AuthenticationError,
  402: BudgetError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  422: ValidationError,
  429: RateLimitError,
}

/** A run that ended without being completed; `code` is the run's reason (`provider_error`, …), or its state. */
export class RunError extends TroupeError {
  override readonly name = 'RunError'
  readonly runId: string
  readonly state: string

  constructor(runId: string, state: string, reason: { code: string; message: string } | null) {
    super(reason?.code ?? state, reason ? `${reason.message} (${runId} is ${state})` : `${runId} is ${state}.`)
    this.runId = runId
    this.state = state
  }
}

function retryAfterMs(headers: Headers): number | undefined {
  const seconds = headers.get('retry-after')
  return seconds !== null && /^\d+$/.test(seconds) ? Number(seconds) * 1_000 : undefined
}

/** The error for an answer, which may come from the server or from a proxy in front of it. */
export async function errorOf(answer: Response): Promise<ApiError> {
  const { status, headers } = answer
  const body: unknown = await answer.json().catch(() => undefined)
  const refusal = (body as { error?: Partial<Refusal> } | undefined)?.error
  const known = typeof refusal?.code === 'string' && typeof refusal.message === 'string'
  const Class = byStatus[status] ?? (status >= 500 ? ServerError : ApiError)
  return new Class({
    status,
    code: known ? (refusal.code as string) : 'unexpected_answer',
    message: known ? (refusal.message as string) : `The server answered ${status}, and not as Troupe does.`,
    requestId: refusal?.requestId ?? headers.get('x-request-id') ?? undefined,
    details: known ? (refusal.details ?? {}) : {},
    retryAfterMs: retryAfterMs(headers),
  })
}
