/** The tables as Kysely knows them. Instants are epoch milliseconds; JSON is text. The migrations say the rest. */
export interface OrganizationRow {
  id: string
  slug: string
  name: string
  kind: 'team' | 'personal'
  status: 'active' | 'deleting'
  created_at: number
  updated_at: number
}

export interface UserRow {
  id: string
  email: string
  name: string
  password_hash: string
  created_at: number
}

export interface MembershipRow {
  organization_id: string
  user_id: string
  role: 'owner' | 'admin' | 'member'
  created_at: number
}

export interface ApiKeyRow {
  id: string
  organization_id: string
  name: string
  prefix: string
  secret_hash: string
  operations: string
  project_id: string | null
  environment_id: string | null
  agent_id: string | null
  created_by: string
  status: 'active' | 'revoked'
  expires_at: number
  last_used_at: number | null
  created_at: number
}

/** An actor's snapshot lives in its resource's own row: `state`, `version`, `machine_version`, `context`. */
export interface RunRow {
  id: string
  organization_id: string
  project_id: string | null
  environment_id: string | null
  deployment_id: string | null
  agent_id: string
  agent_revision_id: string
  agent_job_id: string | null
  created_by_type: string
  created_by_id: string
  subject_user_id: string | null
  state: string
  version: number
  machine_version: string
  context: string
  /** Provider, model, reasoning budget and whose credential: JSON. */
  binding: string
  input_digest: string
  output_digest: string | null
  runtime_version: string
  retention_expires_at: number
  available_at: number
  last_activity_kind: string
  last_activity_at: number
  created_at: number
  updated_at: number
}

/** What started a chain of attempts: the start's input, or a continue's. */
export interface RunInputRow {
  run_id: string
  chain: number
  /** JSON: query, contents, tool results. */
  body: string
  created_at: number
}

/** The journal of every actor. */
export interface TransitionRow {
  kind: string
  actor_id: string
  sequence: number
  from_state: string | null
  to_state: string
  event: string
  by_type: string
  by_id: string
  attempt: number
  reason: string | null
  at: number
  /** Its number in the resource's own stream of events, where there is one. */
  stream_sequence: number | null
}

export interface TimerRow {
  kind: string
  actor_id: string
  name: string
  due_at: number
}

export interface EffectRow {
  id: string
  kind: string
  actor_id: string
  name: string
  params: string
  due_at: number
  attempts: number
}

/** Stream events of a run, one row per unit of work: frames `first_sequence` to `last_sequence`. */
export interface RunEventsRow {
  run_id: string
  first_sequence: number
  last_sequence: number
  frames: string
}

export interface AgentStepRow {
  agent_step_id: number
  run_id: string
  parent_agent_step_id: number | null
  kind: 'agent' | 'model' | 'tool' | 'delegate'
  name: string
  status: 'running' | 'waiting' | 'completed' | 'failed' | 'canceled'
  attempt: number
  agent: string
  execution: string
  token_usage: string
  input: string | null
  output: string | null
  error: string | null
  last_checkpoint_id: number | null
  started_at: number
  ended_at: number | null
  created_at: number
  updated_at: number
}

export interface CheckpointRow {
  checkpoint_id: number
  run_id: string
  agent_step_id: number
  attempt: number
  sequence: number
  kind: 'step' | 'suspended' | 'final'
  digest: string
  size_bytes: number
  /** The checkpoint whose messages this one goes on from; null when it holds all of them. */
  base_checkpoint_id: number | null
  /** JSON: the messages after those of the base. */
  messages: string
  message_count: number
  /** JSON: the rest of the runtime checkpoint. */
  remainder: string
  created_at: number
}

/** A result that came from outside for a call that a run waits for. */
export interface CallResultRow {
  run_id: string
  tool_call_id: string
  /** JSON: `{result}` or `{error}`. */
  outcome: string
  created_at: number
}

export interface IdempotencyRow {
  scope: string
  fingerprint: string
  status: number
  body: string
  created_at: number
  expires_at: number
}

/** Number ranges that processes have taken, for integer ids. */
export interface CounterRow {
  name: string
  next: number
}

export interface SystemAgentRow {
  agent_id: string
  agent_revision_id: string
  number: number
  content_digest: string
  content: string
  created_at: number
}

/** What is true of the whole installation; one row. */
export interface InstallationRow {
  id: number
  first_organization_id: string
}

/** A sign-in; the id is the hash of the cookie's value. */
export interface SessionRow {
  id: string
  user_id: string
  created_at: number
  last_seen_at: number
  expires_at: number
}

export interface InvitationRow {
  id: string
  organization_id: string
  email: string
  role: MembershipRow['role']
  token_hash: string
  invited_by: string
  created_at: number
  expires_at: number
}

