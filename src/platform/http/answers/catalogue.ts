/**
 * Every error code that a client can meet, with the statuses it comes with and what it means. The API document and the
 * docs are generated from this table; `ApiError` takes no code that is not in it. Source: requirement 7; contract 0.
 */
export const errorCatalogue = {
  malformed_request: {
    statuses: [400],
    meaning: 'The request is not well-formed: its JSON, its encoding, its content type or a header.',
  },
  validation_failed: {
    statuses: [422],
    meaning: 'The request is well-formed and not valid; `details.issues` names each problem.',
  },
  unknown_parameter: {
    statuses: [422],
    meaning:
      'The operation has no such query parameter; `details.issues` names it, and those that there are. Names that start ' +
      'with `utm_` are let pass.',
  },
  url_not_allowed: {
    statuses: [422],
    meaning: 'The address may not be named here, or not be talked to; `details.issues` says which one and why.',
  },
  unsupported_filter: {
    statuses: [422],
    meaning:
      'No index serves the list with these filters and this order together; the message says what to ask instead.',
  },
  invalid_cursor: {
    statuses: [422],
    meaning: 'The cursor was not issued for this list with these filters, this order and this organization.',
  },
  cursor_expired: {
    statuses: [409],
    meaning: 'Events behind the cursor are not kept any more; `details.oldestSequence` is the oldest that is.',
  },
  invalid_idempotency_key: {
    statuses: [400],
    meaning: 'The Idempotency-Key is missing where it is required, or malformed.',
  },
  idempotency_key_reused: {
    statuses: [409, 422],
    meaning: 'The Idempotency-Key was used before with another request.',
  },
  idempotency_in_progress: {
    statuses: [409],
    meaning: 'The first request with this Idempotency-Key is still running.',
  },
  unauthenticated: { statuses: [401], meaning: 'The Authorization header is missing or not a bearer token.' },
  invalid_credentials: {
    statuses: [401],
    meaning: 'Address and password do not go together, or the token is not valid.',
  },
  session_expired: { statuses: [401], meaning: 'The session is over, or never was.' },
  invalid_api_key: { statuses: [401], meaning: 'The API key is unknown, expired or revoked.' },
  invalid_attempt_token: { statuses: [401], meaning: 'The attempt token or runner token is not valid.' },
  invalid_metrics_token: {
    statuses: [401],
    meaning: 'The token is not the one that the operator has set for `/metrics`.',
  },
  permission_denied: {
    statuses: [403],
    meaning: 'The credential lacks the permission that `details.permission` names.',
  },
  csrf_required: {
    statuses: [403],
    meaning: "A session's change came without its `X-CSRF-Token`, or with a wrong one.",
  },
  not_found: { statuses: [404], meaning: 'There is no such resource, or it belongs to another organization.' },
  method_not_allowed: {
    statuses: [405],
    meaning: 'The path exists, the method does not; `Allow` lists those that do.',
  },
  payload_too_large: { statuses: [413], meaning: 'The body is larger than the operation takes.' },
  attachment_too_large: { statuses: [400], meaning: 'An attachment is over 5 MiB, or all together are over 10 MiB.' },
  unsupported_attachment: { statuses: [400], meaning: 'An attachment is not ASCII text, a supported image or a PDF.' },
  empty_input: { statuses: [400], meaning: 'The run has neither a query nor attachment content.' },
  invalid_subject: {
    statuses: [400],
    meaning: '`subjectUserId` is not a member of the organization, or was given without an API key.',
  },
  provider_unconfigured: {
    statuses: [400],
    meaning: 'The platform default provider, or a credential for the named provider, is not configured.',
  },
  invalid_model: { statuses: [400], meaning: 'The model is not one of the provider.' },
  run_awaiting_external_result: { statuses: [400], meaning: 'The run waits for the result of an external delegate.' },
  budget_exhausted: { statuses: [402], meaning: 'The minute budget of the billing period is used up.' },
  invalid_transition: {
    statuses: [409],
    meaning: 'The resource is in a state that does not allow this; `details.currentState` names it.',
  },
  lifecycle_mismatch: {
    statuses: [409],
    meaning: 'The Environment is not in `expectedLifecycle`; `details.currentState` names its lifecycle.',
  },
  deletion_in_progress: { statuses: [409], meaning: 'The resource is being deleted, or what it belongs to is.' },
  agent_in_use: {
    statuses: [409],
    meaning: 'Something live depends on the Agent; `details.dependents` names what.',
  },
  personal_organization: { statuses: [409], meaning: 'A personal organization cannot be deleted.' },
  billing_active: { statuses: [409], meaning: 'The paid contract must be fully canceled first.' },
  contract_active: { statuses: [400], meaning: 'A paid contract runs already; the portal changes it.' },
  plan_not_found: { statuses: [404], meaning: 'There is no such plan: see `GET /api/v1/billing/plans`.' },
  no_contract: { statuses: [400], meaning: 'The organization has had no paid contract yet; begin with a checkout.' },
  invalid_signature: { statuses: [400], meaning: 'What was sent is not signed as it should be, or is too old.' },
  billing_unconfigured: {
    statuses: [503],
    meaning: 'Nobody can be paid for now: the operator has no payment provider, or has not set it up completely.',
  },
  last_owner: { statuses: [409], meaning: 'An organization keeps at least one owner.' },
  already_member: { statuses: [409], meaning: 'The user belongs to the organization already.' },
  account_exists: {
    statuses: [409],
    meaning: 'The invitation is for an account that exists: sign in with it, and accept the invitation there.',
  },
  address_taken: { statuses: [409], meaning: 'The address was verified for another account.' },
  address_verified: { statuses: [409], meaning: 'The address of the account is verified already.' },
  mail_unconfigured: { statuses: [503], meaning: 'The server sends no mail: the operator has set up no mail server.' },
  slug_taken: { statuses: [400, 409, 422], meaning: 'The slug belongs to something else; the message says to what.' },
  name_taken: { statuses: [409, 422], meaning: 'The name belongs to something else; the message says to what.' },
  limit_exceeded: {
    statuses: [422],
    meaning: 'There may be no more of these; the message says how many, and what to do.',
  },
  credential_in_use: { statuses: [409], meaning: 'An active Deployment pins the credential.' },
  variable_in_use: {
    statuses: [409],
    meaning: 'An active Deployment pins the variable, or another one has it as source.',
  },
  integration_not_found: { statuses: [404], meaning: 'The organization has registered no client for the preset.' },
  integration_not_verified: {
    statuses: [400],
    meaning: 'The provider refused the client of the organization at its last verification.',
  },
  invalid_return_to: { statuses: [422], meaning: 'The flow may not end at this address.' },
  binding_taken: { statuses: [422], meaning: 'Another Connection is bound to the Agent under this key.' },
  connection_retained: {
    statuses: [409],
    meaning: 'A Configuration Revision, which never changes, holds the Connection.',
  },
  setting_exists: { statuses: [409], meaning: 'The Agent has a provider setting in the Environment.' },
  integration_exists: {
    statuses: [400],
    meaning: 'The organization has registered a client for this preset already; rotate or delete it.',
  },
  integration_invalid_client: {
    statuses: [400],
    meaning: 'The provider does not know the client, or its secret is another one. Nothing was written.',
  },
  integration_redirect_uri_mismatch: {
    statuses: [400],
    meaning: "The preset's redirect URI is not registered for the client at the provider. Nothing was written.",
  },
  integration_unexpected_response: {
    statuses: [400],
    meaning:
      'The provider has answered in a way that does not say that it knows the client: `details.providerError`, ' +
      '`details.httpStatus`. Nothing was written.',
  },
  preset_removed: {
    statuses: [400],
    meaning: 'The deployment has no such preset any more; the integration can only be looked at and deleted.',
  },
  provider_rate_limited: {
    statuses: [429],
    meaning: 'The provider takes no more requests for now; nothing was changed. `Retry-After` says when to come back.',
  },
  provider_unavailable: {
    statuses: [503],
    meaning: 'The provider cannot be asked now; nothing was changed. `Retry-After` says when to come back.',
  },
  definition_in_use: {
    statuses: [409],
    meaning: 'A Release pins the Definition: the one of an active Deployment, or, for another name, any.',
  },
  unresolved_reference: {
    statuses: [422],
    meaning: 'Something in the graph of the Release refers to what it does not hold; `details.issues` lists all of it.',
  },
  delegate_cycle: {
    statuses: [422],
    meaning: 'Agents of the Release hand work around in a circle; `details.issues` draws each one.',
  },
  project_paused: { statuses: [409], meaning: 'The Project is paused and admits no new work.' },
  environment_not_active: {
    statuses: [409],
    meaning: 'The Environment has to be `active` for this; `details.currentState` names its lifecycle.',
  },
  configuration_head_mismatch: {
    statuses: [409],
    meaning: 'Another Configuration Revision is the head by now: `details.currentHeadRevisionId`.',
  },
  deployment_not_ready: {
    statuses: [409],
    meaning:
      'The Deployment cannot be activated: `details.currentState` is not `ready`, or what `details.deleted` names is gone.',
  },
  generation_mismatch: {
    statuses: [409],
    meaning: 'The Environment is at another generation by now: `details.currentGeneration`.',
  },
  recovery_in_progress: {
    statuses: [409],
    meaning: 'The webhook is being recovered already; wait for the end of that, or cancel it.',
  },
  secret_rotation_limit: {
    statuses: [400],
    meaning: 'Five earlier signing secrets are still in force; the oldest of them ends within 24 hours.',
  },
  stale_attempt: {
    statuses: [409],
    meaning: 'The attempt has ended or was replaced; nothing it reports counts any more.',
  },
  set_by_operator: {
    statuses: [409],
    meaning: "It is set by the server's configuration, and can be changed only there.",
  },
  no_active_deployment: { statuses: [409], meaning: 'The Environment has no active Deployment.' },
  request_key_mismatch: {
    statuses: [409],
    meaning: 'The `requestKey` has started a run of another workflow, for somebody else, or with other params.',
  },
  agent_not_deployed: { statuses: [409], meaning: 'The Agent is not part of the active Deployment.' },
  concurrent_change: { statuses: [409], meaning: 'The resource changed at the same moment; read it and try again.' },
  too_many_streams: {
    statuses: [429],
    meaning: 'The credential has as many open streams as one may have: `details.limit`; close one, or come back.',
  },
  rate_limited: { statuses: [429], meaning: 'Too many requests; `Retry-After` says when to come back.' },
  damaged_record: {
    statuses: [500],
    meaning: 'The stored record cannot be read; it was left as it is, and everything else goes on.',
  },
  schema_too_costly: {
    statuses: [422],
    meaning:
      'Checking the value by the JSON Schema of the revision takes more than 100 ms, or too much memory; ' +
      '`details.issues` names the value.',
  },
  schema_not_supported: {
    statuses: [422],
    meaning:
      'The JSON Schema of the revision was accepted by an earlier version, and cannot be used any more: publish a new one.',
  },
  too_large: {
    statuses: [422],
    meaning: 'What an operation would send, with all its values put in, is over 1 MiB.',
  },
  internal_error: { statuses: [500], meaning: 'The server could not complete the request; quote the request id.' },
  store_unavailable: { statuses: [503], meaning: 'The store is away, locked or full; nothing was changed.' },
  service_unavailable: { statuses: [503], meaning: 'The server is starting, shutting down or out of capacity.' },
} as const satisfies Record<string, { statuses: readonly number[]; meaning: string }>

export type ErrorCode = keyof typeof errorCatalogue
