/**
 * The error answers of operations, by status, with their codes. Equal answers of several operations share a component,
 * named after its codes. Source: requirement 7; contract 0.
 */
import { type ErrorCode, errorCatalogue } from '../http/answers/catalogue.ts'
import { isRead } from '../http/answers/methods.ts'
import { listedErrors, type RouteFacts } from '../http/guard/route.ts'
import type { AnswerHeaders } from './headers.ts'

const exampleOf = (code: ErrorCode) => ({
  error: { code, message: errorCatalogue[code].meaning, requestId: 'req_01h455vb4pex5vsknk084sn02q' },
})

const catalogued = Object.keys(errorCatalogue) as ErrorCode[]

/** The schema of every error. */
export const publicApiErrorSchema = {
  type: 'object',
  description: 'The body of every error.',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'requestId'],
      properties: {
        code: { $ref: '#/components/schemas/ErrorCode' },
        message: { type: 'string', description: 'A description for people.' },
        requestId: { type: 'string', description: 'The id of the request, as in `X-Request-Id`.' },
        details: {
          type: 'object',
          description: '`issues` with 422, `permission` with 403, `currentState` with conflicts.',
          additionalProperties: true,
        },
      },
    },
  },
}

export const errorCodeSchema = { type: 'string', description: 'The error code, for programs.', enum: catalogued }

const titles: Record<number, string> = {
  400: 'Malformed, or not possible',
  401: 'No valid credential',
  402: 'Budget used up',
  403: 'Permission missing',
  404: 'Not found',
  405: 'The path supports other methods only',
  409: 'Conflict with the current state',
  413: 'Body too large',
  422: 'Not valid',
  429: 'Too many requests',
  500: 'Bug in the server',
  503: 'Unavailable for now',
}

/** Short names for answers of nearly every operation; others are named after their codes. */
const usualNames: Record<string, string> = {
  'unauthenticated session_expired invalid_api_key': 'Unauthenticated',
  'permission_denied csrf_required': 'Forbidden',
  'damaged_record internal_error': 'InternalError',
  'store_unavailable service_unavailable': 'Unavailable',
}

/** Whether users have access, by session or API key. */
const isOfUser = ({ access }: RouteFacts) => ['permission', 'identity', 'session'].includes(access.kind)

/** The facts of a route and its method. */
interface OperationFacts extends RouteFacts {
  method: string
}

/** The codes for faults of the query or the body. Undeclared bodies are refused too, except with GET, which drops them. */
function requestCodes({ method, query, anyQuery, body, consumes, ownBody }: OperationFacts): ErrorCode[] {
  const readsBody = body !== undefined || consumes !== undefined || (!ownBody && !isRead(method))
  return [
    ...(ownBody ? [] : (['malformed_request'] as const)),
    ...(readsBody ? (['payload_too_large', 'validation_failed'] as const) : []),
    ...(query ? (['validation_failed'] as const) : []),
    ...(anyQuery ? [] : (['unknown_parameter'] as const)),
    ...(query?.properties.cursor ? (['invalid_cursor'] as const) : []),
  ]
}

/** The codes that the guard can answer for the route. */
function usualCodes(facts: OperationFacts): ErrorCode[] {
  const { access, hidden, foreignIsForbidden, params, resource, whileDeleting } = facts
  const codes: ErrorCode[] = ['method_not_allowed', 'internal_error', 'damaged_record', ...requestCodes(facts)]
  const isChange = resource !== undefined
  const listsConflict = listedErrors(facts.errors).some(([, status]) => status === 409)
  if (isOfUser(facts)) codes.push('unauthenticated', 'invalid_api_key', 'session_expired', 'rate_limited')
  if (isOfUser(facts) && isChange) codes.push('csrf_required')
  // a session may name an organization that its user does not belong to
  if (access.kind === 'permission' && (!hidden || isChange)) codes.push('permission_denied')
  // the organization may be in deletion; where no 409 is listed, that answers 404
  if (access.kind === 'permission' && isChange && !whileDeleting && listsConflict) codes.push('deletion_in_progress')
  if (facts.reportPermission) codes.push('unauthenticated', 'invalid_api_key', 'permission_denied')
  if (access.kind === 'registration' || access.kind === 'attempt') codes.push('invalid_attempt_token', 'rate_limited')
  if (access.kind !== 'public') codes.push('malformed_request', 'store_unavailable', 'service_unavailable')
  // a server that stops refuses changes, of strangers too
  if (access.kind === 'public' && !isRead(facts.method)) codes.push('service_unavailable')
  if ((params && !foreignIsForbidden) || hidden) codes.push('not_found')
  return codes
}

/** A status with its codes, in the catalogue's order: `409 deletion_in_progress concurrent_change`. */
function answersOf(facts: OperationFacts): string[] {
  const byStatus = Map.groupBy(
    [...listedErrors(usualCodes(facts)), ...listedErrors(facts.errors)],
    ([, status]) => status,
  )
  return [...byStatus].map(([status, listed]) => {
    const given = new Set(listed.map(([code]) => code))
    return [status, ...catalogued.filter((code) => given.has(code))].join(' ')
  })
}

const pascalCase = (code: string) => code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** `DeletionInProgressOrConcurrentChange`; with the status if a code has several. */
function nameOf(answer: string): string {
  const [status, ...codes] = answer.split(' ') as [string, ...ErrorCode[]]
  const name = usualNames[codes.join(' ')] ?? codes.map(pascalCase).join('Or')
  return codes.every((code) => errorCatalogue[code].statuses.length > 1) ? name + status : name
}

function describeAnswer(answer: string, headers: AnswerHeaders): object {
  const [status, ...codes] = answer.split(' ') as [string, ...ErrorCode[]]
  const reasons = codes.map((code) => `- \`${code}\`: ${errorCatalogue[code].meaning}`)
  // repeats the other properties: tools report those missing from one part of an `allOf` as a mistake
  const error = { type: 'object', properties: { code: { enum: codes }, message: {}, requestId: {}, details: {} } }
  const schema = {
    allOf: [{ $ref: '#/components/schemas/PublicApiError' }, { type: 'object', properties: { error } }],
  }
  return {
    description: [`${titles[Number(status)] ?? 'Error'}.`, '', ...reasons].join('\n'),
    headers: headers.ofFailure(Number(status)),
    content: { 'application/json': { schema, example: exampleOf(codes[0]!) } },
  }
}

export class Failures {
  readonly #shared: ReadonlySet<string>

  /** Takes the facts of all operations, to find the answers to share. */
  constructor(
    operations: readonly OperationFacts[],
    private readonly headers: AnswerHeaders,
  ) {
    const uses = Map.groupBy(operations.flatMap(answersOf), (answer) => answer)
    this.#shared = new Set([...uses].filter(([, { length }]) => length > 1).map(([answer]) => answer))
  }

  /** The answers that several operations share, by name. */
  get components(): Record<string, object> {
    return Object.fromEntries(
      [...this.#shared].sort().map((answer) => [nameOf(answer), describeAnswer(answer, this.headers)]),
    )
  }

  /** The error answers of an operation, by status. */
  describe(facts: OperationFacts): Record<string, object> {
    const answers = answersOf(facts).map((answer) => [
      answer.slice(0, 3),
      this.#shared.has(answer)
        ? { $ref: `#/components/responses/${nameOf(answer)}` }
        : describeAnswer(answer, this.headers),
    ])
    return Object.fromEntries(answers)
  }
}
