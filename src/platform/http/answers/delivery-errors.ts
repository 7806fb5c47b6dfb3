/** Error codes of delivery: credentials, Connections, integrations, Environments, Deployments. */
export const deliveryErrors = {
  credential_in_use: {
    statuses: [409],
    meaning: 'An active Deployment pins the credential; `details.dependents` lists the first ones.',
  },
  variable_in_use: {
    statuses: [409],
    meaning:
      'An active Deployment pins the variable, or a version of another variable has it as its source (`details.dependents`).',
  },
  integration_not_found: { statuses: [404], meaning: 'The organization has not registered a client for the preset.' },
  integration_not_verified: {
    statuses: [400],
    meaning: 'The provider rejected the client of the organization when it was last verified.',
  },
  invalid_return_to: { statuses: [422], meaning: 'The flow may not return to this address.' },
  binding_taken: { statuses: [422], meaning: 'Another Connection is already bound to the Agent under this key.' },
  connection_retained: {
    statuses: [409],
    meaning:
      'A Configuration Revision, which is immutable, contains the Connection; `details.dependents` names the newest one.',
  },
  setting_exists: { statuses: [409], meaning: 'The Agent already has a provider setting in the Environment.' },
  integration_exists: {
    statuses: [400],
    meaning: 'The organization has already registered a client for this preset; rotate or delete it.',
  },
  integration_invalid_client: {
    statuses: [400],
    meaning: 'The provider does not know the client, or its secret is wrong. Nothing was saved.',
  },
  integration_redirect_uri_mismatch: {
    statuses: [400],
    meaning: "The preset's redirect URI is not registered for the client at the provider. Nothing was saved.",
  },
  integration_unexpected_response: {
    statuses: [400],
    meaning:
      'The answer of the provider does not confirm that it knows the client: see `details.providerError` and ' +
      '`details.httpStatus`. Nothing was saved.',
  },
  preset_removed: {
    statuses: [400],
    meaning: 'The preset was removed from this server; the integration can only be viewed and deleted.',
  },
  provider_rate_limited: {
    statuses: [429],
    meaning: 'The provider is rate limiting requests; nothing was changed. `Retry-After` says when to try again.',
  },
  provider_unavailable: {
    statuses: [503],
    meaning: 'The provider cannot be reached; nothing was changed. `Retry-After` says when to try again.',
  },
  definition_in_use: {
    statuses: [409],
    meaning:
      'A Release pins the Definition: deletion is refused for Releases of active Deployments, renaming for any Release.',
  },
  unresolved_reference: {
    statuses: [422],
    meaning: 'The Release contains references to resources that it does not include; `details.issues` lists them.',
  },
  delegate_cycle: {
    statuses: [422],
    meaning: 'Agents of the Release delegate to each other in a cycle; `details.issues` lists each cycle.',
  },
  run_busy: {
    statuses: [409],
    meaning:
      'The run of the conversation is active: `details.agentRunId`, `details.currentState`. Wait, or send `ifBusy`.',
  },
  project_paused: { statuses: [409], meaning: 'The Project is paused and admits no new work.' },
  environment_not_active: {
    statuses: [409],
    meaning: 'The Environment must be `active`; `details.currentState` is its current lifecycle.',
  },
  configuration_head_mismatch: {
    statuses: [409],
    meaning: 'The head is now another Configuration Revision: `details.currentHeadRevisionId`.',
  },
  deployment_not_ready: {
    statuses: [409],
    meaning:
      'The Deployment cannot be activated: `details.currentState` is not `ready`, or `details.deleted` names what was deleted.',
  },
  generation_mismatch: {
    statuses: [409],
    meaning: 'The Environment is now at another generation: `details.currentGeneration`.',
  },
  apply_in_progress: {
    statuses: [409],
    meaning: 'Another Apply of the Environment is in progress (`details.applyId`); wait until it ends, or cancel it.',
  },
  plan_has_issues: {
    statuses: [422],
    meaning: 'The plan cannot be carried out: `details.issues` has all problems, each with its path in the manifest.',
  },
  plan_changed: {
    statuses: [409],
    meaning: 'The plan differs from the expected one: `details.planDigest`; plan again and look at the changes.',
  },
  recovery_in_progress: {
    statuses: [409],
    meaning: 'A recovery of the webhook is already running; wait until it ends, or cancel it.',
  },
  secret_rotation_limit: {
    statuses: [400],
    meaning: 'Five earlier signing secrets are still valid; the oldest expires within 24 hours.',
  },
} as const satisfies Record<string, { statuses: readonly number[]; meaning: string }>
