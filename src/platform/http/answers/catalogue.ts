import { deliveryErrors } from './delivery-errors.ts'
import { protocolErrors } from './protocol-errors.ts'

/**
 * Every error code of the API, with its statuses and its meaning. The API document and the docs are generated from this
 * table; `ApiError` accepts no other code. Source: requirement 7; contract 0.
 */
export const errorCatalogue = {
  malformed_request: {
    statuses: [400],
    meaning: 'The request is not well-formed: its JSON, its encoding, its content type or a header.',
  },
  validation_failed: {
    statuses: [422],
    meaning: 'The request is well-formed but not valid; `details.issues` names each problem.',
  },
  unknown_parameter: {
    statuses: [422],
    meaning:
      'The operation has no such query parameter; `details.issues` names it and lists the valid ones. Names that start ' +
      'with `utm_` are ignored.',
  },
  url_not_allowed: {
    statuses: [422],
    meaning:
      'The address is not allowed here, or the server must not connect to it; `details.issues` says which one and why.',
  },
  connection_unusable: {
    statuses: [422],
    meaning: 'The Connection is of another kind, disabled, or without its credential, so its server cannot be asked.',
  },
  ...protocolErrors,
  unsupported_filter: {
    statuses: [422],
    meaning: 'This combination of filters and order is not supported; the message says which ones are.',
  },
  invalid_cursor: {
    statuses: [422],
    meaning: 'The cursor was issued for another list, organization, order or set of filters.',
  },
  cursor_expired: {
    statuses: [409],
    meaning: 'Events after the cursor have been removed; `details.oldestSequence` is the oldest available.',
  },
  invalid_idempotency_key: {
    statuses: [400],
    meaning: 'The Idempotency-Key is required and missing, or malformed.',
  },
  idempotency_key_reused: {
    statuses: [409, 422],
    meaning: 'The Idempotency-Key was already used for a different request.',
  },
  idempotency_in_progress: {
    statuses: [409],
    meaning: 'The first request with this Idempotency-Key is still running.',
  },
  unauthenticated: { statuses: [401], meaning: 'The Authorization header is missing or not a bearer token.' },
  invalid_credentials: {
    statuses: [401],
    meaning: 'The e-mail address or the password is wrong, or the token is not valid.',
  },
  authorization_pending: {
    statuses: [409],
    meaning: 'The request for an API key is neither approved nor denied yet; ask again.',
  },
  session_expired: { statuses: [401], meaning: 'The session has expired, was ended or never existed.' },
  invalid_api_key: { statuses: [401], meaning: 'The API key is unknown, expired or revoked.' },
  invalid_attempt_token: { statuses: [401], meaning: 'The attempt token or runner token is not valid.' },
  invalid_ticket: {
    statuses: [403],
    meaning:
      'The ticket of an embedded chart has expired, was changed, is that of another one, or its issuer no longer sees it.',
  },
  invalid_metrics_token: {
    statuses: [401],
    meaning: 'The token does not match the one that the operator set for `/metrics`.',
  },
  permission_denied: {
    statuses: [403],
    meaning:
      'The credential lacks the permission that `details.permission` names, or is a key bound to a place that is too ' +
      'narrow (`details.boundTo`).',
  },
  csrf_required: {
    statuses: [403],
    meaning: 'A change by a session has no `X-CSRF-Token`, or a wrong one.',
  },
  not_found: { statuses: [404], meaning: 'There is no such resource, or it belongs to another organization.' },
  method_not_allowed: {
    statuses: [405],
    meaning: 'The path does not support this method; `Allow` lists the methods that it supports.',
  },
  payload_too_large: { statuses: [413], meaning: 'The body is larger than the operation accepts.' },
  attachment_too_large: {
    statuses: [400],
    meaning: 'An attachment is larger than 5 MiB, or all attachments together are larger than 10 MiB.',
  },
  unsupported_attachment: { statuses: [400], meaning: 'An attachment is not ASCII text, a supported image or a PDF.' },
  empty_input: { statuses: [400], meaning: 'The run has neither a query nor attachment content.' },
  invalid_subject: {
    statuses: [400],
    meaning: '`subjectUserId` is not a member of the organization, or the request was not made with an API key.',
  },
  provider_unconfigured: {
    statuses: [400],
    meaning: 'The platform default provider, or a credential for the named provider, is not configured.',
  },
  invalid_model: { statuses: [400], meaning: 'The provider does not offer this model.' },
  run_awaiting_external_result: { statuses: [400], meaning: 'The run waits for the result of an external delegate.' },
  budget_exhausted: { statuses: [402], meaning: 'The minute budget of the billing period is used up.' },
  invalid_transition: {
    statuses: [409],
    meaning: 'The current state of the resource does not allow this; `details.currentState` names it.',
  },
  stale_lease: {
    statuses: [409],
    meaning: 'A worker reported with a lease that is lost, or for a call that has ended.',
  },
  lifecycle_mismatch: {
    statuses: [409],
    meaning: 'The Environment is not in `expectedLifecycle`; `details.currentState` is its current lifecycle.',
  },
  deletion_in_progress: { statuses: [409], meaning: 'The resource, or its parent, is being deleted.' },
  agent_in_use: {
    statuses: [409],
    meaning: 'Live resources depend on the Agent; `details.dependents` lists them.',
  },
  personal_organization: { statuses: [409], meaning: 'A personal organization cannot be deleted.' },
  billing_active: { statuses: [409], meaning: 'The paid contract must be fully canceled first.' },
  contract_active: {
    statuses: [400],
    meaning: 'The organization already has a paid contract; use the portal to change it.',
  },
  plan_not_found: { statuses: [404], meaning: 'There is no such plan: see `GET /api/v1/billing/plans`.' },
  no_contract: { statuses: [400], meaning: 'The organization has never had a paid contract; start with a checkout.' },
  invalid_signature: { statuses: [400], meaning: 'The signature is not valid, or its timestamp is too old.' },
  billing_unconfigured: {
    statuses: [503],
    meaning: 'Billing is not available: the operator has not set up a payment provider, or not completely.',
  },
  last_owner: { statuses: [409], meaning: 'An organization must keep at least one owner.' },
  already_member: { statuses: [409], meaning: 'The user is already a member of the organization.' },
  account_exists: {
    statuses: [409],
    meaning: 'The invitation is for an existing account: sign in to it and accept the invitation there.',
  },
  address_taken: { statuses: [409], meaning: 'Another account has verified this address.' },
  address_verified: { statuses: [409], meaning: 'The address of the account is already verified.' },
  mail_unconfigured: {
    statuses: [503],
    meaning: 'The server cannot send mail: the operator has not set up a mail server.',
  },
  slug_taken: { statuses: [400, 409, 422], meaning: 'The slug is already in use; the message says by what.' },
  name_taken: { statuses: [409, 422], meaning: 'The name is already in use; the message says by what.' },
  limit_exceeded: {
    statuses: [422],
    meaning: 'A limit has been reached; the message names it and says what to do.',
  },
  ...deliveryErrors,
  stale_attempt: {
    statuses: [409],
    meaning: 'The attempt has ended or was replaced; its reports are ignored.',
  },
  set_by_operator: {
    statuses: [409],
    meaning: "The value is set by the server's configuration and can be changed only there.",
  },
  no_active_deployment: { statuses: [409], meaning: 'The Environment has no active Deployment.' },
  request_key_mismatch: {
    statuses: [409],
    meaning: 'The `requestKey` was already used for another workflow, another user or other params.',
  },
  agent_not_deployed: { statuses: [409], meaning: 'The Agent is not part of the active Deployment.' },
  concurrent_change: { statuses: [409], meaning: 'The resource was changed at the same time; read it and try again.' },
  too_many_streams: {
    statuses: [429],
    meaning: 'The credential has reached its limit of open streams, `details.limit`; close one or try again later.',
  },
  rate_limited: { statuses: [429], meaning: 'Too many requests; `Retry-After` says when to try again.' },
  damaged_record: {
    statuses: [500],
    meaning: 'The stored record cannot be read. It was left unchanged; other records are not affected.',
  },
  schema_too_costly: {
    statuses: [422],
    meaning:
      'Validating the value against the JSON Schema of the revision takes more than 100 ms or too much memory; ' +
      '`details.issues` names the value.',
  },
  schema_not_supported: {
    statuses: [422],
    meaning:
      'The JSON Schema of the revision was accepted by an earlier version but is no longer supported: publish a new revision.',
  },
  too_large: {
    statuses: [422],
    meaning:
      'The request that the operation would send, with its values filled in, is larger than 1 MiB, or its URL longer than 2,048 characters.',
  },
  internal_error: { statuses: [500], meaning: 'The server could not complete the request; quote the request id.' },
  store_unavailable: {
    statuses: [503],
    meaning:
      'The store is unreachable, locked or full; nothing was changed, unless the message says that this is not known.',
  },
  service_unavailable: { statuses: [503], meaning: 'The server is starting, shutting down or out of capacity.' },
} as const satisfies Record<string, { statuses: readonly number[]; meaning: string }>

export type ErrorCode = keyof typeof errorCatalogue
