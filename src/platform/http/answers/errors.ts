/** The errors of the API. Anything else that is thrown is a bug and answers 500. Source: requirement 7; contract 0. */
import type { Bounded, ReachedLimit } from '../../../../storage/bounds.ts'
import { OutcomeUnknown } from '../../../../storage/errors.ts'
import { SchemaFailure } from '../../json-schemas/check-result.ts'
import { didYouMean } from '../near-names.ts'
import type { ErrorCode } from './catalogue.ts'

/** What an error carries besides its message. */
interface ApiErrorOptions {
  details?: Record<string, unknown> | undefined
  /** Where the fault is in the request (`/body/slug`); the message then becomes the only entry of `details.issues`. */
  at?: string | undefined
  /** Whole seconds, at least 1, the default; every 429 and 503 carries it. */
  retryAfterSeconds?: number
  /** Only for the log. */
  cause?: unknown
}

export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly details: Record<string, unknown> | undefined
  readonly retryAfterSeconds: number
  /** The rest of the request is not read: the connection closes after the answer. */
  closesConnection = false

  constructor(
    readonly status: number,
    readonly code: ErrorCode,
    message: string,
    { details, at, retryAfterSeconds = 1, ...options }: ApiErrorOptions = {},
  ) {
    super(message, options)
    this.details = at === undefined ? details : { ...details, issues: [{ path: at, message }] }
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** One problem with a request: its place (`/body/slug`) and its message. */
export interface Issue {
  path: string
  message: string
}

export const malformed = (message: string) => new ApiError(400, 'malformed_request', message)
/** The client disconnected, or sent less than it announced. */
export const bodyBroken = (cause: unknown) =>
  new ApiError(400, 'malformed_request', 'The body broke off before its end.', { cause })
/** The body arrives too slowly. */
export function bodyTooSlow({ graceMs, bytesPerSecond }: { graceMs: number; bytesPerSecond: number }) {
  const pace = `within ${graceMs / 1000} s, and one second more for each ${bytesPerSecond / 1024} KiB received`
  const error = malformed(`The body did not arrive ${pace}.`)
  error.closesConnection = true
  return error
}
export const invalid = (issues: Issue[]) =>
  new ApiError(422, 'validation_failed', 'The request is not valid.', { details: { issues } })
/** Query parameters that the operation does not have: a mistyped filter must not return everything. */
export const unknownParameters = (names: string[], known: string[]) => {
  const hint = known.length === 0 ? 'This operation takes none.' : `This operation takes: ${known.join(', ')}.`
  return new ApiError(422, 'unknown_parameter', `There is no such query parameter. ${hint}`, {
    details: {
      issues: names.map((name) => ({
        path: `/query/${name}`,
        message: `There is no such query parameter. ${didYouMean(name, known)}${hint}`,
      })),
    },
  })
}
/** Filters that are valid one by one but not supported together. */
export const unsupportedFilter = (names: readonly string[], message: string) =>
  new ApiError(422, 'unsupported_filter', message, {
    details: { issues: names.map((name) => ({ path: `/query/${name}`, message })) },
  })
export const unauthenticated = () =>
  new ApiError(401, 'unauthenticated', 'Send an API key as Authorization: Bearer trp_….')
export const sessionExpired = () => new ApiError(401, 'session_expired', 'The session has ended; sign in again.')
export const sessionRequired = () => new ApiError(401, 'unauthenticated', 'This operation requires a session: sign in.')
/** One answer for an unknown address and for a wrong password. */
export const invalidCredentials = () =>
  new ApiError(401, 'invalid_credentials', 'The e-mail address or the password is wrong.')
/** A signed-in user has not given the present password. */
export const wrongPassword = () => new ApiError(401, 'invalid_credentials', 'The current password is wrong.')
export const invalidApiKey = () => new ApiError(401, 'invalid_api_key', 'The API key is not valid.')
/** A credential that was valid has ended: the error of its next request. */
export const endedCredential = ({ type }: { type: 'apiKey' | 'user' }) =>
  type === 'apiKey' ? invalidApiKey() : sessionExpired()
export const invalidAttemptToken = () =>
  new ApiError(401, 'invalid_attempt_token', 'The attempt token or runner token is not valid.')
/** The ticket of an embedded chart is refused with 403: a client that repeats the request gets the same answer. */
export const invalidTicket = (why: 'expired' | 'unknown' | 'withdrawn') =>
  new ApiError(403, 'invalid_ticket', ticketFaults[why])
const ticketFaults = {
  expired: 'The ticket of this chart has expired. Ask the page that shows it for a new one.',
  unknown: 'The ticket is not for this chart. Copy the whole address, or ask for a new ticket.',
  withdrawn: 'The ticket of this chart is no longer valid: its issuer may no longer see the chart.',
}
/** For `/metrics`, when the operator has set a token for it. */
export const metricsTokenRequired = () =>
  new ApiError(401, 'unauthenticated', 'Send the value of TROUPE_METRICS_TOKEN as Authorization: Bearer ….')
export const invalidMetricsToken = () =>
  new ApiError(401, 'invalid_metrics_token', 'The token does not match TROUPE_METRICS_TOKEN.')
export const permissionDenied = (permission: string) =>
  new ApiError(403, 'permission_denied', `The credential lacks the permission ${permission}.`, {
    details: { permission },
  })
/** A key with the permission, but bound to a place that is too narrow. */
export const keyTooNarrow = (permission: string, boundTo: 'Project' | 'Environment' | 'Agent') => {
  const what = `${boundTo === 'Project' ? 'a' : 'an'} ${boundTo}`
  const message = `A key that is bound to ${what} cannot do this, whatever its permissions: use a key without ${what}.`
  return new ApiError(403, 'permission_denied', message, { details: { permission, boundTo } })
}
export const csrfRequired = (where = 'X-CSRF-Token') =>
  new ApiError(403, 'csrf_required', `A change by a session must send its CSRF token as ${where}.`)
export const deletionInProgress = () =>
  new ApiError(409, 'deletion_in_progress', 'The resource is being deleted.', { details: { currentState: 'deleting' } })
/** Foreign and missing resources get the same answer, byte for byte. */
export const notFound = () => new ApiError(404, 'not_found', 'There is no such resource.')
/** No operation has the path, whatever its ids; `meant` is the path that the caller probably meant. */
export const unknownPath = (meant?: string) =>
  new ApiError(
    404,
    'not_found',
    meant === undefined
      ? 'There is no such path: see /docs for all operations.'
      : `There is no such path. Did you mean ${meant}? See /docs for all operations.`,
  )
/** The value. Throws `notFound` if it is null or undefined. */
export function orNotFound<Found>(found: Found): NonNullable<Found> {
  if (!found) throw notFound()
  return found
}
/** The target of an operation is not in the Environment; the message names it as the input does. */
export const targetNotFound = (message: string) => new ApiError(404, 'not_found', message)
export const payloadTooLarge = (bytesMax: number) =>
  new ApiError(413, 'payload_too_large', `The body may have at most ${bytesMax} bytes.`, { details: { bytesMax } })
/** The organization has used or reserved its whole budget of the billing period. */
export const budgetExhausted = () =>
  new ApiError(402, 'budget_exhausted', 'The minute budget of the billing period is used up.')
/** The state of the actor has no row for the command. */
export const conflict = (currentState: string) =>
  new ApiError(409, 'invalid_transition', `Not possible while ${currentState}.`, { details: { currentState } })
/** `owner` already has the slug or name: `Agent of the Project`. The status depends on the operation. */
const taken = (field: 'slug' | 'name', owner: string, status: number) => {
  const message = `The ${field} is already used by another ${owner}; choose another one.`
  return new ApiError(status, `${field}_taken`, message, { at: status === 422 ? `/body/${field}` : undefined })
}
export const slugTaken = (owner: string, status: 400 | 409 | 422) => taken('slug', owner, status)
export const nameTaken = (owner: string, status: 409 | 422) => taken('name', owner, status)
/** The message names the limit and says what to do. */
export const limitExceeded = (message: string) => new ApiError(422, 'limit_exceeded', message, { at: '/body' })
/** The limits of a plan: the noun for the message, and how to get below the limit. */
const quotas = {
  projects: ['Projects', 'delete one first'],
  agents: ['Agents in its Projects', 'delete one first'],
  liveRuns: ['unfinished runs', 'wait for some to end, or cancel them'],
  openStreams: ['open streams', 'close one first'],
  storedBytes: ['bytes of stored run content', 'wait until some is removed, or delete a Project'],
} as const
/** The organization has reached a limit of its plan. */
export const quotaExceeded = (name: keyof typeof quotas, limit: number) => {
  const [what, remedy] = quotas[name]
  const message = `The organization has reached the limit of ${what} of its plan (${name}: ${limit}); ${remedy}, or change the plan.`
  return full(message, { name, limit })
}
/** The request as a whole exceeds a limit; no single field is wrong. */
const full = (message: string, bound: { name: string; limit: number }) =>
  new ApiError(422, 'limit_exceeded', message, { details: bound, at: '' })
/** The limits that hold for every plan, and how to get below them. */
const bounds: Record<Bounded, string> = {
  definitions: 'A Project has at most {} Definitions; delete one first.',
  definitionRevisions: 'A Definition has at most {} revisions; create another Definition.',
  agentRevisions: 'An Agent has at most {} revisions; create another Agent.',
  releases: 'A Project has at most {} Releases; create another Project.',
  configurationRevisions: 'An Environment has at most {} Configuration Revisions; create another Project.',
  variableVersions: 'A variable has at most {} versions; create another one in its place.',
  organizationVariableVersions:
    'A variable of an organization has at most {} versions; create another one in its place.',
  connectionVersions: 'A Connection has at most {} versions; create another one in its place.',
  applies: 'An Environment has at most {} Applies; create another Project.',
  deployments: 'An Environment has at most {} Deployments; create another Project.',
  accessGrants: 'A Project has at most {} access grants; remove one first, or grant access to groups.',
  userGroups: 'An organization has at most {} user groups; delete one first.',
  organizations:
    'A user can own at most {} organizations; delete one first, or ask an owner of the first organization.',
  members: 'An organization has at most {} members; remove one first.',
  invitations: 'An organization has at most {} invitations; withdraw one first, or wait until some are accepted.',
  liveWorkflowRuns: 'An organization has at most {} unfinished workflow runs; wait for some to end, or cancel them.',
  keptWorkflowEvents:
    'An Environment keeps at most {} events that no workflow waits for; wait until some are given or 24 hours old.',
  queuedWorkerCalls: 'An Environment has at most {} calls that wait for workers; start more workers.',
  pendingApprovals: 'An Environment has at most {} invocations that await approval; decide on some first.',
  entities: 'An Environment has at most {} entities; delete one first.',
}
const isBounded = (name: string): name is Bounded => name in bounds
/** A limit of a plan or of the platform has been reached. */
export const limitReached = ({ name, limit }: ReachedLimit) =>
  isBounded(name) ? full(bounds[name].replace('{}', String(limit)), { name, limit }) : quotaExceeded(name, limit)
/** The credential has reached its limit of open streams. */
export const tooManyStreams = (limit: number) =>
  new ApiError(
    429,
    'too_many_streams',
    `This credential has ${limit} open streams, the most that a credential may have; close one first.`,
    { details: { limit }, retryAfterSeconds: 5 },
  )
export const alreadyMember = () =>
  new ApiError(409, 'already_member', 'The user is already a member of the organization.')
/** Sent only to the invited account, or to someone who reads the mail of its verified address. */
export const accountExists = () =>
  new ApiError(
    409,
    'account_exists',
    'The invitation is for an existing account: sign in to it and accept the invitation there.',
  )
/** Sent only to someone who reads the mail of the address. */
export const addressTaken = () =>
  new ApiError(409, 'address_taken', 'Another account has verified this address; sign in to it, or reset its password.')
export const addressVerified = () =>
  new ApiError(409, 'address_verified', 'The address of the account is already verified.')
export const mailUnconfigured = () =>
  new ApiError(503, 'mail_unconfigured', 'This server cannot send mail: set TROUPE_SMTP_URL.', {
    retryAfterSeconds: 3600,
  })
export const lastOwner = () =>
  new ApiError(409, 'last_owner', 'This is the last owner; an organization must keep at least one.')
/** The Environment is not in the lifecycle that the request expects. */
export const lifecycleMismatch = (currentState: string) =>
  new ApiError(409, 'lifecycle_mismatch', `The Environment is ${currentState}.`, { details: { currentState } })
export const projectPaused = () =>
  new ApiError(409, 'project_paused', 'The Project is paused and admits no new work; set its status to active first.', {
    details: { currentState: 'paused' },
  })
export const environmentNotActive = (currentState: string) =>
  new ApiError(409, 'environment_not_active', `The Environment is ${currentState}; its lifecycle must be active.`, {
    details: { currentState },
  })
export const configurationHeadMismatch = (currentHeadRevisionId: string) => {
  const message = `The head is now ${currentHeadRevisionId}: see what it contains, then expect that one.`
  return new ApiError(409, 'configuration_head_mismatch', message, { details: { currentHeadRevisionId } })
}
export const generationMismatch = (currentGeneration: number) => {
  const message = `The Environment is at generation ${currentGeneration}: see what is active, then expect that one.`
  return new ApiError(409, 'generation_mismatch', message, { details: { currentGeneration } })
}
export const methodNotAllowed = (allowed: string[]) =>
  new ApiError(405, 'method_not_allowed', `The path supports ${allowed.join(', ')}.`, { details: { allowed } })
export const invalidCursor = () => {
  const message =
    'The cursor does not belong to this list with these filters and this order; leave it out to start again.'
  return new ApiError(422, 'invalid_cursor', message, { at: '/query/cursor' })
}
/** An Idempotency-Key, or another unique key, was used for two different requests; `path` is its place in the request. */
export const keyReused = (message: string, status: 409 | 422 = 422, path = '/headers/idempotency-key') =>
  new ApiError(status, 'idempotency_key_reused', message, { at: status === 422 ? path : undefined })
export const internalError = () =>
  new ApiError(500, 'internal_error', 'The server could not complete the request; quote the request id.')
/** Another writer changed the resource first. */
export const concurrentChange = (cause: unknown) =>
  new ApiError(409, 'concurrent_change', 'The resource was changed at the same time; read it and try again.', { cause })
export const staleAttempt = (currentState: string, message = 'The attempt has ended or was replaced.') =>
  new ApiError(409, 'stale_attempt', message, { details: { currentState } })
/** A leased attempt reports before it has booted. */
export const notBooted = () =>
  staleAttempt('starting', 'The attempt has not booted: `POST …/boot` comes before all other reports but heartbeats.')
export const storeUnavailable = (cause: unknown) =>
  new ApiError(
    503,
    'store_unavailable',
    cause instanceof OutcomeUnknown
      ? 'The store is unavailable; it is not known whether the change was made. Send the request again with the same Idempotency-Key if it had one, or read first.'
      : 'The store is unavailable; nothing was changed.',
    { cause },
  )
/** A stored record that cannot be read; the message reveals nothing about it. */
export const damagedRecord = (cause: unknown) =>
  new ApiError(500, 'damaged_record', 'The stored record cannot be read; it was left unchanged.', { cause })
export const serviceUnavailable = (message: string, retryAfterSeconds = 1) =>
  new ApiError(503, 'service_unavailable', message, { retryAfterSeconds })
/** A request to an external service is too large once its values are filled in; nothing was sent. */
export const tooLarge = (message: string, at = '/body/input') => new ApiError(422, 'too_large', message, { at })
/** A value that could not be validated against an author's JSON Schema; `path` is its place in the request. */
export function schemaRefused({ code, message }: SchemaFailure, path?: string): ApiError {
  if (code === 'schema_check_unavailable') return serviceUnavailable(message)
  return new ApiError(422, code, message, { at: path })
}
/** Converts an error that was thrown while the value at the path was validated. */
export const schemaRefusedAt =
  (path: string) =>
  (thrown: unknown): never => {
    throw thrown instanceof SchemaFailure ? schemaRefused(thrown, path) : thrown
  }
export const noActiveDeployment = () =>
  new ApiError(409, 'no_active_deployment', 'The Environment has no active Deployment; activate one first.')
export const agentNotDeployed = () =>
  new ApiError(
    409,
    'agent_not_deployed',
    'The active Deployment does not include this Agent; release, deploy and activate it.',
  )
