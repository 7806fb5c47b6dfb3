/** The errors that an operation may answer, by status, with their codes. Source: requirement 7; contract 0. */
import { type ErrorCode, errorCatalogue } from '../http/catalogue.ts'
import { listedErrors, type RouteFacts } from '../http/route.ts'

/** The shape of every error, as a component. */
export const publicApiErrorSchema = {
  type: 'object',
  description: 'What every error answers.',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'requestId'],
      properties: {
        code: { type: 'string', description: 'What happened, for programs.', enum: Object.keys(errorCatalogue) },
        message: { type: 'string', description: 'What happened, for people.' },
        requestId: { type: 'string', description: 'The request, as in `X-Request-Id`.' },
        details: {
          type: 'object',
          description: '`issues` with 422, `permission` with 403, `currentState` with conflicts.',
          additionalProperties: true,
        },
      },
    },
  },
  example: {
    error: { code: 'not_found', message: 'There is no such resource.', requestId: 'req_01h455vb4pex5vsknk084sn02q' },
  },
}

const titles: Record<number, string> = {
  400: 'Malformed, or not possible',
  401: 'No valid credential',
  402: 'Budget used up',
  403: 'Permission missing',
  404: 'Not found',
  405: 'The path takes other methods',
  409: 'Conflict with the current state',
  413: 'Body too large',
  422: 'Not valid',
  429: 'Too many requests',
  500: 'Bug in the server',
  503: 'Unavailable for now',
}

/** The codes that the door itself can answer for such a route. */
function usualCodes(facts: RouteFacts): ErrorCode[] {
  const { access, hidden, foreignIsForbidden, params, query, body, consumes, resource } = facts
  const isOfUser = ['permission', 'identity', 'session'].includes(access.kind)
  const codes: ErrorCode[] = ['method_not_allowed', 'internal_error']
  const takesBody = body !== undefined || consumes !== undefined
  if (isOfUser) codes.push('unauthenticated', 'invalid_api_key', 'session_expired', 'rate_limited')
  if (isOfUser && resource !== undefined) codes.push('csrf_required')
  if (access.kind === 'permission' && !hidden) codes.push('permission_denied')
  if (access.kind === 'registration' || access.kind === 'attempt') codes.push('invalid_attempt_token')
  if (access.kind !== 'public') codes.push('malformed_request', 'store_unavailable', 'service_unavailable')
  if ((params && !foreignIsForbidden) || hidden) codes.push('not_found')
  if (takesBody) codes.push('malformed_request', 'payload_too_large')
  if (takesBody || query) codes.push('validation_failed')
  if (query?.properties.cursor) codes.push('invalid_cursor')
  return codes
}

const header = (description: string, schema: object) => ({ description, schema })

/** Headers that come with a status. */
const headersOf = (status: number) => ({
  'X-Request-Id': { $ref: '#/components/headers/XRequestId' },
  ...(status === 405 && { Allow: header('The methods that the path takes.', { type: 'string' }) }),
  ...(status === 401 && { 'WWW-Authenticate': header('The kind of credential.', { type: 'string', const: 'Bearer' }) }),
  ...((status === 429 || status === 503) && {
    'Retry-After': header('Seconds to wait.', { type: 'integer', minimum: 1 }),
  }),
})

/** The error responses of an operation. */
export function describeFailures(facts: RouteFacts): Record<string, object> {
  const byStatus = new Map<number, Set<ErrorCode>>()
  for (const [code, status] of [...listedErrors(usualCodes(facts)), ...listedErrors(facts.errors)]) {
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code))
  }
  const responses = [...byStatus].map(([status, codes]) => {
    const reasons = [...codes].map((code) => `- \`${code}\`: ${errorCatalogue[code].meaning}`)
    return [
      status,
      {
        description: [`${titles[status] ?? 'Error'}.`, '', ...reasons].join('\n'),
        headers: headersOf(status),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/PublicApiError' } } },
      },
    ]
  })
  return Object.fromEntries(responses)
}