export interface UserGroupRow {
  id: string
  organization_id: string
  name: string
  created_at: number
  updated_at: number
}

export interface UserGroupMemberRow {
  user_group_id: string
  organization_id: string
  user_id: string
  created_at: number
}

export interface ProjectRow {
  id: string
  organization_id: string
  slug: string
  name: string
  template_id: string | null
  status: 'active' | 'paused' | 'deleting'
  created_at: number
  updated_at: number
}

/** What a user or a group (exactly one of them) may do in a Project. */
export interface AccessGrantRow {
  id: string
  organization_id: string
  project_id: string
  user_id: string | null
  user_group_id: string | null
  /** JSON: permission names. */
  permissions: string
  created_by_type: 'user' | 'apiKey'
  created_by_id: string
  created_at: number
}

export interface EnvironmentRow {
  id: string
  organization_id: string
  project_id: string
  kind: 'development' | 'preview' | 'production'
  name: string
  state: string
  version: number
  machine_version: string
  context: string
  generation: number
  head_revision_id: string
  head_number: number
  active_deployment_id: string | null
  created_at: number
  updated_at: number
}

export interface ConfigurationRevisionRow {
  id: string
  organization_id: string
  environment_id: string
  number: number
  parent_id: string | null
  /** JSON: variables, connections, providerSettings. */
  content: string
  digest: string
  description: string | null
  created_by_type: 'user' | 'apiKey'
  created_by_id: string
  created_at: number
}

export interface AgentRow {
  id: string
  organization_id: string
  project_id: string
  slug: string
  name: string
  description: string | null
  status: 'active' | 'deleting'
  latest_revision_id: string | null
  created_at: number
  updated_at: number
}

export interface AgentRevisionRow {
  id: string
  organization_id: string
  agent_id: string
  number: number
  /** JSON: AgentContent, RFC 8785. */
  content: string
  content_digest: string
  /** JSON: operation names. */
  granted_operations: string
  created_by_type: 'user' | 'apiKey'
  created_by_id: string
  created_at: number
}

export interface AuditEventRow {
  organization_id: string
  id: string
  actor_type: 'user' | 'apiKey'
  actor_id: string
  ip: string | null
  operation: string
  resource_type: string
  resource_id: string | null
  outcome: 'allowed' | 'denied' | 'failed'
  request_id: string
  /** JSON: field names. */
  changed: string
  at: number
}

/** The actor that removes an organization, a Project or an Agent; the id is the target's. */
export interface DeletionRow {
  id: string
  target: 'organization' | 'project' | 'agent'
  organization_id: string
  project_id: string | null
  state: string
  version: number
  machine_version: string
  context: string
  requested_by_type: 'user' | 'apiKey'
  requested_by_id: string
  created_at: number
  updated_at: number
}

/** The key that an organization's secrets are encrypted with, itself encrypted. */
export interface DataKeyRow {
  organization_id: string
  master_key_id: string
  wrapped: string
  created_at: number
}

export interface CanaryRow {
  id: number
  master_key_id: string
  sealed: string
}

export interface DefinitionRow {
  id: string
  organization_id: string
  project_id: string
  name: string
  kind: 'operations' | 'workflow' | 'entity'
  description: string | null
  status: 'active' | 'deleting'
  latest_revision_id: string | null
  created_at: number
  updated_at: number
}

export interface DefinitionRevisionRow {
  id: string
  organization_id: string
  definition_id: string
  number: number
  /** JSON: DefinitionSource, RFC 8785. */
  source: string
  source_digest: string
  created_by_type: 'user' | 'apiKey'
  created_by_id: string
  created_at: number
}

export interface ReleaseRow {
  id: string
  organization_id: string
  project_id: string
  number: number
  /** JSON: agentId, agentRevisionId. */
  agents: string
  /** JSON: definitionId, definitionRevisionId. */
  definitions: string
  /** JSON: agentId, name, delegateAgentId. */
  delegate_attachments: string
  digest: string
  description: string | null
  created_by_type: 'user' | 'apiKey'
  created_by_id: string
  created_at: number
}

/** What a Release pins, found by what is pinned: an Agent or a Definition. */
export interface ReleasePinRow {
  resource_id: string
  release_id: string
  revision_id: string
}

export interface ProviderCredentialRow {
  id: string
  organization_id: string
  label: string
  /** A vendor, or `custom`. */
  provider: string
  credential_type: 'api_key' | 'oauth' | 'service_account' | 'connection_string'
  status: 'active' | 'disabled' | 'deleting'
  expires_at: number | null
  current_version: number
  created_at: number
  updated_at: number
}

export interface ProviderCredentialVersionRow {
  credential_id: string
  version: number
  sealed: string
  created_at: number
}

