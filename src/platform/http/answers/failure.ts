/** The one place where a thrown value becomes an answer. Source: contract 0, "Errors"; requirement 7; design 5. */
import { LimitReached } from '../../../../storage/bounds.ts'
import { DamagedRecord, MissingReference, StaleWrite, StoreUnavailable } from '../../../../storage/errors.ts'
import { SchemaFailure } from '../../json-schemas/check-result.ts'
import type { Logger } from '../../operating/logger.ts'
import type { Repeats } from '../../repeats.ts'
import {
  ApiError,
  concurrentChange,
  damagedRecord,
  internalError,
  invalid,
  limitReached,
  malformed,
  notFound,
  schemaRefused,
  storeUnavailable,
} from './errors.ts'
import type { RequestId } from './request-id.ts'

/** The JSON body of every error. */
export interface PublicApiError {
  error: { code: string; message: string; requestId: string; details?: Record<string, unknown> }
}

/** The error that the caller sees. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  if (thrown instanceof SchemaFailure) return schemaRefused(thrown)
  if (thrown instanceof StoreUnavailable) return storeUnavailable(thrown)
  // its parent was removed at this moment
  if (thrown instanceof MissingReference) return notFound()
  if (thrown instanceof LimitReached && thrown.reached) return limitReached(thrown.reached)
  if (thrown instanceof StaleWrite) return concurrentChange(thrown)
  if (thrown instanceof DamagedRecord) return damagedRecord(thrown)
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined
  if (code === 'PARSE' || code === 'INVALID_COOKIE_SIGNATURE') return malformed('The request is not well-formed.')
  // cookies and the like, which the guard does not validate
  if (code === 'VALIDATION')
    return invalid([{ path: `/${String(Reflect.get(Object(thrown), 'type'))}`, message: 'Is not valid.' }])
  return internalError()
}

type ResponseHeaders = Record<string, unknown>

/** Headers that described the answer that failed. */
const describingHeaders = ['content-type', 'content-encoding', 'content-length', 'content-disposition', 'etag', 'vary']

/** Replaces the headers of the unfinished answer by those of the error. */
export function describeFailure(error: ApiError, headers: ResponseHeaders): void {
  for (const name of describingHeaders) delete headers[name]
  headers['cache-control'] = 'no-store'
  if (error.closesConnection) headers.connection = 'close'
  if (error.status === 401) headers['www-authenticate'] = 'Bearer'
  if (error.status === 429 || error.status === 503) {
    headers['retry-after'] = Math.max(1, Math.ceil(error.retryAfterSeconds))
  }
  if (error.code === 'method_not_allowed' && Array.isArray(error.details?.allowed)) {
    headers.allow = error.details.allowed.join(', ')
  }
}

export const publicError = ({ code, message, details }: ApiError, requestId: string): PublicApiError => ({
  error: { code, message, requestId, ...(details && { details }) },
})

/** These paths contain tokens from mails, which must not be logged. */
const tokenPath = /^(\/api\/auth\/(?:verifications|password-resets)\/).+$/

/**
 * Logs the cause: a bug as an error, an outage as a warning, a refusal at debug level. An outage refuses hundreds of
 * requests a second: each has a line, but the cause is in one of them a minute.
 */
export function logFailure(
  { logger, outages }: { logger: Logger; outages: Repeats },
  answer: ApiError,
  thrown: unknown,
  request: Request,
  { requestId, requestIdFrom }: RequestId,
): void {
  const path = new URL(request.url).pathname.replace(tokenPath, '$1…')
  const about = { requestId, requestIdFrom, method: request.method, path, code: answer.code }
  if (answer.status === 500) logger.error({ ...about, err: thrown }, 'request failed')
  else if (answer.status === 503) {
    const repeated = outages.due(thrown, answer.code)
    logger.warn({ ...about, ...(repeated && { err: thrown, ...repeated }) }, 'request refused for now')
  } else logger.debug(about, 'request refused')
}
