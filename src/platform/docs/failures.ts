/**
 * The errors that an operation may answer, by status, with their codes. Equal ones of several operations are one
 * component, named after its codes. Source: requirement 7; contract 0.
 */
import { type ErrorCode, errorCatalogue } from '../http/answers/catalogue.ts'
import { isRead } from '../http/answers/methods.ts'
import { listedErrors, type RouteFacts } from '../http/guard/route.ts'
import type { AnswerHeaders } from './headers.ts'

const exampleOf = (code: ErrorCode) => ({
  error: { code, message: errorCatalogue[code].meaning, requestId: 'req_01h455vb4pex5vsknk084sn02q' },
})

const catalogued = Object.keys(errorCatalogue) as ErrorCode[]

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
        code: { $ref: '#/components/schemas/ErrorCode' },
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
}

export const errorCodeSchema = { type: 'string', description: 'What happened, for programs.', enum: catalogued }

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

/** Short names for what nearly every operation has; others are called by their codes. */
const usualNames: Record<string, string> = {
  'unauthenticated session_expired invalid_api_key': 'Unauthenticated',
  'permission_denied csrf_required': 'Forbidden',
  'damaged_record internal_error': 'InternalError',
  'store_unavailable service_unavailable': 'Unavailable',
}

/** Whether a user, with a session or a key, comes in here. */
const isOfUser = ({ access }: RouteFacts) => ['permission', 'identity', 'session'].includes(access.kind)

/** What a route says about itself, and its method. */
export interface OperationFacts extends RouteFacts {
  method: string
}

/** What is wrong with the query or the body. One that belongs nowhere is refused too; with a GET it is not even looked at. */
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

/** The codes that the guard itself can answer for such a route. */
function usualCodes(facts: OperationFacts): ErrorCode[] {
  const { access, hidden, foreignIsForbidden, params, resource, whileDeleting } = facts
  const codes: ErrorCode[] = ['method_not_allowed', 'internal_error', 'damaged_record', ...requestCodes(facts)]
  const isChange = resource !== undefined
  const listsConflict = listedErrors(facts.errors).some(([, status]) => status === 409)
  if (isOfUser(facts)) codes.push('unauthenticated', 'invalid_api_key', 'session_expired', 'rate_limited')
  if (isOfUser(facts) && isChange) codes.push('csrf_required')
  // a session may also name an organization that its user does not belong to
  if (access.kind === 'permission' && (!hidden || isChange)) codes.push('permission_denied')
  // the organization may be on its way out; where no 409 is listed, that answers 404
  if (access.kind === 'permission' && isChange && !whileDeleting && listsConflict) codes.push('deletion_in_progress')
  if (facts.reportPermission) codes.push('unauthenticated', 'invalid_api_key', 'permission_denied')
  if (access.kind === 'registration' || access.kind === 'attempt') codes.push('invalid_attempt_token', 'rate_limited')
  if (access.kind !== 'public') codes.push('malformed_request', 'store_unavailable', 'service_unavailable')
  if ((params && !foreignIsForbidden) || hidden) codes.push('not_found')
  return codes
}

/** A status with its codes, in the catalogue's order, as text: `409 deletion_in_progress concurrent_change`. */
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

/** `DeletionInProgressOrConcurrentChange`; with the status where the codes come with several. */
function nameOf(answer: string): string {
  const [status, ...codes] = answer.split(' ') as [string, ...ErrorCode[]]
  const name = usualNames[codes.join(' ')] ?? codes.map(pascalCase).join('Or')
  return codes.every((code) => errorCatalogue[code].statuses.length > 1) ? name + status : name
}

function describeAnswer(answer: string, headers: AnswerHeaders): object {
  const [status, ...codes] = answer.split(' ') as [string, ...ErrorCode[]]
  const reasons = codes.map((code) => `- \`${code}\`: ${errorCatalogue[code].meaning}`)
  // the others are named too: tools take what one part does not name for a mistake
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

/** The error answers of a document. */
export class Failures {
  readonly #shared: ReadonlySet<string>

  /** Takes the facts of all operations, which say what is worth sharing. */
  constructor(
    operations: readonly OperationFacts[],
    private readonly headers: AnswerHeaders,
  ) {
    const uses = Map.groupBy(operations.flatMap(answersOf), (answer) => answer)
    this.#shared = new Set([...uses].filter(([, { length }]) => length > 1).map(([answer]) => answer))
  }

  /** Those that several operations have, by name. */
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