export interface OrganizationVariableRow {
  id: string
  organization_id: string
  name: string
  description: string | null
  status: 'active' | 'disabled'
  version: number
  created_at: number
  updated_at: number
}

export interface OrganizationVariableVersionRow {
  variable_id: string
  version: number
  sealed: string
  digest: string
  length: number
  created_at: number
}

/** A variable of an Environment; `agent_id` and `binding_key` go together. */
export interface VariableRow {
  id: string
  organization_id: string
  environment_id: string
  name: string
  description: string | null
  status: 'active' | 'disabled'
  version: number
  agent_id: string | null
  binding_key: string | null
  created_at: number
  updated_at: number
}

/** Either a value of its own (`sealed`), or a version of an organization variable. */
export interface VariableVersionRow {
  variable_id: string
  version: number
  sealed: string | null
  source_variable_id: string | null
  source_version: number | null
  digest: string
  length: number
  created_at: number
}

export interface ConnectionRow {
  id: string
  organization_id: string
  environment_id: string
  name: string
  kind: 'http' | 'database' | 'object_storage' | 'messaging' | 'custom'
  status: 'active' | 'disabled' | 'deleting'
  status_reason: string | null
  agent_id: string | null
  binding_key: string | null
  current_version_id: string
  created_at: number
  updated_at: number
}

export interface ConnectionVersionRow {
  id: string
  organization_id: string
  connection_id: string
  number: number
  /** JSON. */
  settings: string
  provider_credential_id: string | null
  provider_credential_version: number | null
  created_at: number
}

export interface ProviderSettingRow {
  setting_id: number
  organization_id: string
  environment_id: string
  agent_id: string
  provider: string | null
  model: string | null
  /** JSON. */
  settings: string
  provider_credential_id: string | null
  provider_credential_version: number | null
  created_at: number
  updated_at: number
}

export interface DeploymentRow {
  id: string
  organization_id: string
  project_id: string
  environment_id: string
  release_id: string
  configuration_revision_id: string
  state: string
  version: number
  machine_version: string
  context: string
  digest: string | null
  created_by_type: 'user' | 'apiKey'
  created_by_id: string
  created_at: number
  updated_at: number
  ready_at: number | null
}

/** Everything that a run needs of its Deployment. */
export interface DeploymentBundleRow {
  deployment_id: string
  /** JSON. */
  bundle: string
  digest: string
  created_at: number
}

export interface ActivationRow {
  id: string
  organization_id: string
  environment_id: string
  deployment_id: string
  previous_deployment_id: string | null
  generation: number
  created_by_type: 'user' | 'apiKey'
  created_by_id: string
  created_at: number
}

/** One event of an Environment's history. */
export interface EnvironmentEventRow {
  environment_id: string
  sequence: number
  id: string
  type: string
  /** JSON: the Event as it is shown and delivered. */
  body: string
  at: number
}

export interface EnvironmentSequenceRow {
  environment_id: string
  sequence: number
}

export interface Tables {
  organizations: OrganizationRow
  users: UserRow
  memberships: MembershipRow
  api_keys: ApiKeyRow
  runs: RunRow
  run_inputs: RunInputRow
  transitions: TransitionRow
  timers: TimerRow
  effects: EffectRow
  run_events: RunEventsRow
  agent_steps: AgentStepRow
  checkpoints: CheckpointRow
  call_results: CallResultRow
  idempotency_keys: IdempotencyRow
  counters: CounterRow
  system_agent_revisions: SystemAgentRow
  installation: InstallationRow
  sessions: SessionRow
  invitations: InvitationRow
  user_groups: UserGroupRow
  user_group_members: UserGroupMemberRow
  projects: ProjectRow
  access_grants: AccessGrantRow
  environments: EnvironmentRow
  configuration_revisions: ConfigurationRevisionRow
  agents: AgentRow
  agent_revisions: AgentRevisionRow
  audit_events: AuditEventRow
  deletions: DeletionRow
  definitions: DefinitionRow
  definition_revisions: DefinitionRevisionRow
  releases: ReleaseRow
  release_pins: ReleasePinRow
  provider_credentials: ProviderCredentialRow
  provider_credential_versions: ProviderCredentialVersionRow
  organization_variables: OrganizationVariableRow
  organization_variable_versions: OrganizationVariableVersionRow
  variables: VariableRow
  variable_versions: VariableVersionRow
  connections: ConnectionRow
  connection_versions: ConnectionVersionRow
  provider_settings: ProviderSettingRow
  deployments: DeploymentRow
  deployment_bundles: DeploymentBundleRow
  activations: ActivationRow
  environment_events: EnvironmentEventRow
  environment_sequences: EnvironmentSequenceRow
  data_keys: DataKeyRow
  canary: CanaryRow
}
