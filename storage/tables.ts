/** The tables as Kysely knows them. Instants are epoch milliseconds; JSON is text. The migrations say the rest. */
import type {
  ConfigurationRevisionRow,
  ConnectionRow,
  ConnectionVersionRow,
  OrganizationVariableRow,
  OrganizationVariableVersionRow,
  ProviderCredentialRow,
  ProviderCredentialVersionRow,
  ProviderSettingRow,
  VariableRow,
  VariableVersionRow,
} from './tables/configuration.ts'
import type {
  ActivationRow,
  DeploymentBundleRow,
  DeploymentRow,
  EnvironmentEventRow,
  EnvironmentSequenceRow,
} from './tables/delivery.ts'
import type {
  AgentRevisionRow,
  AgentRow,
  DefinitionRevisionRow,
  DefinitionRow,
  EnvironmentRow,
  ProjectRow,
  ReleasePinRow,
  ReleaseRow,
  SystemAgentRow,
} from './tables/projects.ts'
import type {
  AgentStepRow,
  CallResultRow,
  CheckpointRow,
  CounterRow,
  EffectRow,
  IdempotencyRow,
  RunEventsRow,
  RunInputRow,
  RunRow,
  TimerRow,
  TransitionRow,
} from './tables/runs.ts'
import type {
  AccessGrantRow,
  ApiKeyRow,
  AuditEventRow,
  CanaryRow,
  DataKeyRow,
  DeletionRow,
  InstallationRow,
  InvitationRow,
  MembershipRow,
  OrganizationRow,
  SessionRow,
  UserGroupMemberRow,
  UserGroupRow,
  UserRow,
} from './tables/tenancy.ts'

export type * from './tables/configuration.ts'
export type * from './tables/delivery.ts'
export type * from './tables/projects.ts'
export type * from './tables/runs.ts'
export type * from './tables/tenancy.ts'

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
