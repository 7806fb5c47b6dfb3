/** The operations of the API, as methods of resources. Generated from the API document by `bun sdk/generate.ts`: change nothing here. */

import type { List } from '../client/list.ts'
import type { RequestOptions } from '../client/options.ts'
import { type Call, resourceOf } from '../client/resource.ts'
import type { StreamEvent } from '../client/stream-event.ts'
import { operations } from './operations.ts'
import type {
  AcceptedEvents,
  AccessGrant,
  AccessGrantId,
  AccountAddress,
  Activation,
  ActivationId,
  Actor,
  ActorSimulationRequest,
  ActorSummary,
  ActorVerification,
  Agent,
  AgentChanges,
  AgentId,
  AgentJob,
  AgentJobChanges,
  AgentJobId,
  AgentJobRun,
  AgentPresentation,
  AgentRevision,
  AgentRevisionId,
  AgentRevisionPreview,
  AgentRun,
  AgentRunContinuation,
  AgentRunId,
  AgentStep,
  AgentStepEnd,
  AgentStepPage,
  AlertIncident,
  AlertRule,
  AlertRuleChanges,
  AlertRuleId,
  AlertRuleNow,
  AlertTest,
  Alive,
  ApiKey,
  ApiKeyChanges,
  ApiKeyId,
  ApiKeyRotation,
  Apply,
  ApplyId,
  ApplyPlan,
  ApprovalRequest,
  AttemptEvents,
  AttemptId,
  AttemptModelCall,
  AttemptOperationCall,
  AttemptOperationOutcome,
  AttemptReport,
  AuditEvent,
  BillingRedirect,
  BindingHealth,
  BulkAction,
  BulkActionId,
  Checkout,
  Checkpoint,
  ConfigurationRevision,
  ConfigurationRevisionId,
  Connection,
  ConnectionChanges,
  ConnectionId,
  ConnectionPreset,
  CostShare,
  CreatedApiKey,
  CreatedRunnerToken,
  Decision,
  Definition,
  DefinitionChanges,
  DefinitionId,
  DefinitionRevision,
  DefinitionRevisionId,
  DefinitionRevisionPreview,
  DelegateResult,
  DeployedToolsAnswer,
  Deployment,
  DeploymentDiff,
  DeploymentId,
  DeviceApproval,
  DeviceAuthorization,
  DeviceCode,
  EmbedTicket,
  Entity,
  EntityId,
  Environment,
  EnvironmentChanges,
  EnvironmentId,
  Event,
  EventPreview,
  EventPreviewResult,
  EventType,
  Heartbeat,
  HistoryPagination,
  Import,
  InboxItem,
  Integration,
  IntegrationChanges,
  IntegrationId,
  IntegrationVerification,
  Invitation,
  InvitationAcceptance,
  InvitationId,
  InvitationToken,
  InvitedMember,
  InvocationResolution,
  LatestCheckpoint,
  LeaseRequest,
  LeasedAttempt,
  Machine,
  MachinePopulation,
  MachineSimulationRequest,
  MachineSummary,
  Manifest,
  McpToolListAnswer,
  Member,
  MemberChanges,
  NamedResource,
  NewAccessGrant,
  NewActivation,
  NewAgent,
  NewAgentJob,
  NewAgentRevision,
  NewAgentRun,
  NewAgentRunFork,
  NewAgentStep,
  NewAlertRule,
  NewApiKey,
  NewApply,
  NewBulkAction,
  NewCheckpoint,
  NewConfigurationRevision,
  NewConnection,
  NewDefinition,
  NewDefinitionRevision,
  NewDeployment,
  NewDeviceAuthorization,
  NewEmbedTicket,
  NewImport,
  NewIntegration,
  NewMember,
  NewOperationInvocation,
  NewOrganization,
  NewOrganizationVariable,
  NewProject,
  NewPromotion,
  NewProviderCredential,
  NewProviderCredentialVersion,
  NewProviderSetting,
  NewRelease,
  NewRollback,
  NewRunnerPool,
  NewRunnerToken,
  NewToolCall,
  NewUserGroupMember,
  NewVariable,
  NewWebhook,
  NewWebhookRecovery,
  NewWorkflowEvent,
  NewWorkflowRun,
  OperationApproval,
  OperationApprovalId,
  OperationInvocation,
  OperationInvocationId,
  Organization,
  OrganizationChanges,
  OrganizationVariable,
  OrganizationVariableChanges,
  OwnPermissions,
  OwnSession,
  Pagination,
  PasswordChange,
  PasswordReset,
  PasswordResetOrder,
  PasswordResetOrdered,
  PendingDeviceAuthorization,
  Plan,
  PlanRequest,
  PortalVisit,
  Process,
  Project,
  ProjectChanges,
  ProjectId,
  ProlongedLease,
  ProviderCredential,
  ProviderCredentialChanges,
  ProviderCredentialId,
  ProviderCredentialUse,
  ProviderSetting,
  ProviderSettingChanges,
  Readiness,
  Rebaseline,
  RecordedEventKind,
  Release,
  ReleaseDiff,
  ReleaseId,
  ResourceFound,
  RotatedApiKey,
  RunLogLine,
  RunTransition,
  RunnerPool,
  RunnerPoolChanges,
  RunnerPoolId,
  RunnerToken,
  RunnerTokenId,
  RunnerTokenRotation,
  Session,
  SessionId,
  SignIn,
  Simulation,
  StripeReceipt,
  Subscription,
  SystemAgent,
  SystemAgentChanges,
  Template,
  TemplateId,
  Timestamp,
  ToolCall,
  Transition,
  UnknownResolution,
  UsageShare,
  UserGroup,
  UserGroupFields,
  UserGroupId,
  UserGroupMember,
  UserId,
  Variable,
  VariableChanges,
  VariableId,
  Webhook,
  WebhookChanges,
  WebhookDelivery,
  WebhookDeliveryId,
  WebhookDeliveryStatistics,
  WebhookId,
  WebhookRecovery,
  WebhookRecoveryId,
  WebhookWithSecret,
  WorkerAnswer,
  WorkerAnswerTaken,
  WorkerAnswers,
  WorkerAnswersTakenAnswer,
  WorkerHeartbeat,
  WorkerHeartbeatAnswer,
  WorkerLeaseRequest,
  WorkerLeases,
  Workers,
  WorkflowEvent,
  WorkflowRun,
  WorkflowRunId,
  WorkflowRunSummary,
} from './schemas.ts'

/** What `server.listProcesses` takes. */
export interface ListProcessesInput {
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
}

/** What `runs.list` takes. */
export interface ListAgentRunsInput {
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
  /** The sort key. `endedAt`: only runs that have ended. */
  sort?: 'createdAt' | 'updatedAt' | 'endedAt'
  /** Which way. */
  order?: 'asc' | 'desc'
  /** Runs of this Project. */
  projectId?: ProjectId
  /** Runs in this Environment. */
  environmentId?: EnvironmentId
  /** Runs of this agent. */
  agentId?: string
  /** Runs started by this job. */
  agentJobId?: AgentJobId
  /** Runs started by this principal, by id. */
  createdBy?: string
  /** A key of your own for the conversation: 1 to 128 printable characters. */
  threadKey?: string
  /** Forks of this run. */
  forkedFrom?: AgentRunId
  /** Runs in these states; comma-separated or repeated. */
  states?: ('queued' | 'acquiring' | 'starting' | 'running' | 'awaitingToolResult' | 'awaitingDelegateResult' | 'canceling' | 'completed' | 'failed' | 'canceled' | 'expired')[]
  /** Those of these runs that pass the other filters, in one answer; comma-separated or repeated. */
  ids?: (AgentRunId)[]
  /** Runs whose first 200 characters have all these words, whatever their case. One request looks at 20,000 runs (of each state and place asked for): a page may be short, or empty, and `nextCursor` searches on. Requires the permission `agent-runs:steps:get`. */
  search?: string
  /** Runs created at this time or later. In the order of creation. */
  since?: Timestamp
  /** Runs created before this time. In the order of creation. */
  until?: Timestamp
  /** Runs that ended at this time or later. With `sort=endedAt`, by place and by states in which a run ends. */
  endedSince?: Timestamp
  /** Runs that ended before this time. As `endedSince`. */
  endedUntil?: Timestamp
  /** `summary` adds how each run begins, its model and its token usage. */
  include?: ('summary')[]
}

/** What `runs.start` takes. */
export type StartAgentRunInput = {
  /** Seconds to wait for the run to end or to wait for input; for a message that is queued, until its own turn has ended. After that the current state is returned. */
  waitSeconds?: number
  /** `output` adds the answer; requires the permission `agent-runs:steps:get`. */
  include?: ('output')[]
} & NewAgentRun

/** What `runs.get` takes. */
export interface GetAgentRunInput {
  /** The id of one `AgentRun`: `run_…` */
  agentRunId: AgentRunId
  /** Seconds to wait for the run to end or to wait for input; for a message that is queued, until its own turn has ended. After that the current state is returned. */
  waitSeconds?: number
  /** `output` adds the answer; requires the permission `agent-runs:steps:get`. */
  include?: ('output')[]
}

/** What `runs.cancel` takes. */
export interface CancelAgentRunInput {
  /** The id of one `AgentRun`: `run_…` */
  agentRunId: AgentRunId
  /** Whether the run is canceled at once, without the final report of its runner. The attempt may still be working on its current step; all further reports of it are refused. */
  force?: boolean
}

/** What `runs.continue` takes. */
export type ContinueAgentRunInput = {
  /** The id of one `AgentRun`: `run_…` */
  agentRunId: AgentRunId
} & AgentRunContinuation

/** What `runs.startNow` takes. */
export interface StartAgentRunNowInput {
  /** The id of one `AgentRun`: `run_…` */
  agentRunId: AgentRunId
}

/** What `runs.giveDelegateResult` takes. */
export type GiveDelegateResultInput = {
  /** The id of one `AgentRun`: `run_…` */
  agentRunId: AgentRunId
} & DelegateResult

/** What `runs.fork` takes. */
export type ForkAgentRunInput = {
  /** The id of one `AgentRun`: `run_…` */
  agentRunId: AgentRunId
} & NewAgentRunFork

/** What `runs.streamChanges` takes. */
export interface StreamAgentRunChangesInput {
  /** Runs of this Project. */
  projectId?: ProjectId
  /** Runs in this Environment. */
  environmentId?: EnvironmentId
  /** Runs of this agent. */
  agentId?: string
}

/** What `runs.getStatistics` takes. */
export interface GetAgentRunStatisticsInput {
  /** Runs of this Project. */
  projectId?: ProjectId
  /** Runs in this Environment. */
  environmentId?: EnvironmentId
  /** Adds `items`: what each Agent, model, API key or Project has cost. */
  by?: 'agent' | 'model' | 'apiKey' | 'project'
  /** The start of the window, at most 400 days before its end. Default: 24 hours before the end. */
  from?: Timestamp
  /** The end of the window. Default: now. */
  to?: Timestamp
  /** The interval length; at most 400 intervals. Default: hours up to 7 days, then days. */
  interval?: 'hour' | 'day'
}

/** What `runs.listTransitions` takes. */
export interface ListAgentRunTransitionsInput {
  /** The id of one `AgentRun`: `run_…` */
  agentRunId: AgentRunId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
}

/** What `runs.listSteps` takes. */
export interface ListAgentStepsInput {
  /** The id of one `AgentRun`: `run_…` */
  agentRunId: AgentRunId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
  /** The sort key. */
  sort?: 'createdAt' | 'updatedAt'
  /** Which way. */
  order?: 'asc' | 'desc'
  /** 0: all steps, flat. 1: root steps. More: as many levels, nested in `childAgentSteps`; below the roots a page shows a mebibyte of input and output at most, and the steps beyond that are `abridged`. */
  depth?: number
}

/** What `runs.getStep` takes. */
export interface GetAgentStepInput {
  /** The id of one `AgentRun`: `run_…` */
  agentRunId: AgentRunId
  /** The step. */
  agentStepId: number
}

/** What `runs.getCheckpoint` takes. */
export interface GetCheckpointInput {
  /** The id of one `AgentRun`: `run_…` */
  agentRunId: AgentRunId
  /** The step. */
  agentStepId: number
  /** The checkpoint. */
  checkpointId: number
}

/** What `runs.listCheckpoints` takes. */
export interface ListCheckpointsInput {
  /** The id of one `AgentRun`: `run_…` */
  agentRunId: AgentRunId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
}

/** What `runs.getLatestCheckpoint` takes. */
export interface GetLatestCheckpointInput {
  /** The id of one `AgentRun`: `run_…` */
  agentRunId: AgentRunId
}

/** What `runs.stream` takes. */
export interface StreamAgentRunInput {
  /** The id of one `AgentRun`: `run_…` */
  agentRunId: AgentRunId
  /** The last id that the client received; 0 for the whole stream. `Last-Event-ID` wins over it. */
  after?: number
  /** Only these events. */
  types?: ('run.snapshot' | 'run.transition' | 'step.started' | 'step.delta' | 'step.completed' | 'step.failed' | 'checkpoint.created' | 'input.requested' | 'budget.warning' | 'end')[]
  /** 1: events of root steps only. 0 and more than 1: events of all steps. */
  depth?: number
}

/** What `runs.listLogs` takes. */
export interface ListAgentRunLogsInput {
  /** The id of one `AgentRun`: `run_…` */
  agentRunId: AgentRunId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
  /** A stream of server-sent events `line` in place of a page, until the run has ended. */
  follow?: boolean
  /** The last number that the client has; default 0. A cursor goes before it. */
  after?: number
  /** Begin this many lines before the end. Not with `cursor`, `after` or `follow`. */
  last?: number
}

/** What `runs.createBulkAction` takes. */
export type CreateBulkActionInput = NewBulkAction

/** What `runs.getBulkAction` takes. */
export interface GetBulkActionInput {
  /** The id of one `BulkAction`: `blk_…` */
  bulkActionId: BulkActionId
}

/** What `runs.cancelBulkAction` takes. */
export interface CancelBulkActionInput {
  /** The id of one `BulkAction`: `blk_…` */
  bulkActionId: BulkActionId
}

/** What `runner.callOperation` takes. */
export type CallAttemptOperationInput = {
  /** The id of one `AgentRun`: `run_…` */
  agentRunId: AgentRunId
  /** The id of one `Attempt`: `att_…` */
  attemptId: AttemptId
} & AttemptOperationCall

/** What `runner.streamModel` takes. */
export type StreamAttemptModelInput = {
  /** The id of one `AgentRun`: `run_…` */
  agentRunId: AgentRunId
  /** The id of one `Attempt`: `att_…` */
  attemptId: AttemptId
} & AttemptModelCall

/** What `runner.lease` takes. */
export type LeaseAttemptInput = LeaseRequest

/** What `runner.boot` takes. */
export interface BootAttemptInput {
  /** The id of one `AgentRun`: `run_…` */
  agentRunId: AgentRunId
  /** The id of one `Attempt`: `att_…` */
  attemptId: AttemptId
}

/** What `runner.beat` takes. */
export type BeatAttemptInput = {
  /** The id of one `AgentRun`: `run_…` */
  agentRunId: AgentRunId
  /** The id of one `Attempt`: `att_…` */
  attemptId: AttemptId
} & Heartbeat

/** What `runner.reportEvents` takes. */
export type ReportAttemptEventsInput = {
  /** The id of one `AgentRun`: `run_…` */
  agentRunId: AgentRunId
  /** The id of one `Attempt`: `att_…` */
  attemptId: AttemptId
} & AttemptEvents

/** What `runner.complete` takes. */
export type CompleteAttemptInput = {
  /** The id of one `AgentRun`: `run_…` */
  agentRunId: AgentRunId
  /** The id of one `Attempt`: `att_…` */
  attemptId: AttemptId
} & AttemptReport

/** What `runner.startStep` takes. */
export type StartAgentStepInput = {
  /** The id of one `AgentRun`: `run_…` */
  agentRunId: AgentRunId
  /** The id of one `Attempt`: `att_…` */
  attemptId: AttemptId
} & NewAgentStep

/** What `runner.endStep` takes. */
export type EndAgentStepInput = {
  /** The id of one `AgentRun`: `run_…` */
  agentRunId: AgentRunId
  /** The id of one `Attempt`: `att_…` */
  attemptId: AttemptId
  /** The step. */
  agentStepId: number
} & AgentStepEnd

/** What `runner.writeCheckpoint` takes. */
export type WriteCheckpointInput = {
  /** The id of one `AgentRun`: `run_…` */
  agentRunId: AgentRunId
  /** The id of one `Attempt`: `att_…` */
  attemptId: AttemptId
  /** The step. */
  agentStepId: number
} & NewCheckpoint

/** What `organizations.list` takes. */
export interface ListOrganizationsInput {
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
  /** Only the item with exactly this slug. */
  slug?: string
}

/** What `organizations.create` takes. */
export type CreateOrganizationInput = NewOrganization

/** What `organizations.get` takes. */
export interface GetOrganizationInput {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
}

/** What `organizations.update` takes. */
export type UpdateOrganizationInput = {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
} & OrganizationChanges

/** What `organizations.delete` takes. */
export interface DeleteOrganizationInput {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
}

/** What `organizations.getOwnPermissions` takes. */
export interface GetOwnPermissionsInput {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** Adds what access grants give in this Project. */
  projectId?: ProjectId
}

/** What `organizations.listMembers` takes. */
export interface ListMembersInput {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
  /** Items that have all these words in their name or address, whatever their case. One request looks at 5,000 items: a page may be short, or empty, and `nextCursor` searches on. */
  search?: string
}

/** What `organizations.addMember` takes. */
export type AddMemberInput = {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
} & NewMember

/** What `organizations.changeMemberRole` takes. */
export type ChangeMemberRoleInput = {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** The id of one `User`: `usr_…` */
  userId: UserId
} & MemberChanges

/** What `organizations.removeMember` takes. */
export interface RemoveMemberInput {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** The id of one `User`: `usr_…` */
  userId: UserId
}

/** What `organizations.endMemberSessions` takes. */
export interface EndMemberSessionsInput {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** The id of one `User`: `usr_…` */
  userId: UserId
}

/** What `organizations.listUserGroups` takes. */
export interface ListUserGroupsInput {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
}

/** What `organizations.createUserGroup` takes. */
export type CreateUserGroupInput = {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
} & UserGroupFields

/** What `organizations.getUserGroup` takes. */
export interface GetUserGroupInput {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** The id of one `UserGroup`: `ugr_…` */
  userGroupId: UserGroupId
}

/** What `organizations.updateUserGroup` takes. */
export type UpdateUserGroupInput = {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** The id of one `UserGroup`: `ugr_…` */
  userGroupId: UserGroupId
} & UserGroupFields

/** What `organizations.deleteUserGroup` takes. */
export interface DeleteUserGroupInput {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** The id of one `UserGroup`: `ugr_…` */
  userGroupId: UserGroupId
}

/** What `organizations.listUserGroupMembers` takes. */
export interface ListUserGroupMembersInput {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** The id of one `UserGroup`: `ugr_…` */
  userGroupId: UserGroupId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
}

/** What `organizations.addUserGroupMember` takes. */
export type AddUserGroupMemberInput = {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** The id of one `UserGroup`: `ugr_…` */
  userGroupId: UserGroupId
} & NewUserGroupMember

/** What `organizations.removeUserGroupMember` takes. */
export interface RemoveUserGroupMemberInput {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** The id of one `UserGroup`: `ugr_…` */
  userGroupId: UserGroupId
  /** The id of one `User`: `usr_…` */
  userId: UserId
}

/** What `organizations.listAuditEvents` takes. */
export interface ListAuditEventsInput {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
  /** `runs`: starts, continues and ends of runs; `changes`: all others. */
  kind?: 'changes' | 'runs'
  /** Lines of this user or API key. */
  actorId?: string
  /** Lines of this operation, by its operation id. */
  operation?: string
  /** Lines about this type of target. */
  resourceType?: string
  /** Lines about this target. */
  resourceId?: string
  /** Lines with this outcome. */
  outcome?: 'allowed' | 'denied' | 'failed'
  /** Lines from then on. */
  since?: Timestamp
  /** Lines from before then. */
  until?: Timestamp
}

/** What `organizations.exportAuditEvents` takes. */
export interface ExportAuditEventsInput {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** A table with a heading, or a JSON object in each line. */
  format: 'csv' | 'jsonl'
  /** `runs`: starts, continues and ends of runs; `changes`: all others. */
  kind?: 'changes' | 'runs'
  /** Lines of this user or API key. */
  actorId?: string
  /** Lines of this operation, by its operation id. */
  operation?: string
  /** Lines about this type of target. */
  resourceType?: string
  /** Lines about this target. */
  resourceId?: string
  /** Lines with this outcome. */
  outcome?: 'allowed' | 'denied' | 'failed'
  /** Lines from then on. */
  since?: Timestamp
  /** Lines from before then. */
  until?: Timestamp
}

/** What `organizations.searchResources` takes. */
export interface SearchResourcesInput {
  /** Words, of which the first 4 count: each is part of the name, the slug or the kind, or of the name of the Project. Upper and lower case are the same. */
  search: string
  /** How many are answered at most. */
  limit?: number
}

/** What `organizations.findResource` takes. */
export interface FindResourceInput {
  /** The id of a Project, Environment, Agent, AgentRevision, Definition, DefinitionRevision, Release, ConfigurationRevision, Deployment, Activation, Apply, Variable, Connection, ConnectionVersion, OAuthGrant, ProviderCredential, Integration, Event, AlertRule, AlertIncident, Webhook, WebhookRecovery, WebhookDelivery, AgentRun, WorkflowRun, OperationInvocation, OperationApproval, AgentJob, Entity, ApiKey, UserGroup, AccessGrant. */
  resourceId: string
}

/** What `organizations.listInvitations` takes. */
export interface ListInvitationsInput {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
}

/** What `organizations.deleteInvitation` takes. */
export interface DeleteInvitationInput {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** The id of one `Invitation`: `ivt_…` */
  invitationId: InvitationId
}

/** What `runnerPools.list` takes. */
export interface ListRunnerPoolsInput {
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
}

/** What `runnerPools.create` takes. */
export type CreateRunnerPoolInput = NewRunnerPool

/** What `runnerPools.get` takes. */
export interface GetRunnerPoolInput {
  /** The pool. */
  poolId: RunnerPoolId
}

/** What `runnerPools.update` takes. */
export type UpdateRunnerPoolInput = {
  /** The pool. */
  poolId: RunnerPoolId
} & RunnerPoolChanges

/** What `runnerPools.delete` takes. */
export interface DeleteRunnerPoolInput {
  /** The pool. */
  poolId: RunnerPoolId
}

/** What `runnerPools.listTokens` takes. */
export interface ListRunnerTokensInput {
  /** The pool. */
  poolId: RunnerPoolId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
}

/** What `runnerPools.createToken` takes. */
export type CreateRunnerTokenInput = {
  /** The pool. */
  poolId: RunnerPoolId
} & NewRunnerToken

/** What `runnerPools.rotateToken` takes. */
export type RotateRunnerTokenInput = {
  /** The pool. */
  poolId: RunnerPoolId
  /** The token. */
  tokenId: RunnerTokenId
} & RunnerTokenRotation

/** What `runnerPools.revokeToken` takes. */
export interface RevokeRunnerTokenInput {
  /** The pool. */
  poolId: RunnerPoolId
  /** The token. */
  tokenId: RunnerTokenId
}

/** What `projects.listAccessGrants` takes. */
export interface ListAccessGrantsInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
}

/** What `projects.createAccessGrant` takes. */
export type CreateAccessGrantInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
} & NewAccessGrant

/** What `projects.deleteAccessGrant` takes. */
export interface DeleteAccessGrantInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `AccessGrant`: `grt_…` */
  grantId: AccessGrantId
}

/** What `projects.list` takes. */
export interface ListProjectsInput {
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
  /** Only the item with exactly this slug. */
  slug?: string
  /** Items that have all these words in their name or slug, whatever their case. One request looks at 5,000 items: a page may be short, or empty, and `nextCursor` searches on. */
  search?: string
}

/** What `projects.create` takes. */
export type CreateProjectInput = NewProject

/** What `projects.get` takes. */
export interface GetProjectInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
}

/** What `projects.update` takes. */
export type UpdateProjectInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
} & ProjectChanges

/** What `projects.delete` takes. */
export interface DeleteProjectInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
}

/** What `environments.list` takes. */
export interface ListEnvironmentsInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
}

/** What `environments.get` takes. */
export interface GetEnvironmentInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
}

/** What `environments.update` takes. */
export type UpdateEnvironmentInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
} & EnvironmentChanges

/** What `environments.listTransitions` takes. */
export interface ListEnvironmentTransitionsInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
}

/** What `agents.delete` takes. */
export interface DeleteAgentInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Agent`: `agt_…` */
  agentId: AgentId
}

/** What `agents.get` takes. */
export interface GetAgentInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Agent`: `agt_…` */
  agentId: AgentId
}

/** What `agents.update` takes. */
export type UpdateAgentInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Agent`: `agt_…` */
  agentId: AgentId
} & AgentChanges

/** What `agents.list` takes. */
export interface ListAgentsInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
  /** Only the item with exactly this slug. */
  slug?: string
  /** Items that have all these words in their name or slug, whatever their case. One request looks at 5,000 items: a page may be short, or empty, and `nextCursor` searches on. */
  search?: string
}

/** What `agents.create` takes. */
export type CreateAgentInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
} & NewAgent

/** What `agents.listRevisions` takes. */
export interface ListAgentRevisionsInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Agent`: `agt_…` */
  agentId: AgentId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
}

/** What `agents.createRevision` takes. */
export type CreateAgentRevisionInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Agent`: `agt_…` */
  agentId: AgentId
} & NewAgentRevision

/** What `agents.previewRevision` takes. */
export type PreviewAgentRevisionInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Agent`: `agt_…` */
  agentId: AgentId
} & NewAgentRevision

/** What `agents.getRevision` takes. */
export interface GetAgentRevisionInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Agent`: `agt_…` */
  agentId: AgentId
  /** The id of one `AgentRevision`: `agr_…` */
  revisionId: AgentRevisionId
}

/** What `agents.listSystemAgents` takes. */
export interface ListSystemAgentsInput {
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
}

/** What `agents.getSystemAgent` takes. */
export interface GetSystemAgentInput {
  /** The id of an agent of the platform (`agt_system_…`). */
  agentId: string
}

/** What `agents.updateSystemAgent` takes. */
export type UpdateSystemAgentInput = {
  /** The id of an agent of the platform (`agt_system_…`). */
  agentId: string
} & SystemAgentChanges

/** What `agents.getPresentation` takes. */
export interface GetAgentPresentationInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `Agent`: `agt_…` */
  agentId: AgentId
}

/** What `agents.listProviderSettings` takes. */
export interface ListProviderSettingsInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `Agent`: `agt_…` */
  agentId: AgentId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
}

/** What `agents.createProviderSetting` takes. */
export type CreateProviderSettingInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `Agent`: `agt_…` */
  agentId: AgentId
} & NewProviderSetting

/** What `agents.getProviderSetting` takes. */
export interface GetProviderSettingInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `Agent`: `agt_…` */
  agentId: AgentId
  /** Unique in the deployment. */
  settingId: number
}

/** What `agents.updateProviderSetting` takes. */
export type UpdateProviderSettingInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `Agent`: `agt_…` */
  agentId: AgentId
  /** Unique in the deployment. */
  settingId: number
} & ProviderSettingChanges

/** What `agents.deleteProviderSetting` takes. */
export interface DeleteProviderSettingInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `Agent`: `agt_…` */
  agentId: AgentId
  /** Unique in the deployment. */
  settingId: number
}

/** What `apiKeys.list` takes. */
export interface ListApiKeysInput {
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
}

/** What `apiKeys.create` takes. */
export type CreateApiKeyInput = NewApiKey

/** What `apiKeys.get` takes. */
export interface GetApiKeyInput {
  /** The key. */
  keyId: ApiKeyId
}

/** What `apiKeys.update` takes. */
export type UpdateApiKeyInput = {
  /** The key. */
  keyId: ApiKeyId
} & ApiKeyChanges

/** What `apiKeys.rotate` takes. */
export type RotateApiKeyInput = {
  /** The key. */
  keyId: ApiKeyId
} & ApiKeyRotation

/** What `apiKeys.revoke` takes. */
export interface RevokeApiKeyInput {
  /** The key. */
  keyId: ApiKeyId
}

/** What `apiKeys.requestDeviceAuthorization` takes. */
export type RequestDeviceAuthorizationInput = NewDeviceAuthorization

/** What `apiKeys.exchangeDeviceCode` takes. */
export type ExchangeDeviceCodeInput = DeviceCode

/** What `apiKeys.getDeviceAuthorization` takes. */
export interface GetDeviceAuthorizationInput {
  /** The code that the program shows; case, spaces and dashes do not matter. */
  userCode: string
}

/** What `apiKeys.approveDeviceAuthorization` takes. */
export type ApproveDeviceAuthorizationInput = {
  /** The code that the program shows; case, spaces and dashes do not matter. */
  userCode: string
} & DeviceApproval

/** What `apiKeys.denyDeviceAuthorization` takes. */
export interface DenyDeviceAuthorizationInput {
  /** The code that the program shows; case, spaces and dashes do not matter. */
  userCode: string
}

/** What `sessions.create` takes. */
export type CreateSessionInput = SignIn

/** What `sessions.list` takes. */
export interface ListSessionsInput {
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
}

/** What `sessions.end` takes. */
export interface EndSessionInput {
  /** One of your sessions. */
  sessionId: SessionId
}

/** What `sessions.changePassword` takes. */
export type ChangePasswordInput = PasswordChange

/** What `sessions.verifyAddress` takes. */
export interface VerifyAddressInput {
  /** The token in the mail. */
  token: string
}

/** What `sessions.requestPasswordReset` takes. */
export type RequestPasswordResetInput = PasswordResetOrder

/** What `sessions.resetPassword` takes. */
export type ResetPasswordInput = {
  /** The token in the mail. */
  token: string
} & PasswordReset

/** What `sessions.acceptInvitation` takes. */
export type AcceptInvitationInput = InvitationAcceptance

/** What `sessions.joinOrganization` takes. */
export type JoinOrganizationInput = InvitationToken

/** What `templates.search` takes. */
export interface SearchTemplatesInput {
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
  /** Words that name, description or tags hold, in any order and case. */
  query?: string
}

/** What `templates.get` takes. */
export interface GetTemplateInput {
  /** The template. */
  templateId: TemplateId
}

/** What `definitions.list` takes. */
export interface ListDefinitionsInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
  /** Only the item with exactly this name. */
  name?: string
  /** Items that have all these words in their name or kind, whatever their case. One request looks at 5,000 items: a page may be short, or empty, and `nextCursor` searches on. */
  search?: string
}

/** What `definitions.create` takes. */
export type CreateDefinitionInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
} & NewDefinition

/** What `definitions.get` takes. */
export interface GetDefinitionInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Definition`: `def_…` */
  definitionId: DefinitionId
}

/** What `definitions.update` takes. */
export type UpdateDefinitionInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Definition`: `def_…` */
  definitionId: DefinitionId
} & DefinitionChanges

/** What `definitions.delete` takes. */
export interface DeleteDefinitionInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Definition`: `def_…` */
  definitionId: DefinitionId
}

/** What `definitions.listRevisions` takes. */
export interface ListDefinitionRevisionsInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Definition`: `def_…` */
  definitionId: DefinitionId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
}

/** What `definitions.createRevision` takes. */
export type CreateDefinitionRevisionInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Definition`: `def_…` */
  definitionId: DefinitionId
} & NewDefinitionRevision

/** What `definitions.previewRevision` takes. */
export type PreviewDefinitionRevisionInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Definition`: `def_…` */
  definitionId: DefinitionId
} & NewDefinitionRevision

/** What `definitions.getRevision` takes. */
export interface GetDefinitionRevisionInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Definition`: `def_…` */
  definitionId: DefinitionId
  /** The id of one `DefinitionRevision`: `dfr_…` */
  revisionId: DefinitionRevisionId
}

/** What `definitions.getRevisionMachine` takes. */
export interface GetDefinitionRevisionMachineInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Definition`: `def_…` */
  definitionId: DefinitionId
  /** The id of one `DefinitionRevision`: `dfr_…` */
  revisionId: DefinitionRevisionId
}

/** What `definitions.simulateRevision` takes. */
export type SimulateDefinitionRevisionInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Definition`: `def_…` */
  definitionId: DefinitionId
  /** The id of one `DefinitionRevision`: `dfr_…` */
  revisionId: DefinitionRevisionId
} & MachineSimulationRequest

/** What `definitions.importOperations` takes. */
export type ImportOperationsInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Definition`: `def_…` */
  definitionId: DefinitionId
} & NewImport

/** What `deployments.listReleases` takes. */
export interface ListReleasesInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
}

/** What `deployments.createRelease` takes. */
export type CreateReleaseInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
} & NewRelease

/** What `deployments.getRelease` takes. */
export interface GetReleaseInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Release`: `rel_…` */
  releaseId: ReleaseId
}

/** What `deployments.diffRelease` takes. */
export interface DiffReleaseInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Release`: `rel_…` */
  releaseId: ReleaseId
  /** The Release of the same Project to compare with: what was before. */
  against: ReleaseId
}

/** What `deployments.listConfigurationRevisions` takes. */
export interface ListConfigurationRevisionsInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
}

/** What `deployments.createConfigurationRevision` takes. */
export type CreateConfigurationRevisionInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
} & NewConfigurationRevision

/** What `deployments.getConfigurationRevision` takes. */
export interface GetConfigurationRevisionInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `ConfigurationRevision`: `cfr_…` */
  configurationRevisionId: ConfigurationRevisionId
}

/** What `deployments.list` takes. */
export interface ListDeploymentsInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
}

/** What `deployments.create` takes. */
export type CreateDeploymentInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
} & NewDeployment

/** What `deployments.get` takes. */
export interface GetDeploymentInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `Deployment`: `dep_…` */
  deploymentId: DeploymentId
}

/** What `deployments.diff` takes. */
export interface DiffDeploymentInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `Deployment`: `dep_…` */
  deploymentId: DeploymentId
  /** The earlier Deployment of the same Environment to compare with. */
  against: DeploymentId
}

/** What `deployments.cancel` takes. */
export interface CancelDeploymentInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `Deployment`: `dep_…` */
  deploymentId: DeploymentId
}

/** What `deployments.listTransitions` takes. */
export interface ListDeploymentTransitionsInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `Deployment`: `dep_…` */
  deploymentId: DeploymentId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
}

/** What `deployments.listActivations` takes. */
export interface ListActivationsInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
}

/** What `deployments.createActivation` takes. */
export type CreateActivationInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
} & NewActivation

/** What `deployments.getActivation` takes. */
export interface GetActivationInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `Activation`: `act_…` */
  activationId: ActivationId
}

/** What `applies.plan` takes. */
export type PlanApplyInput = PlanRequest

/** What `applies.create` takes. */
export type CreateApplyInput = NewApply

/** What `applies.list` takes. */
export interface ListAppliesInput {
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
  /** Only those of this Project. */
  projectId?: ProjectId
  /** Only those of this Environment. */
  environmentId?: EnvironmentId
}

/** What `applies.get` takes. */
export interface GetApplyInput {
  /** The id of one `Apply`: `apl_…` */
  applyId: ApplyId
}

/** What `applies.cancel` takes. */
export interface CancelApplyInput {
  /** The id of one `Apply`: `apl_…` */
  applyId: ApplyId
}

/** What `applies.listTransitions` takes. */
export interface ListApplyTransitionsInput {
  /** The id of one `Apply`: `apl_…` */
  applyId: ApplyId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
}

/** What `applies.createPromotion` takes. */
export type CreatePromotionInput = NewPromotion

/** What `applies.rollBack` takes. */
export type RollBackInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
} & NewRollback

/** What `applies.getManifest` takes. */
export interface GetManifestInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The kind of the Environment. */
  environment: 'development' | 'preview' | 'production'
}

/** What `providerCredentials.list` takes. */
export interface ListProviderCredentialsInput {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** Only the item with exactly this label. */
  label?: string
}

/** What `providerCredentials.create` takes. */
export type CreateProviderCredentialInput = {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
} & NewProviderCredential

/** What `providerCredentials.get` takes. */
export interface GetProviderCredentialInput {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** The credential. */
  credentialId: ProviderCredentialId
}

/** What `providerCredentials.update` takes. */
export type UpdateProviderCredentialInput = {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** The credential. */
  credentialId: ProviderCredentialId
} & ProviderCredentialChanges

/** What `providerCredentials.delete` takes. */
export interface DeleteProviderCredentialInput {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** The credential. */
  credentialId: ProviderCredentialId
}

/** What `providerCredentials.createVersion` takes. */
export type CreateProviderCredentialVersionInput = {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** The credential. */
  credentialId: ProviderCredentialId
} & NewProviderCredentialVersion

/** What `providerCredentials.listUses` takes. */
export interface ListProviderCredentialUsesInput {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** The credential. */
  credentialId: ProviderCredentialId
}

/** What `providerCredentials.revokeVersion` takes. */
export interface RevokeProviderCredentialVersionInput {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** The credential. */
  credentialId: ProviderCredentialId
  /** One of its versions. */
  version: number
}

/** What `variables.listOrganizationVariables` takes. */
export interface ListOrganizationVariablesInput {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
  /** Only the item with exactly this name. */
  name?: string
}

/** What `variables.createOrganizationVariable` takes. */
export type CreateOrganizationVariableInput = {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
} & NewOrganizationVariable

/** What `variables.getOrganizationVariable` takes. */
export interface GetOrganizationVariableInput {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** The variable. */
  variableId: VariableId
}

/** What `variables.updateOrganizationVariable` takes. */
export type UpdateOrganizationVariableInput = {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** The variable. */
  variableId: VariableId
} & OrganizationVariableChanges

/** What `variables.deleteOrganizationVariable` takes. */
export interface DeleteOrganizationVariableInput {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** The variable. */
  variableId: VariableId
}

/** What `variables.list` takes. */
export interface ListVariablesInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
  /** Only the item with exactly this name. */
  name?: string
}

/** What `variables.create` takes. */
export type CreateVariableInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
} & NewVariable

/** What `variables.get` takes. */
export interface GetVariableInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The variable. */
  variableId: VariableId
}

/** What `variables.update` takes. */
export type UpdateVariableInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The variable. */
  variableId: VariableId
} & VariableChanges

/** What `variables.delete` takes. */
export interface DeleteVariableInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The variable. */
  variableId: VariableId
}

/** What `connections.list` takes. */
export interface ListConnectionsInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
  /** Only the item with exactly this name. */
  name?: string
}

/** What `connections.create` takes. */
export type CreateConnectionInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
} & NewConnection

/** What `connections.getHealth` takes. */
export interface GetConnectionHealthInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
}

/** What `connections.get` takes. */
export interface GetConnectionInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The Connection. */
  connectionId: ConnectionId
}

/** What `connections.update` takes. */
export type UpdateConnectionInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The Connection. */
  connectionId: ConnectionId
} & ConnectionChanges

/** What `connections.delete` takes. */
export interface DeleteConnectionInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The Connection. */
  connectionId: ConnectionId
}

/** What `connections.listMcpTools` takes. */
export interface ListMcpToolsInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The Connection. */
  connectionId: ConnectionId
}

/** What `connections.getPreset` takes. */
export interface GetConnectionPresetInput {
  /** Preset key: 1 to 63 lower-case letters, digits and inner hyphens. */
  presetKey: string
}

/** What `events.list` takes. */
export interface ListEventsInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
  /** Begin this many events before the head, in place of the oldest available; 0: after the head. Not with `cursor`. All events of the Environment count, so that a key that is bound to an Agent gets at most that many. */
  last?: number
}

/** What `events.rebaseline` takes. */
export interface RebaselineEventsInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
}

/** What `webhooks.list` takes. */
export interface ListWebhooksInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
}

/** What `webhooks.create` takes. */
export type CreateWebhookInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
} & NewWebhook

/** What `webhooks.get` takes. */
export interface GetWebhookInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `Webhook`: `whk_…` */
  webhookId: WebhookId
}

/** What `webhooks.update` takes. */
export type UpdateWebhookInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `Webhook`: `whk_…` */
  webhookId: WebhookId
} & WebhookChanges

/** What `webhooks.delete` takes. */
export interface DeleteWebhookInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `Webhook`: `whk_…` */
  webhookId: WebhookId
}

/** What `webhooks.test` takes. */
export interface TestWebhookInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `Webhook`: `whk_…` */
  webhookId: WebhookId
}

/** What `webhooks.rotateSecret` takes. */
export interface RotateWebhookSecretInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `Webhook`: `whk_…` */
  webhookId: WebhookId
}

/** What `webhooks.listDeliveries` takes. */
export interface ListWebhookDeliveriesInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `Webhook`: `whk_…` */
  webhookId: WebhookId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
  /** Only deliveries in this state. */
  state?: 'pending' | 'in-flight' | 'retrying' | 'delivered' | 'dead-letter'
  /** The kind of event. */
  eventType?: RecordedEventKind
  /** Only deliveries created at this time or later. */
  since?: Timestamp
  /** Only deliveries created before this time. */
  until?: Timestamp
}

/** What `webhooks.getDelivery` takes. */
export interface GetWebhookDeliveryInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `Webhook`: `whk_…` */
  webhookId: WebhookId
  /** The id of one `WebhookDelivery`: `dlv_…` */
  deliveryId: WebhookDeliveryId
}

/** What `webhooks.replayDelivery` takes. */
export interface ReplayWebhookDeliveryInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `Webhook`: `whk_…` */
  webhookId: WebhookId
  /** The id of one `WebhookDelivery`: `dlv_…` */
  deliveryId: WebhookDeliveryId
}

/** What `webhooks.retryDelivery` takes. */
export interface RetryWebhookDeliveryInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `Webhook`: `whk_…` */
  webhookId: WebhookId
  /** The id of one `WebhookDelivery`: `dlv_…` */
  deliveryId: WebhookDeliveryId
}

/** What `webhooks.recover` takes. */
export type RecoverWebhookInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `Webhook`: `whk_…` */
  webhookId: WebhookId
} & NewWebhookRecovery

/** What `webhooks.listRecoveries` takes. */
export interface ListWebhookRecoveriesInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `Webhook`: `whk_…` */
  webhookId: WebhookId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
}

/** What `webhooks.getRecovery` takes. */
export interface GetWebhookRecoveryInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `Webhook`: `whk_…` */
  webhookId: WebhookId
  /** The id of one `WebhookRecovery`: `whr_…` */
  recoveryId: WebhookRecoveryId
}

/** What `webhooks.cancelRecovery` takes. */
export interface CancelWebhookRecoveryInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `Webhook`: `whk_…` */
  webhookId: WebhookId
  /** The id of one `WebhookRecovery`: `whr_…` */
  recoveryId: WebhookRecoveryId
}

/** What `webhooks.getDeliveryStatistics` takes. */
export interface GetWebhookDeliveryStatisticsInput {
  /** Deliveries of this Project. */
  projectId?: ProjectId
  /** Deliveries of this Environment. */
  environmentId?: EnvironmentId
}

/** What `operations.invoke` takes. */
export type InvokeOperationInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `Agent`: `agt_…` */
  agentId: AgentId
  /** The operation: `<definition>.<operation>`. */
  operation: string
} & NewOperationInvocation

/** What `operations.listInvocations` takes. */
export interface ListOperationInvocationsInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
  /** The operation: `<definition>.<operation>`. */
  operation?: string
  /** Only invocations in this state. */
  state?: 'pending_approval' | 'running' | 'succeeded' | 'failed' | 'rejected' | 'unknown'
  /** Only calls of this run. */
  agentRunId?: AgentRunId
}

/** What `operations.getInvocation` takes. */
export interface GetOperationInvocationInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `OperationInvocation`: `opi_…` */
  invocationId: OperationInvocationId
}

/** What `operations.resolveInvocation` takes. */
export type ResolveOperationInvocationInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `OperationInvocation`: `opi_…` */
  invocationId: OperationInvocationId
} & InvocationResolution

/** What `operations.listApprovals` takes. */
export interface ListOperationApprovalsInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
  /** Only approvals with this status. */
  status?: 'pending' | 'approved' | 'rejected' | 'expired' | 'canceled'
  /** The operation: `<definition>.<operation>`. */
  operation?: string
  /** Only calls on this Agent's behalf. */
  agentId?: string
  /** Only approvals requested at this time or later. */
  since?: Timestamp
  /** Only approvals requested before this time. */
  until?: Timestamp
}

/** What `operations.getApproval` takes. */
export interface GetOperationApprovalInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `OperationApproval`: `apr_…` */
  approvalId: OperationApprovalId
}

/** What `operations.getApprovalRequest` takes. */
export interface GetOperationApprovalRequestInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `OperationApproval`: `apr_…` */
  approvalId: OperationApprovalId
}

/** What `operations.approve` takes. */
export type ApproveOperationInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `OperationApproval`: `apr_…` */
  approvalId: OperationApprovalId
} & Decision

/** What `operations.reject` takes. */
export type RejectOperationInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `OperationApproval`: `apr_…` */
  approvalId: OperationApprovalId
} & Decision

/** What `operations.listDeployedTools` takes. */
export interface ListDeployedToolsInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `Agent`: `agt_…` */
  agentId: AgentId
}

/** What `operations.callTool` takes. */
export type CallToolInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `Agent`: `agt_…` */
  agentId: AgentId
  /** The name of the tool. */
  tool: string
} & NewToolCall

/** What `workers.list` takes. */
export interface ListWorkersInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
}

/** What `workers.leaseCalls` takes. */
export type LeaseWorkerCallsInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
} & WorkerLeaseRequest

/** What `workers.completeCalls` takes. */
export type CompleteWorkerCallsInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
} & WorkerAnswers

/** What `workers.heartbeatCall` takes. */
export type HeartbeatWorkerCallInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `OperationInvocation`: `opi_…` */
  invocationId: OperationInvocationId
} & WorkerHeartbeat

/** What `workers.completeCall` takes. */
export type CompleteWorkerCallInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `OperationInvocation`: `opi_…` */
  invocationId: OperationInvocationId
} & WorkerAnswer

/** What `workflows.listRuns` takes. */
export interface ListWorkflowRunsInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
  /** Runs in this state. */
  state?: 'running' | 'waiting' | 'unknown' | 'canceling' | 'completed' | 'failed' | 'canceled'
  /** Runs on behalf of this Agent. */
  agentId?: AgentId
  /** Runs started by this job. */
  agentJobId?: AgentJobId
  /** `none`: no runs that are a step of another run. */
  parentWorkflowRunId?: 'none'
  /** The user that the run is for, a member of the organization; requires an API key. */
  actorUserId?: string
}

/** What `workflows.startRun` takes. */
export type StartWorkflowRunInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
} & NewWorkflowRun

/** What `workflows.getRun` takes. */
export interface GetWorkflowRunInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `WorkflowRun`: `wfr_…` */
  workflowRunId: WorkflowRunId
  /** The user that the run is for, a member of the organization; requires an API key. */
  actorUserId?: string
}

/** What `workflows.listRunTransitions` takes. */
export interface ListWorkflowRunTransitionsInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `WorkflowRun`: `wfr_…` */
  workflowRunId: WorkflowRunId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
  /** The user that the run is for, a member of the organization; requires an API key. */
  actorUserId?: string
}

/** What `workflows.cancelRun` takes. */
export interface CancelWorkflowRunInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `WorkflowRun`: `wfr_…` */
  workflowRunId: WorkflowRunId
  /** The user that the run is for, a member of the organization; requires an API key. */
  actorUserId?: string
}

/** What `workflows.resolveUnknownWorkflowStep` takes. */
export type ResolveUnknownWorkflowStepInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `WorkflowRun`: `wfr_…` */
  workflowRunId: WorkflowRunId
  /** The user that the run is for, a member of the organization; requires an API key. */
  actorUserId?: string
} & UnknownResolution

/** What `workflows.resumeRun` takes. */
export interface ResumeWorkflowRunInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `WorkflowRun`: `wfr_…` */
  workflowRunId: WorkflowRunId
  /** The user that the run is for, a member of the organization; requires an API key. */
  actorUserId?: string
}

/** What `workflows.sendEvent` takes. */
export type SendWorkflowEventInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
} & NewWorkflowEvent

/** What `inbox.get` takes. */
export interface GetInboxInput {
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
  /** Items of this kind only; the counts are of all kinds. */
  kind?: 'alert' | 'approval' | 'waitingRun' | 'unknownOutcome' | 'webhook' | 'deployment' | 'connection' | 'credential' | 'apiKey' | 'budget'
  /** What is in this Project. */
  projectId?: ProjectId
  /** What is in this Environment. */
  environmentId?: EnvironmentId
}

/** What `alerts.listRules` takes. */
export interface ListAlertRulesInput {
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
  /** Rules of Environments of this Project. */
  projectId?: ProjectId
  /** Rules of this Environment. */
  environmentId?: EnvironmentId
}

/** What `alerts.createRule` takes. */
export type CreateAlertRuleInput = NewAlertRule

/** What `alerts.getRule` takes. */
export interface GetAlertRuleInput {
  /** The id of one `AlertRule`: `alr_…` */
  alertRuleId: AlertRuleId
}

/** What `alerts.updateRule` takes. */
export type UpdateAlertRuleInput = {
  /** The id of one `AlertRule`: `alr_…` */
  alertRuleId: AlertRuleId
} & AlertRuleChanges

/** What `alerts.deleteRule` takes. */
export interface DeleteAlertRuleInput {
  /** The id of one `AlertRule`: `alr_…` */
  alertRuleId: AlertRuleId
}

/** What `alerts.testRule` takes. */
export interface TestAlertRuleInput {
  /** The id of one `AlertRule`: `alr_…` */
  alertRuleId: AlertRuleId
}

/** What `alerts.listIncidents` takes. */
export interface ListAlertIncidentsInput {
  /** The id of one `AlertRule`: `alr_…` */
  alertRuleId: AlertRuleId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
}

/** What `billing.createCheckout` takes. */
export type CreateCheckoutInput = {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
} & Checkout

/** What `billing.createPortal` takes. */
export type CreatePortalInput = {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
} & PortalVisit

/** What `billing.getSubscription` takes. */
export interface GetSubscriptionInput {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
}

/** What `billing.getUsage` takes. */
export interface GetUsageInput {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** Adds `items` with an entry for each owner. */
  by?: 'project' | 'agent'
  /** The start of a past period; default: the current one. */
  period?: Timestamp
}

/** What `jobs.list` takes. */
export interface ListAgentJobsInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
  /** Only the item with exactly this name. */
  name?: string
}

/** What `jobs.create` takes. */
export type CreateAgentJobInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
} & NewAgentJob

/** What `jobs.get` takes. */
export interface GetAgentJobInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `AgentJob`: `job_…` */
  jobId: AgentJobId
}

/** What `jobs.update` takes. */
export type UpdateAgentJobInput = {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `AgentJob`: `job_…` */
  jobId: AgentJobId
} & AgentJobChanges

/** What `jobs.delete` takes. */
export interface DeleteAgentJobInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `AgentJob`: `job_…` */
  jobId: AgentJobId
}

/** What `jobs.runNow` takes. */
export interface RunAgentJobNowInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The id of one `AgentJob`: `job_…` */
  jobId: AgentJobId
}

/** What `entities.list` takes. */
export interface ListEntitiesInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The name of its Definition. */
  type: string
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
  /** Only entities in this state. */
  state?: string
}

/** What `entities.get` takes. */
export interface GetEntityInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The name of its Definition. */
  type: string
  /** The id of one `Entity`: `ent_…` */
  entityId: EntityId
}

/** What `entities.listTransitions` takes. */
export interface ListEntityTransitionsInput {
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** The name of its Definition. */
  type: string
  /** The id of one `Entity`: `ent_…` */
  entityId: EntityId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
}

/** What `integrations.list` takes. */
export interface ListIntegrationsInput {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
}

/** What `integrations.register` takes. */
export type RegisterIntegrationInput = {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
} & NewIntegration

/** What `integrations.get` takes. */
export interface GetIntegrationInput {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** The id of one `Integration`: `int_…` */
  integrationId: IntegrationId
}

/** What `integrations.rotate` takes. */
export type RotateIntegrationInput = {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** The id of one `Integration`: `int_…` */
  integrationId: IntegrationId
} & IntegrationChanges

/** What `integrations.delete` takes. */
export interface DeleteIntegrationInput {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** The id of one `Integration`: `int_…` */
  integrationId: IntegrationId
}

/** What `integrations.verify` takes. */
export interface VerifyIntegrationInput {
  /** The organization's id (`org_…`) or slug. */
  organizationIdOrSlug: string
  /** The id of one `Integration`: `int_…` */
  integrationId: IntegrationId
}

/** What `oauth.start` takes. */
export interface StartOAuthInput {
  /** Preset key: 1 to 63 lower-case letters, digits and inner hyphens. */
  presetKey: string
  /** The id of one `Project`: `prj_…` */
  projectId: ProjectId
  /** The id of one `Environment`: `env_…` */
  environmentId: EnvironmentId
  /** Where the browser goes in the end: a path of the console, or a URL with its origin, of at most 2,048 bytes. */
  returnTo?: string
}

/** What `oauth.complete` takes. */
export interface CompleteOAuthInput {
  /** Preset key: 1 to 63 lower-case letters, digits and inner hyphens. */
  presetKey: string
  /** What the tokens are for. */
  code?: string
  /** As it was sent along. */
  state?: string
  /** Why there is no code. */
  error?: string
  /** What the provider says about that; it is not read. */
  error_description?: string
  /** The issuer (RFC 9207); compared with that of the preset. */
  iss?: string
}

/** What `machines.get` takes. */
export interface GetMachineInput {
  /** The kind of actor. */
  kind: string
}

/** What `machines.simulate` takes. */
export type SimulateMachineInput = {
  /** The kind of actor. */
  kind: string
} & MachineSimulationRequest

/** What `machines.getActor` takes. */
export interface GetActorInput {
  /** The kind of actor. */
  kind: 'run' | 'bulk-action' | 'environment' | 'deployment' | 'apply' | 'delivery' | 'webhook-recovery' | 'operation-invocation' | 'worker-call' | 'agent-job' | 'workflow-run' | 'alert' | 'subscription' | 'deletion' | 'entity' | 'integration'
  /** The id of the resource. */
  id: string
}

/** What `machines.getActorMachine` takes. */
export interface GetActorMachineInput {
  /** The kind of actor. */
  kind: 'run' | 'bulk-action' | 'environment' | 'deployment' | 'apply' | 'delivery' | 'webhook-recovery' | 'operation-invocation' | 'worker-call' | 'agent-job' | 'workflow-run' | 'alert' | 'subscription' | 'deletion' | 'entity' | 'integration'
  /** The id of the resource. */
  id: string
}

/** What `machines.streamActor` takes. */
export interface StreamActorInput {
  /** The kind of actor. */
  kind: 'run' | 'bulk-action' | 'environment' | 'deployment' | 'apply' | 'delivery' | 'webhook-recovery' | 'operation-invocation' | 'worker-call' | 'agent-job' | 'workflow-run' | 'alert' | 'subscription' | 'deletion' | 'entity' | 'integration'
  /** The id of the resource. */
  id: string
}

/** What `machines.previewEvent` takes. */
export type PreviewEventInput = {
  /** The kind of actor. */
  kind: 'run' | 'bulk-action' | 'environment' | 'deployment' | 'apply' | 'delivery' | 'webhook-recovery' | 'operation-invocation' | 'worker-call' | 'agent-job' | 'workflow-run' | 'alert' | 'subscription' | 'deletion' | 'entity' | 'integration'
  /** The id of the resource. */
  id: string
} & EventPreview

/** What `machines.verifyActor` takes. */
export interface VerifyActorInput {
  /** The kind of actor. */
  kind: 'run' | 'bulk-action' | 'environment' | 'deployment' | 'apply' | 'delivery' | 'webhook-recovery' | 'operation-invocation' | 'worker-call' | 'agent-job' | 'workflow-run' | 'alert' | 'subscription' | 'deletion' | 'entity' | 'integration'
  /** The id of the resource. */
  id: string
}

/** What `machines.simulateActor` takes. */
export type SimulateActorInput = {
  /** The kind of actor. */
  kind: 'run' | 'bulk-action' | 'environment' | 'deployment' | 'apply' | 'delivery' | 'webhook-recovery' | 'operation-invocation' | 'worker-call' | 'agent-job' | 'workflow-run' | 'alert' | 'subscription' | 'deletion' | 'entity' | 'integration'
  /** The id of the resource. */
  id: string
} & ActorSimulationRequest

/** What `machines.createEmbedTicket` takes. */
export type CreateEmbedTicketInput = {
  /** The kind of actor. */
  kind: 'run' | 'bulk-action' | 'environment' | 'deployment' | 'apply' | 'delivery' | 'webhook-recovery' | 'operation-invocation' | 'worker-call' | 'agent-job' | 'workflow-run' | 'alert' | 'subscription' | 'deletion' | 'entity' | 'integration'
  /** The id of the resource. */
  id: string
} & NewEmbedTicket

/** What `machines.getEmbeddedActorMachine` takes. */
export interface GetEmbeddedActorMachineInput {
  /** The kind of actor. */
  kind: string
  /** The id of the resource. */
  id: string
  /** The ticket, as it was issued. */
  ticket: string
}

/** What `machines.streamEmbeddedActor` takes. */
export interface StreamEmbeddedActorInput {
  /** The kind of actor. */
  kind: string
  /** The id of the resource. */
  id: string
  /** The ticket, as it was issued. */
  ticket: string
}

/** What `machines.getPopulation` takes. */
export interface GetMachinePopulationInput {
  /** The kind of actor. */
  kind: string
  /** Actors in this Project. */
  projectId?: ProjectId
  /** Actors in this Environment. */
  environmentId?: EnvironmentId
}

/** What `machines.listActors` takes. */
export interface ListActorsInput {
  /** The kind of actor. */
  kind: string
  /** Those in this state. */
  state?: string
  /** Only actors that entered their state at least this long ago. */
  olderThanSeconds?: number
  /** Actors in this Project. */
  projectId?: ProjectId
  /** Actors in this Environment. */
  environmentId?: EnvironmentId
  /** Page size. */
  limit?: number
  /** `nextCursor` of the previous page; leave it out for the first page. */
  cursor?: string
}

/** `troupe.server`. */
export interface ServerResource {
  /** Whether the server is alive: `GET /healthz`. */
  getHealth(options?: RequestOptions): Promise<Alive>

  /** Whether the server is ready for work: `GET /readyz`. */
  getReadiness(options?: RequestOptions): Promise<Readiness>

  /**
   * Metrics for Prometheus: `GET /metrics`.
   *
   * If the operator has set `TROUPE_METRICS_TOKEN`, send it as `Authorization: Bearer`.
   */
  getMetrics(options?: RequestOptions): Promise<string>

  /** This document: `GET /docs/json`. */
  getApiDocument(options?: RequestOptions): Promise<Record<string, unknown>>

  /**
   * List the servers: `GET /api/v1/processes`.
   *
   * The servers that share this store, ordered by id, with the slots of background work that each of them holds. A single server holds all slots. Only owners of the first organization may list them.
   *
   * Permission: `organizations:get`.
   */
  listProcesses(input?: ListProcessesInput, options?: RequestOptions): List<Process, Pagination>
}

/** `troupe.runs`. */
export interface RunsResource {
  /**
   * List runs: `GET /api/v1/agent-runs`.
   *
   * Lists the runs that the credential can access, newest first by default. All filters and orders can be combined; where no index has the combination, a page may be short although `hasMore` is true.
   *
   * Permission: `agent-runs:list`.
   */
  list(input?: ListAgentRunsInput, options?: RequestOptions): List<AgentRun, Pagination>

  /**
   * Start a run: `POST /api/v1/agent-runs`.
   *
   * Stores the run and returns; a runner then executes it. The agent and its revision are resolved now and stay fixed: an Agent of a Project, its operations, Connections and variables come from the active Deployment of the Environment. After a 429, a 503 or a lost answer, send the same request with the same `Idempotency-Key`.
   *
   * Permission: `agent-runs:create`.
   */
  start(input: StartAgentRunInput, options?: RequestOptions): Promise<AgentRun>

  /**
   * Get a run: `GET /api/v1/agent-runs/{agentRunId}`.
   *
   * Returns the run. With `waitSeconds`, responds when the run has ended or waits for input, and counts as an open stream until then. With `include=output`, includes the output.
   *
   * Permission: `agent-runs:get`.
   */
  get(input: GetAgentRunInput, options?: RequestOptions): Promise<AgentRun>

  /**
   * Cancel a run: `POST /api/v1/agent-runs/{agentRunId}/cancel`.
   *
   * A running run becomes `canceling` and stops after its current step; any other active run is canceled at once, as is every one with `force=true`. Repeating the request is safe. A run that has already ended otherwise is a conflict. Requires an API key.
   *
   * Permission: `agent-runs:cancel`.
   */
  cancel(input: CancelAgentRunInput, options?: RequestOptions): Promise<AgentRun>

  /**
   * Continue a run: `POST /api/v1/agent-runs/{agentRunId}/continue`.
   *
   * Continues from the latest checkpoint with a new message, or with the results of pending tool calls. Without a provider the run keeps its credential. An active or expired run is a conflict, as is one whose content was removed. An ended run of a paused Project or of a disabled System Agent begins no new turn.
   *
   * Permission: `agent-runs:continue`.
   */
  continue(input: ContinueAgentRunInput, options?: RequestOptions): Promise<AgentRun>

  /**
   * Start a run now: `POST /api/v1/agent-runs/{agentRunId}/start-now`.
   *
   * For a run whose start was put off (`startAt`). A queued run that may start already does not change, so that repeating the request is safe. A run that has started or ended is a conflict.
   *
   * Permission: `agent-runs:update`.
   */
  startNow(input: StartAgentRunNowInput, options?: RequestOptions): Promise<AgentRun>

  /**
   * Submit an external delegate's result: `POST /api/v1/agent-runs/{agentRunId}/delegate-results`.
   *
   * The run continues once no call is pending.
   *
   * Permission: `agent-runs:update`.
   */
  giveDelegateResult(input: GiveDelegateResultInput, options?: RequestOptions): Promise<AgentRun>

  /**
   * Fork a run: `POST /api/v1/agent-runs/{agentRunId}/fork`.
   *
   * Starts a new run that goes on from a checkpoint of this one, with the same revision and Deployment. This run is not changed, and may be active. What it did before the checkpoint is not repeated; a tool call that was open there is made again by the fork. At a `final` checkpoint a query or messages are required; at a `suspended` one the fork waits for the same call, unless the query answers it. A run whose content was removed is a conflict.
   *
   * Permission: `agent-runs:create`.
   */
  fork(input: ForkAgentRunInput, options?: RequestOptions): Promise<AgentRun>

  /**
   * Stream which runs change: `GET /api/v1/agent-runs/changes`.
   *
   * Server-sent events that keep a list of runs current: `runs.changed` has `{agentRunIds, gap}`, the runs that were created or have changed since the event before, at most 200, gathered over a quarter of a second. Read those that you show with `GET /api/v1/agent-runs?ids=`. With `gap: true` more has changed, or you did not keep up: read the list again. Nothing is replayed: the first event has `gap: true`. When the credential may not list these runs any more, the last event is `end` with `{reason: "revoked"}`. A server tells of the changes that it makes.
   *
   * Permission: `agent-runs:list`.
   */
  streamChanges(input?: StreamAgentRunChangesInput, options?: RequestOptions): AsyncGenerator<StreamEvent, void, undefined>

  /**
   * Get run statistics: `GET /api/v1/agent-runs/statistics`.
   *
   * Statistics of the runs that the credential can access. A run counts in the hour of its end, and again if it is continued and ends again; a model step costs in the hour of its end. Counts are kept for 400 days, also of removed runs. An API key that is bound to an Agent is rejected, because runs are not counted by Agent.
   *
   * Permission: `analytics:read`.
   */
  getStatistics(input?: GetAgentRunStatisticsInput, options?: RequestOptions): List<CostShare>

  /**
   * List transitions: `GET /api/v1/agent-runs/{agentRunId}/transitions`.
   *
   * The lifecycle journal, oldest entry first.
   *
   * Permission: `agent-runs:get`.
   */
  listTransitions(input: ListAgentRunTransitionsInput, options?: RequestOptions): List<RunTransition, Pagination>

  /**
   * List steps: `GET /api/v1/agent-runs/{agentRunId}/steps`.
   *
   * Steps, oldest first by default, flat or as a tree.
   *
   * Permission: `agent-runs:steps:list`.
   */
  listSteps(input: ListAgentStepsInput, options?: RequestOptions): List<AgentStep, AgentStepPage['pagination']>

  /**
   * Get a step: `GET /api/v1/agent-runs/{agentRunId}/steps/{agentStepId}`.
   *
   * The step without its child steps.
   *
   * Permission: `agent-runs:steps:get`.
   */
  getStep(input: GetAgentStepInput, options?: RequestOptions): Promise<AgentStep>

  /**
   * Get a checkpoint's artifact metadata: `GET /api/v1/agent-runs/{agentRunId}/steps/{agentStepId}/checkpoints/{checkpointId}`.
   *
   * The `ETag` is the digest of the artifact; HEAD has the same headers.
   *
   * Permission: `agent-runs:steps:checkpoints:get`.
   */
  getCheckpoint(input: GetCheckpointInput, options?: RequestOptions): Promise<Checkpoint>

  /**
   * List checkpoints: `GET /api/v1/agent-runs/{agentRunId}/checkpoints`.
   *
   * Lists the stored checkpoints, newest first. The last one, checkpoint 0, is the input of the run.
   *
   * Permission: `agent-runs:checkpoints:list`.
   */
  listCheckpoints(input: ListCheckpointsInput, options?: RequestOptions): List<Checkpoint, Pagination>

  /**
   * Get the latest checkpoint: `GET /api/v1/agent-runs/{agentRunId}/checkpoints/latest`.
   *
   * Returns the checkpoint that a continue would resume from, with its artifact and step. Initially it is checkpoint 0, the input, which belongs to no step: `stepPayload` is null.
   *
   * Permission: `agent-runs:steps:checkpoints:get`.
   */
  getLatestCheckpoint(input: GetLatestCheckpointInput, options?: RequestOptions): Promise<LatestCheckpoint>

  /**
   * Stream a run: `GET /api/v1/agent-runs/{agentRunId}/stream`.
   *
   * Server-sent events, numbered without gaps across attempts and continues. Each has `{sequence, at, attempt, agentStepId?, data}`. Without a cursor the first event is `run.snapshot`; `Last-Event-ID` or `after` resumes without gaps or repeats. After `end` the server closes. A reader that falls more than 1,000 events or 1 MiB behind gets `run.snapshot` with `gap: true`. When the credential loses access to the run, the last event is `end` with `{reason: "revoked"}`, without an id and a `sequence`.
   *
   * Permission: `agent-runs:stream`.
   */
  stream(input: StreamAgentRunInput, options?: RequestOptions): AsyncGenerator<StreamEvent, void, undefined>

  /**
   * Read the log of a run: `GET /api/v1/agent-runs/{agentRunId}/logs`.
   *
   * What the server and the runners did with the run, oldest first: transitions, steps with their durations, tokens, costs and errors, waits and warnings. Lines have no inputs and outputs, and go with the content of the run. With `last` a page begins that many lines before the end. With `follow=true` they come as server-sent events `line`, as long as the run is active; `Last-Event-ID` or `after` resumes.
   *
   * Permission: `agent-runs:stream`.
   */
  listLogs(input: ListAgentRunLogsInput, options?: RequestOptions): List<RunLogLine, Pagination>

  /**
   * Act on many runs: `POST /api/v1/bulk-actions`.
   *
   * Cancels, continues or forks all runs that match, in the background. The set of runs is fixed now; the oldest come first, and no run is acted on twice, even after a crash. Requires the permission of the action. Refusals are counted, and the other runs follow. At most 10 actions run at once in an organization.
   *
   * Permission: `agent-runs:list`, `agent-runs:cancel`, `agent-runs:continue`, or `agent-runs:create`.
   */
  createBulkAction(input: CreateBulkActionInput, options?: RequestOptions): Promise<BulkAction>

  /**
   * Get a bulk action: `GET /api/v1/bulk-actions/{bulkActionId}`.
   *
   * Its progress. `GET /api/v1/actors/bulk-action/{id}/stream` reports its end, after which it is kept for 30 days.
   *
   * Permission: `agent-runs:list`, `agent-runs:cancel`, `agent-runs:continue`, or `agent-runs:create`.
   */
  getBulkAction(input: GetBulkActionInput, options?: RequestOptions): Promise<BulkAction>

  /**
   * Cancel a bulk action: `POST /api/v1/bulk-actions/{bulkActionId}/cancel`.
   *
   * Completed actions remain; no further run is acted on.
   *
   * Permission: `agent-runs:list`, `agent-runs:cancel`, `agent-runs:continue`, or `agent-runs:create`.
   */
  cancelBulkAction(input: CancelBulkActionInput, options?: RequestOptions): Promise<BulkAction>
}

/** `troupe.runner`. */
export interface RunnerResource {
  /**
   * Call an operation: `POST /api/v1/agent-runs/{agentRunId}/attempts/{attemptId}/operations`.
   *
   * Makes the call and returns its outcome. Repeating the same call returns the first outcome.
   */
  callOperation(input: CallAttemptOperationInput, options?: RequestOptions): Promise<AttemptOperationOutcome>

  /**
   * Call the model of an agent: `POST /api/v1/agent-runs/{agentRunId}/attempts/{attemptId}/model/stream`.
   *
   * The run determines the model, key, instructions and settings; the runner adds messages and tools. An attempt has one call at a time: a new call replaces the previous one. The token usage of the call is recorded for the step, also if the call is aborted, and overrides the usage that the runner reports.
   */
  streamModel(input: StreamAttemptModelInput, options?: RequestOptions): Promise<Response>

  /**
   * Lease the next attempt: `POST /api/v1/runner/leases`.
   *
   * Waits for a queued run that the token's pool may execute and leases a machine slot for it. Answers 204 if none became available in time.
   */
  lease(input: LeaseAttemptInput, options?: RequestOptions): Promise<LeasedAttempt>

  /**
   * Report that the runner has booted: `POST /api/v1/agent-runs/{agentRunId}/attempts/{attemptId}/boot`.
   *
   * Moves the run to `running` and creates the attempt's root step.
   *
   * Permission of an API key: `agent-runs:attempts:heartbeat`.
   */
  boot(input: BootAttemptInput, options?: RequestOptions): Promise<AgentRun>

  /**
   * Renew the lease: `POST /api/v1/agent-runs/{agentRunId}/attempts/{attemptId}/heartbeat`.
   *
   * Returns a signal for the runner: continue, stop because of a cancel, or hand the attempt back.
   *
   * Permission of an API key: `agent-runs:attempts:heartbeat`.
   */
  beat(input: BeatAttemptInput, options?: RequestOptions): Promise<ProlongedLease>

  /**
   * Report streamed text: `POST /api/v1/agent-runs/{agentRunId}/attempts/{attemptId}/events`.
   *
   * Adds streamed text of open steps, in small groups and in order.
   *
   * Permission of an API key: `agent-runs:steps:create`.
   */
  reportEvents(input: ReportAttemptEventsInput, options?: RequestOptions): Promise<AcceptedEvents>

  /**
   * Report the outcome of the attempt: `POST /api/v1/agent-runs/{agentRunId}/attempts/{attemptId}/complete`.
   *
   * Repeating the same report returns the same answer; a different report is a conflict.
   *
   * Permission of an API key: `agent-runs:attempts:complete`.
   */
  complete(input: CompleteAttemptInput, options?: RequestOptions): Promise<AgentRun>

  /**
   * Start a step: `POST /api/v1/agent-runs/{agentRunId}/attempts/{attemptId}/steps`.
   *
   * Starts a model, tool or delegate step under the root step of the attempt or under the step of a delegate.
   *
   * Permission of an API key: `agent-runs:steps:create`.
   */
  startStep(input: StartAgentStepInput, options?: RequestOptions): Promise<AgentStep>

  /**
   * End or suspend a step: `PATCH /api/v1/agent-runs/{agentRunId}/attempts/{attemptId}/steps/{agentStepId}`.
   *
   * A step that has ended does not change.
   *
   * Permission of an API key: `agent-runs:steps:create`.
   */
  endStep(input: EndAgentStepInput, options?: RequestOptions): Promise<AgentStep>

  /**
   * Write a checkpoint: `POST /api/v1/agent-runs/{agentRunId}/attempts/{attemptId}/steps/{agentStepId}/checkpoints`.
   *
   * Stores the state that a later attempt resumes from.
   *
   * Permission of an API key: `agent-runs:steps:checkpoints:create`.
   */
  writeCheckpoint(input: WriteCheckpointInput, options?: RequestOptions): Promise<Checkpoint>
}

/** `troupe.organizations`. */
export interface OrganizationsResource {
  /**
   * List organizations: `GET /api/v1/organizations`.
   *
   * The organizations of the user, newest first; with an API key, the organization of the key.
   */
  list(input?: ListOrganizationsInput, options?: RequestOptions): List<Organization, Pagination>

  /**
   * Create an organization: `POST /api/v1/organizations`.
   *
   * Creates a team owned by the user of the credential. Owners of the first organization can create others; with `TROUPE_CREATE_ORGANIZATIONS=anyone` every user can. Requires a session, or an API key that is not bound to a part of an organization; the key still belongs to its own organization.
   */
  create(input: CreateOrganizationInput, options?: RequestOptions): Promise<Organization>

  /**
   * Get an organization: `GET /api/v1/organizations/{organizationIdOrSlug}`.
   *
   * By id or slug.
   *
   * Permission: `organizations:get`.
   */
  get(input: GetOrganizationInput, options?: RequestOptions): Promise<Organization>

  /**
   * Change an organization: `PATCH /api/v1/organizations/{organizationIdOrSlug}`.
   *
   * Omitted fields do not change. The old slug is available to others at once.
   *
   * Permission: `organizations:update`.
   */
  update(input: UpdateOrganizationInput, options?: RequestOptions): Promise<Organization>

  /**
   * Delete an organization: `DELETE /api/v1/organizations/{organizationIdOrSlug}`.
   *
   * Only a team whose paid contract has ended can be deleted. Cancels its runs; when they have ended, everything that the organization owns is removed, including its API keys and its audit log. Until then its contents can be read but not changed; `deletion` shows the progress. Afterwards its ids answer 404.
   *
   * Permission: `organizations:delete`.
   */
  delete(input: DeleteOrganizationInput, options?: RequestOptions): Promise<Organization>

  /**
   * Get your permissions: `GET /api/v1/organizations/{organizationIdOrSlug}/permissions`.
   *
   * What the caller may do: by the role in the organization, and with `projectId` also by access grants in that Project. An API key is limited to its operations.
   *
   * Permission: `organizations:get`.
   */
  getOwnPermissions(input: GetOwnPermissionsInput, options?: RequestOptions): Promise<OwnPermissions>

  /**
   * List members: `GET /api/v1/organizations/{organizationIdOrSlug}/members`.
   *
   * Newest first. Invited people are not included.
   *
   * Permission: `organizations:manage-members`.
   */
  listMembers(input: ListMembersInput, options?: RequestOptions): List<Member, Pagination>

  /**
   * Invite a member: `POST /api/v1/organizations/{organizationIdOrSlug}/members`.
   *
   * By `userId` or by `email`, exactly one of them. The answer does not reveal whether the address has an account, and the person becomes a member only on acceptance. The token is mailed; if the server cannot send mail (`TROUPE_SMTP_URL`), it is shown once, to pass on. Inviting again replaces the invitation and sends another mail. Only owners can invite owners.
   *
   * Permission: `organizations:manage-members`.
   */
  addMember(input: AddMemberInput, options?: RequestOptions): Promise<InvitedMember>

  /**
   * Change a member's role: `PATCH /api/v1/organizations/{organizationIdOrSlug}/members/{userId}`.
   *
   * Applies to the next request of every credential of the member. Only owners can give or take the role `owner`, and one owner must remain.
   *
   * Permission: `organizations:manage-members`.
   */
  changeMemberRole(input: ChangeMemberRoleInput, options?: RequestOptions): Promise<Member>

  /**
   * Remove a member, or leave: `DELETE /api/v1/organizations/{organizationIdOrSlug}/members/{userId}`.
   *
   * Everyone may leave; removing another member requires `organizations:manage-members`, and removing an owner requires an owner. Group memberships and access grants end, and the member's API keys for the organization are revoked.
   *
   * Permission: `organizations:get` or `organizations:manage-members`.
   */
  removeMember(input: RemoveMemberInput, options?: RequestOptions): Promise<void>

  /**
   * End a member's sessions: `DELETE /api/v1/organizations/{organizationIdOrSlug}/members/{userId}/sessions`.
   *
   * All current sessions of the member end for this organization, from their next request (401 `session_expired`), until the member signs in again. They continue in other organizations of the account. API keys continue too: revoke them, or remove the member. Only owners can end sessions of owners.
   *
   * Permission: `organizations:manage-members`.
   */
  endMemberSessions(input: EndMemberSessionsInput, options?: RequestOptions): Promise<void>

  /**
   * List user groups: `GET /api/v1/organizations/{organizationIdOrSlug}/user-groups`.
   *
   * Newest first.
   *
   * Permission: `organizations:manage-user-groups`.
   */
  listUserGroups(input: ListUserGroupsInput, options?: RequestOptions): List<UserGroup, Pagination>

  /**
   * Create a user group: `POST /api/v1/organizations/{organizationIdOrSlug}/user-groups`.
   *
   * Created without members; access grants of Projects can refer to it.
   *
   * Permission: `organizations:manage-user-groups`.
   */
  createUserGroup(input: CreateUserGroupInput, options?: RequestOptions): Promise<UserGroup>

  /**
   * Get a user group: `GET /api/v1/organizations/{organizationIdOrSlug}/user-groups/{userGroupId}`.
   *
   * By its id.
   *
   * Permission: `organizations:manage-user-groups`.
   */
  getUserGroup(input: GetUserGroupInput, options?: RequestOptions): Promise<UserGroup>

  /**
   * Rename a user group: `PATCH /api/v1/organizations/{organizationIdOrSlug}/user-groups/{userGroupId}`.
   *
   * Changes its name.
   *
   * Permission: `organizations:manage-user-groups`.
   */
  updateUserGroup(input: UpdateUserGroupInput, options?: RequestOptions): Promise<UserGroup>

  /**
   * Delete a user group: `DELETE /api/v1/organizations/{organizationIdOrSlug}/user-groups/{userGroupId}`.
   *
   * Returns the deleted group. Its access grants end with it, from the next request of its members.
   *
   * Permission: `organizations:manage-user-groups`.
   */
  deleteUserGroup(input: DeleteUserGroupInput, options?: RequestOptions): Promise<UserGroup>

  /**
   * List a user group's members: `GET /api/v1/organizations/{organizationIdOrSlug}/user-groups/{userGroupId}/members`.
   *
   * Newest first.
   *
   * Permission: `organizations:manage-user-groups`.
   */
  listUserGroupMembers(input: ListUserGroupMembersInput, options?: RequestOptions): List<UserGroupMember, Pagination>

  /**
   * Add a member to a user group: `POST /api/v1/organizations/{organizationIdOrSlug}/user-groups/{userGroupId}/members`.
   *
   * Adds a member of the organization; adding a member again changes nothing.
   *
   * Permission: `organizations:manage-user-groups`.
   */
  addUserGroupMember(input: AddUserGroupMemberInput, options?: RequestOptions): Promise<UserGroupMember>

  /**
   * Remove a member from a user group: `DELETE /api/v1/organizations/{organizationIdOrSlug}/user-groups/{userGroupId}/members/{userId}`.
   *
   * Returns the removed member, who stays a member of the organization.
   *
   * Permission: `organizations:manage-user-groups`.
   */
  removeUserGroupMember(input: RemoveUserGroupMemberInput, options?: RequestOptions): Promise<UserGroupMember>

  /**
   * List the audit log: `GET /api/v1/organizations/{organizationIdOrSlug}/audit-events`.
   *
   * All changes, changes refused as forbidden, not found or conflicting, and forbidden reads, newest first, with actor, address, target and outcome. Refusals are aggregated to one line with a `count` for each credential, operation and minute; unauthenticated, invalid, rate-limited and unpaid requests have no line. Lines are immutable and are kept for `TROUPE_AUDIT_RETENTION_DAYS`. A page looks at no more than 5,000 lines: with filters it may hold fewer items than `limit`, or none, although there are more.
   *
   * Permission: `organizations:manage-members`.
   */
  listAuditEvents(input: ListAuditEventsInput, options?: RequestOptions): List<AuditEvent, Pagination>

  /**
   * Export the audit log: `GET /api/v1/organizations/{organizationIdOrSlug}/audit-events/export`.
   *
   * All lines that match the filters, newest first, as a file. It counts as an open stream; when the credential can no longer read the log, the answer breaks off.
   *
   * Permission: `organizations:manage-members`.
   */
  exportAuditEvents(input: ExportAuditEventsInput, options?: RequestOptions): Promise<Response>

  /**
   * Find by name: `GET /api/v1/resources`.
   *
   * Projects, Environments, Agents and Definitions in all Projects within the scope of the credential. Of each kind the 5,000 of the newest Projects are looked through.
   *
   * Permission: `projects:list`, `projects:get`, `agents:list`, or `definitions:list`.
   */
  searchResources(input: SearchResourcesInput, options?: RequestOptions): List<NamedResource>

  /**
   * Find a resource by its id: `GET /api/v1/resources/{resourceId}`.
   *
   * For ids found in logs and messages: returns the Project and the Environment of the resource, which its paths need. Requires the permission to read the resource; without it the answer is 404, as for an unknown id.
   *
   * Permission: `projects:get`, `agents:get`, `agents:revisions:get`, `definitions:get`, `env:variables:get`, `connections:get`, `provider-credentials:get`, `organization-integrations:get`, `webhooks:events:read`, `alerts:list`, `webhooks:list`, `agent-runs:get`, `agents:manage-workflows`, `operation-invocations:list`, `operation-approvals:list`, `agent-jobs:get`, `projects:read-runtime-data`, `api-keys:get`, `organizations:manage-user-groups`, `projects:manage-access-grants`, or `organization-variables:list`.
   */
  findResource(input: FindResourceInput, options?: RequestOptions): Promise<ResourceFound>

  /**
   * List invitations: `GET /api/v1/organizations/{organizationIdOrSlug}/invitations`.
   *
   * Invitations that can still be accepted, newest first. Tokens were mailed, or shown at creation.
   *
   * Permission: `organizations:manage-members`.
   */
  listInvitations(input: ListInvitationsInput, options?: RequestOptions): List<Invitation, Pagination>

  /**
   * Withdraw an invitation: `DELETE /api/v1/organizations/{organizationIdOrSlug}/invitations/{invitationId}`.
   *
   * Its token is no longer valid.
   *
   * Permission: `organizations:manage-members`.
   */
  deleteInvitation(input: DeleteInvitationInput, options?: RequestOptions): Promise<void>
}

/** `troupe.runnerPools`. */
export interface RunnerPoolsResource {
  /**
   * List runner pools: `GET /api/v1/runner-pools`.
   *
   * Lists the organization's pools, newest first. Owners of the first organization also see the pools of the server.
   *
   * Permission: `organizations:get`.
   */
  list(input?: ListRunnerPoolsInput, options?: RequestOptions): List<RunnerPool, Pagination>

  /**
   * Create a runner pool: `POST /api/v1/runner-pools`.
   *
   * Runners of an organization's pool lease only runs of that organization. Runners of a pool of the server lease runs of all organizations without an exclusive pool. An organization can have up to 20 pools.
   *
   * Permission: `organizations:update`.
   */
  create(input: CreateRunnerPoolInput, options?: RequestOptions): Promise<RunnerPool>

  /**
   * Get a runner pool: `GET /api/v1/runner-pools/{poolId}`.
   *
   * The pool without its tokens.
   *
   * Permission: `organizations:get`.
   */
  get(input: GetRunnerPoolInput, options?: RequestOptions): Promise<RunnerPool>

  /**
   * Rename a runner pool, or make it exclusive: `PATCH /api/v1/runner-pools/{poolId}`.
   *
   * Once a pool is exclusive, the organization's runs are leased only by its own pools. Attempts in progress on the server's runners continue.
   *
   * Permission: `organizations:update`.
   */
  update(input: UpdateRunnerPoolInput, options?: RequestOptions): Promise<RunnerPool>

  /**
   * Delete a runner pool: `DELETE /api/v1/runner-pools/{poolId}`.
   *
   * Deletes the pool and revokes its tokens. The first pool of the server cannot be deleted.
   *
   * Permission: `organizations:update`.
   */
  delete(input: DeleteRunnerPoolInput, options?: RequestOptions): Promise<void>

  /**
   * List the tokens of a runner pool: `GET /api/v1/runner-pools/{poolId}/tokens`.
   *
   * Lists tokens without their secrets, newest first, including revoked and expired ones.
   *
   * Permission: `organizations:update`.
   */
  listTokens(input: ListRunnerTokensInput, options?: RequestOptions): List<RunnerToken, Pagination>

  /**
   * Create a token of a runner pool: `POST /api/v1/runner-pools/{poolId}/tokens`.
   *
   * `secret` is shown only here. A pool has at most 20 tokens that can be used.
   *
   * Permission: `organizations:update`.
   */
  createToken(input: CreateRunnerTokenInput, options?: RequestOptions): Promise<CreatedRunnerToken>

  /**
   * Rotate a token of a runner pool: `POST /api/v1/runner-pools/{poolId}/tokens/{tokenId}/rotate`.
   *
   * Creates a new token. The rotated token remains valid for `overlapSeconds`; attempts leased with it continue.
   *
   * Permission: `organizations:update`.
   */
  rotateToken(input: RotateRunnerTokenInput, options?: RequestOptions): Promise<CreatedRunnerToken>

  /**
   * Revoke a token of a runner pool: `POST /api/v1/runner-pools/{poolId}/tokens/{tokenId}/revoke`.
   *
   * Permanent and effective immediately: the token leases nothing, its waiting lease requests end, and attempts leased with it end; their runs are queued again. Repeating the request is safe.
   *
   * Permission: `organizations:update`.
   */
  revokeToken(input: RevokeRunnerTokenInput, options?: RequestOptions): Promise<RunnerToken>
}

/** `troupe.projects`. */
export interface ProjectsResource {
  /**
   * List access grants: `GET /api/v1/projects/{projectId}/access-grants`.
   *
   * Of the Project, newest first.
   *
   * Permission: `projects:manage-access-grants`.
   */
  listAccessGrants(input: ListAccessGrantsInput, options?: RequestOptions): List<AccessGrant, Pagination>

  /**
   * Grant access: `POST /api/v1/projects/{projectId}/access-grants`.
   *
   * Gives a member, or the members of a user group, permissions in this Project beyond those of their role. Applies from the next request.
   *
   * Permission: `projects:manage-access-grants`.
   */
  createAccessGrant(input: CreateAccessGrantInput, options?: RequestOptions): Promise<AccessGrant>

  /**
   * Delete an access grant: `DELETE /api/v1/projects/{projectId}/access-grants/{grantId}`.
   *
   * Applies from the next request.
   *
   * Permission: `projects:manage-access-grants`.
   */
  deleteAccessGrant(input: DeleteAccessGrantInput, options?: RequestOptions): Promise<void>

  /**
   * List Projects: `GET /api/v1/projects`.
   *
   * The Projects within the credential's scope, newest first.
   *
   * Permission: `projects:list`.
   */
  list(input?: ListProjectsInput, options?: RequestOptions): List<Project, Pagination>

  /**
   * Create a Project: `POST /api/v1/projects`.
   *
   * Creates its three Environments, in `provisioning` with an empty configuration, and the Agents of the template, if one is given, in one transaction.
   *
   * Permission: `projects:create`.
   */
  create(input: CreateProjectInput, options?: RequestOptions): Promise<Project>

  /**
   * Get a Project: `GET /api/v1/projects/{projectId}`.
   *
   * Permission: `projects:get`.
   */
  get(input: GetProjectInput, options?: RequestOptions): Promise<Project>

  /**
   * Update a Project: `PATCH /api/v1/projects/{projectId}`.
   *
   * Changes its name, its slug, or whether it admits new work.
   *
   * Permission: `projects:update`.
   */
  update(input: UpdateProjectInput, options?: RequestOptions): Promise<Project>

  /**
   * Delete a Project: `DELETE /api/v1/projects/{projectId}`.
   *
   * Cancels its runs; when they have ended, the Project is removed with everything in it. Until then its contents can be read but not changed; `deletion` shows the progress. Afterwards its ids answer 404.
   *
   * Permission: `projects:delete`.
   */
  delete(input: DeleteProjectInput, options?: RequestOptions): Promise<Project>
}

/** `troupe.environments`. */
export interface EnvironmentsResource {
  /**
   * List Environments: `GET /api/v1/projects/{projectId}/environments`.
   *
   * Development, Preview, Production. A key that is bound to one of them gets only that one.
   *
   * Permission: `projects:get`.
   */
  list(input: ListEnvironmentsInput, options?: RequestOptions): List<Environment, Pagination>

  /**
   * Get an Environment: `GET /api/v1/projects/{projectId}/environments/{environmentId}`.
   *
   * Permission: `projects:get`.
   */
  get(input: GetEnvironmentInput, options?: RequestOptions): Promise<Environment>

  /**
   * Move an Environment's lifecycle: `PATCH /api/v1/projects/{projectId}/environments/{environmentId}`.
   *
   * From `provisioning` to `active`, once; Configuration Revisions and Deployments require it. Send the lifecycle that you have read as `expectedLifecycle`, in case another client was first.
   *
   * Permission: `projects:update`.
   */
  update(input: UpdateEnvironmentInput, options?: RequestOptions): Promise<Environment>

  /**
   * List transitions: `GET /api/v1/projects/{projectId}/environments/{environmentId}/transitions`.
   *
   * The lifecycle journal, ascending.
   *
   * Permission: `projects:get`.
   */
  listTransitions(input: ListEnvironmentTransitionsInput, options?: RequestOptions): List<Transition, Pagination>
}

/** `troupe.agents`. */
export interface AgentsResource {
  /**
   * Delete an Agent: `DELETE /api/v1/projects/{projectId}/agents/{agentId}`.
   *
   * Refused while something live depends on it; `details.dependents` names the first 20. Its revisions and its runs go with it. Until then its contents can be read but not changed; `deletion` shows the progress. Afterwards its ids answer 404.
   *
   * Permission: `agents:delete`.
   */
  delete(input: DeleteAgentInput, options?: RequestOptions): Promise<Agent>

  /**
   * Get an Agent: `GET /api/v1/projects/{projectId}/agents/{agentId}`.
   *
   * With its identity, its status and its latest revision.
   *
   * Permission: `agents:get`.
   */
  get(input: GetAgentInput, options?: RequestOptions): Promise<Agent>

  /**
   * Change an Agent: `PATCH /api/v1/projects/{projectId}/agents/{agentId}`.
   *
   * Changes its name or description, not its revisions. An Agent that is being deleted is not found.
   *
   * Permission: `agents:push`.
   */
  update(input: UpdateAgentInput, options?: RequestOptions): Promise<Agent>

  /**
   * List Agents: `GET /api/v1/projects/{projectId}/agents`.
   *
   * The Agents of the Project, newest first. A key that is bound to an Agent sees only that one.
   *
   * Permission: `agents:list`.
   */
  list(input: ListAgentsInput, options?: RequestOptions): List<Agent, Pagination>

  /**
   * Create an Agent: `POST /api/v1/projects/{projectId}/agents`.
   *
   * Creates its identity only; publish revisions for its content.
   *
   * Permission: `agents:push`.
   */
  create(input: CreateAgentInput, options?: RequestOptions): Promise<Agent>

  /**
   * List revisions: `GET /api/v1/projects/{projectId}/agents/{agentId}/revisions`.
   *
   * The revisions of the Agent, newest first. A cursor is valid only for this Project and this Agent.
   *
   * Permission: `agents:revisions:list`.
   */
  listRevisions(input: ListAgentRevisionsInput, options?: RequestOptions): List<AgentRevision, Pagination>

  /**
   * Publish a revision: `POST /api/v1/projects/{projectId}/agents/{agentId}/revisions`.
   *
   * Creates the next revision, which is immutable; Releases pin it by its id. All problems of the content are listed, up to 100. A JSON Schema may have 32,768 characters, all schemas of a content together 131,072, and may refer only to its own parts. Patterns are matched in linear time (RE2, without look-around and back references). Schemas whose check could grow faster than the value are rejected: see `docs/schemas.md`.
   *
   * Permission: `agents:revisions:create`.
   */
  createRevision(input: CreateAgentRevisionInput, options?: RequestOptions): Promise<AgentRevision>

  /**
   * Preview a revision: `POST /api/v1/projects/{projectId}/agents/{agentId}/revisions/preview`.
   *
   * Validates the revision as publishing would, without writing anything.
   *
   * Permission: `agents:revisions:create`.
   */
  previewRevision(input: PreviewAgentRevisionInput, options?: RequestOptions): Promise<AgentRevisionPreview>

  /**
   * Get a revision: `GET /api/v1/projects/{projectId}/agents/{agentId}/revisions/{revisionId}`.
   *
   * The revision as it was published.
   *
   * Permission: `agents:revisions:get`.
   */
  getRevision(input: GetAgentRevisionInput, options?: RequestOptions): Promise<AgentRevision>

  /**
   * List System Agents: `GET /api/v1/system-agents`.
   *
   * Ordered by id. A credential that is bound to a part of the organization sees none.
   *
   * Permission: `agents:list`.
   */
  listSystemAgents(input?: ListSystemAgentsInput, options?: RequestOptions): List<SystemAgent, Pagination>

  /**
   * Get a System Agent: `GET /api/v1/system-agents/{agentId}`.
   *
   * At its latest revision, without its instructions.
   *
   * Permission: `agents:get`.
   */
  getSystemAgent(input: GetSystemAgentInput, options?: RequestOptions): Promise<SystemAgent>

  /**
   * Enable or disable a System Agent: `PATCH /api/v1/system-agents/{agentId}`.
   *
   * Only owners of the first organization may do this; it applies to the whole installation. A disabled System Agent cannot be started (404); its active runs continue. Every active Environment gets the event `system_agent.policy_changed`.
   *
   * Permission: `agents:push`.
   */
  updateSystemAgent(input: UpdateSystemAgentInput, options?: RequestOptions): Promise<SystemAgent>

  /**
   * Get an Agent's presentation: `GET /api/v1/projects/{projectId}/environments/{environmentId}/agents/{agentId}/presentation`.
   *
   * From the active Deployment of the Environment.
   *
   * Permission: `agents:render-presentation`.
   */
  getPresentation(input: GetAgentPresentationInput, options?: RequestOptions): Promise<AgentPresentation>

  /**
   * List provider settings: `GET /api/v1/projects/{projectId}/environments/{environmentId}/agents/{agentId}/provider-settings`.
   *
   * The setting of the Agent in the Environment, if there is one.
   *
   * Permission: `projects:get`.
   */
  listProviderSettings(input: ListProviderSettingsInput, options?: RequestOptions): List<ProviderSetting, Pagination>

  /**
   * Choose a model for an Agent: `POST /api/v1/projects/{projectId}/environments/{environmentId}/agents/{agentId}/provider-settings`.
   *
   * At most one for each Agent in an Environment; without one the platform default is used. It applies once a Configuration Revision with it is deployed and activated. A credential must be one for the provider; while it is disabled or has expired, runs fail.
   *
   * Permission: `projects:update`.
   */
  createProviderSetting(input: CreateProviderSettingInput, options?: RequestOptions): Promise<ProviderSetting>

  /**
   * Get a provider setting: `GET /api/v1/projects/{projectId}/environments/{environmentId}/agents/{agentId}/provider-settings/{settingId}`.
   *
   * The current setting; Deployments may pin an earlier one.
   *
   * Permission: `projects:get`.
   */
  getProviderSetting(input: GetProviderSettingInput, options?: RequestOptions): Promise<ProviderSetting>

  /**
   * Change a provider setting: `PATCH /api/v1/projects/{projectId}/environments/{environmentId}/agents/{agentId}/provider-settings/{settingId}`.
   *
   * The result must be valid as a whole: model and credential must belong to the provider.
   *
   * Permission: `projects:update`.
   */
  updateProviderSetting(input: UpdateProviderSettingInput, options?: RequestOptions): Promise<ProviderSetting>

  /**
   * Delete a provider setting: `DELETE /api/v1/projects/{projectId}/environments/{environmentId}/agents/{agentId}/provider-settings/{settingId}`.
   *
   * Returns the deleted setting. Deployments keep their copies.
   *
   * Permission: `projects:update`.
   */
  deleteProviderSetting(input: DeleteProviderSettingInput, options?: RequestOptions): Promise<ProviderSetting>
}

/** `troupe.apiKeys`. */
export interface ApiKeysResource {
  /**
   * List API keys: `GET /api/v1/api-keys`.
   *
   * All keys of the organization, including revoked and expired ones, newest first.
   *
   * Permission: `api-keys:list`.
   */
  list(input?: ListApiKeysInput, options?: RequestOptions): List<ApiKey, Pagination>

  /**
   * Create an API key: `POST /api/v1/api-keys`.
   *
   * The key acts for the user who creates it: it can perform its operations as far as the user may at that time, within its scope. It is not limited by the operations of the credential that creates it. `secret` is shown only here. `warnings` mentions if the key can create other keys.
   *
   * Permission: `api-keys:create`.
   */
  create(input: CreateApiKeyInput, options?: RequestOptions): Promise<CreatedApiKey>

  /**
   * Get the API key of the request: `GET /api/v1/api-keys/current`.
   *
   * The key that sends the request: its name, permissions, scope and expiry. Every key can read itself.
   */
  getCurrentApiKey(options?: RequestOptions): Promise<ApiKey>

  /**
   * Get an API key: `GET /api/v1/api-keys/{keyId}`.
   *
   * Without its secret.
   *
   * Permission: `api-keys:get`.
   */
  get(input: GetApiKeyInput, options?: RequestOptions): Promise<ApiKey>

  /**
   * Rename an API key or shorten its life: `PATCH /api/v1/api-keys/{keyId}`.
   *
   * Its permissions cannot change: create another key instead. Its expiry can only be moved forward.
   *
   * Permission: `api-keys:update`.
   */
  update(input: UpdateApiKeyInput, options?: RequestOptions): Promise<ApiKey>

  /**
   * Rotate an API key: `POST /api/v1/api-keys/{keyId}/rotate`.
   *
   * Creates a key with the name, operations, scope and expiry of the old one, and ends the old one after the overlap, in one transaction. The new key acts for the user who rotates it (`warnings` says so if that is another user), so rotation gives no more authority than creation. Also requires `api-keys:revoke`. A key can be rotated once; a rotated, revoked or expired key is 409. `secret` is shown only here.
   *
   * Permission: `api-keys:create`.
   */
  rotate(input: RotateApiKeyInput, options?: RequestOptions): Promise<RotatedApiKey>

  /**
   * Revoke an API key: `POST /api/v1/api-keys/{keyId}/revoke`.
   *
   * Permanent, and effective from the next request. Revoking again changes nothing.
   *
   * Permission: `api-keys:revoke`.
   */
  revoke(input: RevokeApiKeyInput, options?: RequestOptions): Promise<ApiKey>

  /**
   * Request an API key for a program: `POST /api/auth/device-authorizations`.
   *
   * For programs that have no credential yet, such as `troupe login`: show `userCode` and `verificationUrlComplete` to the person, and exchange `deviceCode` until it is answered with a key. An address may ask 30 times in 15 minutes.
   */
  requestDeviceAuthorization(input: RequestDeviceAuthorizationInput, options?: RequestOptions): Promise<DeviceAuthorization>

  /**
   * Exchange a device code for its API key: `POST /api/auth/device-authorizations/token`.
   *
   * Answers 409 `authorization_pending` until a person decides, then the key, once. The key acts for the person who approved. 401 for a code that is unknown, denied, expired or used, and once the session or the key with which it was approved has ended, or the `expiresAt` of the approval has passed.
   */
  exchangeDeviceCode(input: ExchangeDeviceCodeInput, options?: RequestOptions): Promise<CreatedApiKey>

  /**
   * Get a pending request for an API key: `GET /api/v1/device-authorizations/{userCode}`.
   *
   * By the code that the program shows; 404 once it is decided, or after ten minutes.
   *
   * Permission: `api-keys:create`.
   */
  getDeviceAuthorization(input: GetDeviceAuthorizationInput, options?: RequestOptions): Promise<PendingDeviceAuthorization>

  /**
   * Approve an API key for a program: `POST /api/v1/device-authorizations/{userCode}/approve`.
   *
   * The program gets a key of this organization that acts for you, within these operations and this scope. Approve only what you have begun yourself, and compare the code.
   *
   * Permission: `api-keys:create`.
   */
  approveDeviceAuthorization(input: ApproveDeviceAuthorizationInput, options?: RequestOptions): Promise<void>

  /**
   * Deny a program an API key: `POST /api/v1/device-authorizations/{userCode}/deny`.
   *
   * Its code is no longer valid.
   *
   * Permission: `api-keys:create`.
   */
  denyDeviceAuthorization(input: DenyDeviceAuthorizationInput, options?: RequestOptions): Promise<void>
}

/** `troupe.sessions`. */
export interface SessionsResource {
  /**
   * Sign in: `POST /api/auth/sessions`.
   *
   * Sets the cookie `troupe_session` (`HttpOnly`, `SameSite=Lax`, `Secure` over https), which is valid for 12 hours after its last use and for a week at most; over https its name is `__Host-troupe_session`. 429 for more than 20 attempts a minute from one address, ten failures in 15 minutes for one account from one address, or 100 attempts in 15 minutes for one account from anywhere; a browser that has signed in to the account before (the cookie `troupe_device`) is counted separately. 503 while too many passwords are being checked. Several accounts may claim an address while none has verified it: each signs in with its own password, or within `organization`; up to five are tried.
   */
  create(input: CreateSessionInput, options?: RequestOptions): Promise<Session>

  /**
   * List your sessions: `GET /api/auth/sessions`.
   *
   * Your live sessions in all organizations, newest first.
   */
  list(input?: ListSessionsInput, options?: RequestOptions): List<OwnSession, Pagination>

  /**
   * End your other sessions: `DELETE /api/auth/sessions`.
   *
   * Ends all but the current session, from their next request. API keys continue.
   */
  endOtherSessions(options?: RequestOptions): Promise<void>

  /**
   * End one of your sessions: `DELETE /api/auth/sessions/{sessionId}`.
   *
   * From its next request. Ending the current session signs out. The session of another user is 404.
   */
  end(input: EndSessionInput, options?: RequestOptions): Promise<void>

  /**
   * Get the session: `GET /api/auth/session`.
   *
   * The signed-in user, the organizations, and the CSRF token for changes. May renew the cookie.
   */
  get(options?: RequestOptions): Promise<Session>

  /**
   * Sign out: `DELETE /api/auth/session`.
   *
   * Ends the session at once and clears the cookie.
   */
  delete(options?: RequestOptions): Promise<void>

  /**
   * Change the password: `POST /api/auth/password`.
   *
   * Ends all other sessions of the user, and links that were mailed to set a new password; API keys continue. A wrong current password counts as a failed sign-in.
   */
  changePassword(input: ChangePasswordInput, options?: RequestOptions): Promise<void>

  /**
   * Get the address of the account: `GET /api/auth/verifications`.
   *
   * Whether it is verified, and whether the server can mail it.
   */
  getAccountAddress(options?: RequestOptions): Promise<AccountAddress>

  /**
   * Request a mail that verifies the address: `POST /api/auth/verifications`.
   *
   * Sends a link to the address of the session's account, valid for a day. The answer does not wait for the mail and reveals nothing about other accounts that claim the address.
   */
  requestVerification(options?: RequestOptions): Promise<AccountAddress>

  /**
   * Verify the address: `PUT /api/auth/verifications/{token}`.
   *
   * Requires the token in the mail and a session of the account that requested it. Works once. A token that is unknown, used, expired or another account's is 404; 409 `address_taken` if the address was verified for another account.
   */
  verifyAddress(input: VerifyAddressInput, options?: RequestOptions): Promise<AccountAddress>

  /**
   * Request a password reset: `POST /api/auth/password-resets`.
   *
   * The same answer, equally fast, for every address. Mails the verified address of an account, at most three times an hour; the link is valid for an hour. 429 after ten requests in 15 minutes from one client.
   */
  requestPasswordReset(input: RequestPasswordResetInput, options?: RequestOptions): Promise<PasswordResetOrdered>

  /**
   * Reset a password: `PUT /api/auth/password-resets/{token}`.
   *
   * Requires the token in the mail. Works once, and ends all sessions of the account; API keys continue. A token that is unknown, used or expired is 404.
   */
  resetPassword(input: ResetPasswordInput, options?: RequestOptions): Promise<void>

  /**
   * Accept an invitation with a new account: `POST /api/auth/invitations`.
   *
   * Creates the user, makes it a member and signs in: sets the cookie `troupe_session` like `createSession`. Works once. The address of the new account is verified if the token was mailed. An invitation that is unknown, used, withdrawn, replaced or expired, or whose inviter may no longer invite, is 401 `invalid_credentials`. One for an account, or mailed to the verified address of one, is 409 `account_exists`: sign in and accept it with `joinOrganization`.
   */
  acceptInvitation(input: AcceptInvitationInput, options?: RequestOptions): Promise<Session>

  /**
   * Accept an invitation with the signed-in account: `POST /api/auth/invitations/accept`.
   *
   * Makes the session's user a member. Works once; an invitation of an account works for that account only. A token that was mailed to the account's own address verifies the address. Refused like `acceptInvitation`.
   */
  joinOrganization(input: JoinOrganizationInput, options?: RequestOptions): Promise<Session>
}

/** `troupe.templates`. */
export interface TemplatesResource {
  /**
   * Search templates: `GET /api/v1/templates`.
   *
   * Searches the built-in catalogue, ordered by slug. Without a query, returns all templates.
   *
   * Permission: `templates:search`.
   */
  search(input?: SearchTemplatesInput, options?: RequestOptions): List<Template, Pagination>

  /**
   * Get a template: `GET /api/v1/templates/{templateId}`.
   *
   * By the id that `createProject` accepts as `templateId`.
   *
   * Permission: `templates:read`.
   */
  get(input: GetTemplateInput, options?: RequestOptions): Promise<Template>
}

/** `troupe.definitions`. */
export interface DefinitionsResource {
  /**
   * List Definitions: `GET /api/v1/projects/{projectId}/definitions`.
   *
   * The Definitions of the Project, newest first.
   *
   * Permission: `definitions:list`.
   */
  list(input: ListDefinitionsInput, options?: RequestOptions): List<Definition, Pagination>

  /**
   * Create a Definition: `POST /api/v1/projects/{projectId}/definitions`.
   *
   * Creates its name and kind only; publish revisions for its source.
   *
   * Permission: `definitions:create`.
   */
  create(input: CreateDefinitionInput, options?: RequestOptions): Promise<Definition>

  /**
   * Get a Definition: `GET /api/v1/projects/{projectId}/definitions/{definitionId}`.
   *
   * With its name, its kind and its latest revision.
   *
   * Permission: `definitions:get`.
   */
  get(input: GetDefinitionInput, options?: RequestOptions): Promise<Definition>

  /**
   * Change a Definition: `PATCH /api/v1/projects/{projectId}/definitions/{definitionId}`.
   *
   * Changes its name or description, not its revisions. A Definition that a Release pins keeps its name.
   *
   * Permission: `definitions:update`.
   */
  update(input: UpdateDefinitionInput, options?: RequestOptions): Promise<Definition>

  /**
   * Delete a Definition: `DELETE /api/v1/projects/{projectId}/definitions/{definitionId}`.
   *
   * Deletes its revisions too; the name becomes available again. Refused while the Release of an active Deployment pins it. Other Deployments of Releases that pin it can no longer be activated (409 `deployment_not_ready`).
   *
   * Permission: `definitions:delete`.
   */
  delete(input: DeleteDefinitionInput, options?: RequestOptions): Promise<void>

  /**
   * List revisions: `GET /api/v1/projects/{projectId}/definitions/{definitionId}/revisions`.
   *
   * The revisions of the Definition, newest first.
   *
   * Permission: `definitions:get`.
   */
  listRevisions(input: ListDefinitionRevisionsInput, options?: RequestOptions): List<DefinitionRevision, Pagination>

  /**
   * Publish a revision: `POST /api/v1/projects/{projectId}/definitions/{definitionId}/revisions`.
   *
   * Creates the next revision, which is immutable; Releases pin it by its id. The source is validated for the Definition's kind; all problems are listed, up to 100. A JSON Schema may have 32,768 characters, all schemas of a source together 131,072, and may refer only to its own parts. Patterns are matched in linear time (RE2, without look-around and back references). Schemas whose check could grow faster than the value are rejected: see `docs/schemas.md`.
   *
   * Permission: `definitions:update`.
   */
  createRevision(input: CreateDefinitionRevisionInput, options?: RequestOptions): Promise<DefinitionRevision>

  /**
   * Preview a revision: `POST /api/v1/projects/{projectId}/definitions/{definitionId}/revisions/preview`.
   *
   * Validates the source as publishing would, without writing anything. For an entity, the answer includes the statechart, and counts existing entities in states that the source no longer has.
   *
   * Permission: `definitions:update`.
   */
  previewRevision(input: PreviewDefinitionRevisionInput, options?: RequestOptions): Promise<DefinitionRevisionPreview>

  /**
   * Get a revision: `GET /api/v1/projects/{projectId}/definitions/{definitionId}/revisions/{revisionId}`.
   *
   * The revision as it was published.
   *
   * Permission: `definitions:get`.
   */
  getRevision(input: GetDefinitionRevisionInput, options?: RequestOptions): Promise<DefinitionRevision>

  /**
   * Get the statechart of a revision: `GET /api/v1/projects/{projectId}/definitions/{definitionId}/revisions/{revisionId}/machine`.
   *
   * The statechart of entities of this revision; 404 for a Definition of another kind.
   *
   * Permission: `definitions:get`.
   */
  getRevisionMachine(input: GetDefinitionRevisionMachineInput, options?: RequestOptions): Promise<Machine>

  /**
   * Simulate a new entity: `POST /api/v1/projects/{projectId}/definitions/{definitionId}/revisions/{revisionId}/simulate`.
   *
   * Like `simulateMachine`, with the statechart of this revision; 404 for a Definition of another kind.
   *
   * Permission: `definitions:get`.
   */
  simulateRevision(input: SimulateDefinitionRevisionInput, options?: RequestOptions): Promise<Simulation>

  /**
   * Import operations: `POST /api/v1/projects/{projectId}/definitions/{definitionId}/import`.
   *
   * Creates a source for a Definition of kind `operations` from an OpenAPI document or from the tools of an MCP server (which also requires `connections:get`), and lists what is skipped and why. Nothing is stored: review the source, then publish it as a revision. The request may have 15 MiB and 100,000 values: of a larger document send the part that is wanted. A source has up to 100 operations, and schemas become less detailed when there are many.
   *
   * Permission: `definitions:update`.
   */
  importOperations(input: ImportOperationsInput, options?: RequestOptions): Promise<Import>
}

/** `troupe.deployments`. */
export interface DeploymentsResource {
  /**
   * List Releases: `GET /api/v1/projects/{projectId}/releases`.
   *
   * The Releases of the Project, newest first.
   *
   * Permission: `projects:get`.
   */
  listReleases(input: ListReleasesInput, options?: RequestOptions): List<Release, Pagination>

  /**
   * Create a Release: `POST /api/v1/projects/{projectId}/releases`.
   *
   * Pins revisions of Agents and Definitions. Everything that they refer to must be pinned too: operations of tools, grants and workflow steps, delegates, and the Agents and entities of handlers. All missing references are listed, with paths such as `/body/agents/0/content/tools/1/operation`.
   *
   * Permission: `deployments:create`.
   */
  createRelease(input: CreateReleaseInput, options?: RequestOptions): Promise<Release>

  /**
   * Get a Release: `GET /api/v1/projects/{projectId}/releases/{releaseId}`.
   *
   * The Release as it was created.
   *
   * Permission: `projects:get`.
   */
  getRelease(input: GetReleaseInput, options?: RequestOptions): Promise<Release>

  /**
   * Compare two Releases: `GET /api/v1/projects/{projectId}/releases/{releaseId}/diff`.
   *
   * The differences from `against`, by name: Agents and Definitions that were added, removed or changed, and for changed ones the paths that differ in their contents, grants and delegates. Values and grants that the credential may not read by themselves are left out.
   *
   * Permission: `projects:get`.
   */
  diffRelease(input: DiffReleaseInput, options?: RequestOptions): Promise<ReleaseDiff>

  /**
   * List Configuration Revisions: `GET /api/v1/projects/{projectId}/environments/{environmentId}/configuration-revisions`.
   *
   * Newest first; the oldest is number 0, which is empty.
   *
   * Permission: `projects:get`.
   */
  listConfigurationRevisions(input: ListConfigurationRevisionsInput, options?: RequestOptions): List<ConfigurationRevision, Pagination>

  /**
   * Create a Configuration Revision: `POST /api/v1/projects/{projectId}/environments/{environmentId}/configuration-revisions`.
   *
   * Pins every variable, Connection and provider setting of the Environment at its current version and becomes the head. It is immutable. Of several requests with the same expected head, one succeeds; through.
   *
   * Permission: `deployments:create`.
   */
  createConfigurationRevision(input: CreateConfigurationRevisionInput, options?: RequestOptions): Promise<ConfigurationRevision>

  /**
   * Get a Configuration Revision: `GET /api/v1/projects/{projectId}/environments/{environmentId}/configuration-revisions/{configurationRevisionId}`.
   *
   * Permission: `projects:get`.
   */
  getConfigurationRevision(input: GetConfigurationRevisionInput, options?: RequestOptions): Promise<ConfigurationRevision>

  /**
   * List Deployments: `GET /api/v1/projects/{projectId}/environments/{environmentId}/deployments`.
   *
   * Newest first.
   *
   * Permission: `projects:get`.
   */
  list(input: ListDeploymentsInput, options?: RequestOptions): List<Deployment, Pagination>

  /**
   * Submit a Deployment: `POST /api/v1/projects/{projectId}/environments/{environmentId}/deployments`.
   *
   * Validates it, tests its secrets and builds its bundle; then it is `ready` and can be activated. If it is `failed`, `stateReason.issues` lists all problems.
   *
   * Permission: `deployments:create`.
   */
  create(input: CreateDeploymentInput, options?: RequestOptions): Promise<Deployment>

  /**
   * Get a Deployment: `GET /api/v1/projects/{projectId}/environments/{environmentId}/deployments/{deploymentId}`.
   *
   * Permission: `projects:get`.
   */
  get(input: GetDeploymentInput, options?: RequestOptions): Promise<Deployment>

  /**
   * Compare two Deployments: `GET /api/v1/projects/{projectId}/environments/{environmentId}/deployments/{deploymentId}/diff`.
   *
   * The differences from `against`, by name: what its Release and its configuration have added, removed or changed. Versions show that a value or a secret has changed; neither is shown. Contents that the credential may not read by themselves are left out.
   *
   * Permission: `projects:get`.
   */
  diff(input: DiffDeploymentInput, options?: RequestOptions): Promise<DeploymentDiff>

  /**
   * Cancel a Deployment: `POST /api/v1/projects/{projectId}/environments/{environmentId}/deployments/{deploymentId}/cancel`.
   *
   * Possible before it is ready; canceling again changes nothing.
   *
   * Permission: `deployments:create`.
   */
  cancel(input: CancelDeploymentInput, options?: RequestOptions): Promise<Deployment>

  /**
   * List transitions of a Deployment: `GET /api/v1/projects/{projectId}/environments/{environmentId}/deployments/{deploymentId}/transitions`.
   *
   * Its journal, ascending.
   *
   * Permission: `projects:get`.
   */
  listTransitions(input: ListDeploymentTransitionsInput, options?: RequestOptions): List<Transition, Pagination>

  /**
   * List Activations: `GET /api/v1/projects/{projectId}/environments/{environmentId}/activations`.
   *
   * Newest first.
   *
   * Permission: `projects:get`.
   */
  listActivations(input: ListActivationsInput, options?: RequestOptions): List<Activation, Pagination>

  /**
   * Activate a Deployment: `POST /api/v1/projects/{projectId}/environments/{environmentId}/activations`.
   *
   * The Deployment serves from now on, and the generation of the Environment increases by one. Of several requests for the same generation, one succeeds. To roll back, activate an earlier Deployment that is ready.
   *
   * Permission: `activations:create`.
   */
  createActivation(input: CreateActivationInput, options?: RequestOptions): Promise<Activation>

  /**
   * Get an Activation: `GET /api/v1/projects/{projectId}/environments/{environmentId}/activations/{activationId}`.
   *
   * Permission: `projects:get`.
   */
  getActivation(input: GetActivationInput, options?: RequestOptions): Promise<Activation>
}

/** `troupe.applies`. */
export interface AppliesResource {
  /**
   * Plan a manifest: `POST /api/v1/applies/plan`.
   *
   * Returns what applying the manifest would change, and all problems at once. Nothing is written. Values are shown only of kinds that the credential may list and read.
   *
   * Permission: `projects:get`.
   */
  plan(input: PlanApplyInput, options?: RequestOptions): Promise<ApplyPlan>

  /**
   * Apply a manifest: `POST /api/v1/applies`.
   *
   * Creates the Project if it is missing, opens the Environment, writes only the differences, then creates a Release, a Configuration Revision and a Deployment, and activates it. Requires the permissions of every change. The active Deployment serves until the new one is ready. Applying the same manifest again writes nothing.
   *
   * Permission: `deployments:create`.
   */
  create(input: CreateApplyInput, options?: RequestOptions): Promise<Apply>

  /**
   * List Applies: `GET /api/v1/applies`.
   *
   * The Applies that the credential can read, newest first.
   *
   * Permission: `projects:get`.
   */
  list(input?: ListAppliesInput, options?: RequestOptions): List<Apply, Pagination>

  /**
   * Get an Apply: `GET /api/v1/applies/{applyId}`.
   *
   * With its progress, its changes and the ids of what it created.
   *
   * Permission: `projects:get`.
   */
  get(input: GetApplyInput, options?: RequestOptions): Promise<Apply>

  /**
   * Cancel an Apply: `POST /api/v1/applies/{applyId}/cancel`.
   *
   * Possible before `activating`; canceling again changes nothing. Resources that it has written remain, and the active Deployment does not change.
   *
   * Permission: `deployments:create`.
   */
  cancel(input: CancelApplyInput, options?: RequestOptions): Promise<Apply>

  /**
   * List transitions of an Apply: `GET /api/v1/applies/{applyId}/transitions`.
   *
   * Its journal, ascending.
   *
   * Permission: `projects:get`.
   */
  listTransitions(input: ListApplyTransitionsInput, options?: RequestOptions): List<Transition, Pagination>

  /**
   * Promote a Release: `POST /api/v1/promotions`.
   *
   * Creates an Apply that deploys the active Release of one Environment to another Environment of the Project, with the configuration of the target. Missing configuration is listed by name.
   *
   * Permission: `deployments:create`.
   */
  createPromotion(input: CreatePromotionInput, options?: RequestOptions): Promise<Apply>

  /**
   * Roll back: `POST /api/v1/projects/{projectId}/environments/{environmentId}/rollback`.
   *
   * Creates an Apply that activates an earlier Deployment, one or more steps back. With `credentials: current` it deploys the same Release and configuration again with the current versions of the credentials.
   *
   * Permission: `deployments:create`.
   */
  rollBack(input: RollBackInput, options?: RequestOptions): Promise<Apply>

  /**
   * Export a manifest: `GET /api/v1/projects/{projectId}/manifest`.
   *
   * Describes the active Deployment of the Environment by names. Values of variables are omitted (`secret: true`). Applying the exported manifest changes nothing; one of more than 4 MiB, which no Apply takes, is 422 `too_large`. Requires the permissions to list and read Definitions, Agents, variables, Connections, agent jobs and webhooks. Not for keys of an Agent.
   *
   * Permission: `projects:get`.
   */
  getManifest(input: GetManifestInput, options?: RequestOptions): Promise<Manifest>
}

/** `troupe.providerCredentials`. */
export interface ProviderCredentialsResource {
  /**
   * List provider credentials: `GET /api/v1/organizations/{organizationIdOrSlug}/provider-credentials`.
   *
   * All of the organization (at most 200), newest first, without their secrets.
   *
   * Permission: `provider-credentials:list`.
   */
  list(input: ListProviderCredentialsInput, options?: RequestOptions): List<ProviderCredential>

  /**
   * Create a provider credential: `POST /api/v1/organizations/{organizationIdOrSlug}/provider-credentials`.
   *
   * The secret becomes version 1. It is stored encrypted and appears in no answer. An organization has at most 200 credentials.
   *
   * Permission: `provider-credentials:create`.
   */
  create(input: CreateProviderCredentialInput, options?: RequestOptions): Promise<ProviderCredential>

  /**
   * Get a provider credential: `GET /api/v1/organizations/{organizationIdOrSlug}/provider-credentials/{credentialId}`.
   *
   * Without its secret.
   *
   * Permission: `provider-credentials:get`.
   */
  get(input: GetProviderCredentialInput, options?: RequestOptions): Promise<ProviderCredential>

  /**
   * Change a provider credential: `PATCH /api/v1/organizations/{organizationIdOrSlug}/provider-credentials/{credentialId}`.
   *
   * Changes label, status and expiry. While it is disabled or expired nothing can use it: everything that pins one of its versions fails.
   *
   * Permission: `provider-credentials:update`.
   */
  update(input: UpdateProviderCredentialInput, options?: RequestOptions): Promise<ProviderCredential>

  /**
   * Delete a provider credential: `DELETE /api/v1/organizations/{organizationIdOrSlug}/provider-credentials/{credentialId}`.
   *
   * Deletes all of its versions. Refused while an active Deployment pins one of them: `details.dependents` has the first 20.
   *
   * Permission: `provider-credentials:delete`.
   */
  delete(input: DeleteProviderCredentialInput, options?: RequestOptions): Promise<void>

  /**
   * Rotate a provider credential: `POST /api/v1/organizations/{organizationIdOrSlug}/provider-credentials/{credentialId}/versions`.
   *
   * Creates the next version, for future configuration; existing pins keep their versions. A credential has at most 100 versions.
   *
   * Permission: `provider-credentials:versions:create`.
   */
  createVersion(input: CreateProviderCredentialVersionInput, options?: RequestOptions): Promise<ProviderCredential>

  /**
   * List the uses of a provider credential: `GET /api/v1/organizations/{organizationIdOrSlug}/provider-credentials/{credentialId}/uses`.
   *
   * The Connections and provider settings that refer to it (at most 1,000), and those that active Deployments (at most 50) pin it for: by name, each with its version.
   *
   * Permission: `provider-credentials:get`.
   */
  listUses(input: ListProviderCredentialUsesInput, options?: RequestOptions): List<ProviderCredentialUse>

  /**
   * Revoke a version of a provider credential: `POST /api/v1/organizations/{organizationIdOrSlug}/provider-credentials/{credentialId}/versions/{version}/revoke`.
   *
   * Permanent: nothing can use that version any more, even if it is pinned. Other versions are not affected. Revoking again changes nothing.
   *
   * Permission: `provider-credentials:update`.
   */
  revokeVersion(input: RevokeProviderCredentialVersionInput, options?: RequestOptions): Promise<ProviderCredential>
}

/** `troupe.variables`. */
export interface VariablesResource {
  /**
   * List an organization's variables: `GET /api/v1/organizations/{organizationIdOrSlug}/variables`.
   *
   * Newest first, without their values.
   *
   * Permission: `organization-variables:list`.
   */
  listOrganizationVariables(input: ListOrganizationVariablesInput, options?: RequestOptions): List<OrganizationVariable, Pagination>

  /**
   * Create a variable of the organization: `POST /api/v1/organizations/{organizationIdOrSlug}/variables`.
   *
   * The value becomes version 1. It is stored encrypted and appears in no answer. An organization has at most 1,000 variables.
   *
   * Permission: `organization-variables:manage`.
   */
  createOrganizationVariable(input: CreateOrganizationVariableInput, options?: RequestOptions): Promise<OrganizationVariable>

  /**
   * Get a variable of the organization: `GET /api/v1/organizations/{organizationIdOrSlug}/variables/{variableId}`.
   *
   * Without its value.
   *
   * Permission: `organization-variables:list`.
   */
  getOrganizationVariable(input: GetOrganizationVariableInput, options?: RequestOptions): Promise<OrganizationVariable>

  /**
   * Change a variable of the organization: `PATCH /api/v1/organizations/{organizationIdOrSlug}/variables/{variableId}`.
   *
   * A value becomes the next version; variables that take an earlier one keep it. While it is disabled, nothing can use its values. A variable has at most 10,000 versions.
   *
   * Permission: `organization-variables:manage`.
   */
  updateOrganizationVariable(input: UpdateOrganizationVariableInput, options?: RequestOptions): Promise<OrganizationVariable>

  /**
   * Delete a variable of the organization: `DELETE /api/v1/organizations/{organizationIdOrSlug}/variables/{variableId}`.
   *
   * Deletes all of its versions. Refused while a version of an Environment's variable, also an earlier one, takes its value: `details.dependents` has the first 20 of these variables.
   *
   * Permission: `organization-variables:manage`.
   */
  deleteOrganizationVariable(input: DeleteOrganizationVariableInput, options?: RequestOptions): Promise<void>

  /**
   * List an Environment's variables: `GET /api/v1/projects/{projectId}/environments/{environmentId}/variables`.
   *
   * Newest first, without their values. A key that is bound to an Agent gets the variables that the Agent may use.
   *
   * Permission: `env:variables:list`.
   */
  list(input: ListVariablesInput, options?: RequestOptions): List<Variable, Pagination>

  /**
   * Create a variable: `POST /api/v1/projects/{projectId}/environments/{environmentId}/variables`.
   *
   * With a value of its own, stored encrypted, or with a version of an organization variable. The name is unique among variables for all Agents, and among those of one Agent. An Environment has at most 1,000 variables. Deployments use the values at the time of their Configuration Revision.
   *
   * Permission: `env:variables:create`.
   */
  create(input: CreateVariableInput, options?: RequestOptions): Promise<Variable>

  /**
   * Get a variable: `GET /api/v1/projects/{projectId}/environments/{environmentId}/variables/{variableId}`.
   *
   * Without its value.
   *
   * Permission: `env:variables:get`.
   */
  get(input: GetVariableInput, options?: RequestOptions): Promise<Variable>

  /**
   * Change a variable: `PATCH /api/v1/projects/{projectId}/environments/{environmentId}/variables/{variableId}`.
   *
   * A value or a source becomes the next version, for future Configuration Revisions; pins of earlier versions do not change. While it is disabled, no version can be used. A variable has at most 10,000 versions.
   *
   * Permission: `env:variables:update`.
   */
  update(input: UpdateVariableInput, options?: RequestOptions): Promise<Variable>

  /**
   * Delete a variable: `DELETE /api/v1/projects/{projectId}/environments/{environmentId}/variables/{variableId}`.
   *
   * Deletes all of its versions and returns it. Refused while the active Deployment pins one of them.
   *
   * Permission: `env:variables:delete`.
   */
  delete(input: DeleteVariableInput, options?: RequestOptions): Promise<Variable>
}

/** `troupe.connections`. */
export interface ConnectionsResource {
  /**
   * List Connections: `GET /api/v1/projects/{projectId}/environments/{environmentId}/connections`.
   *
   * The Connections of the Environment, newest first, without their credentials.
   *
   * Permission: `connections:list`.
   */
  list(input: ListConnectionsInput, options?: RequestOptions): List<Connection, Pagination>

  /**
   * Create a Connection: `POST /api/v1/projects/{projectId}/environments/{environmentId}/connections`.
   *
   * Its settings and its credential reference become version 1. The settings depend on the kind; they must not contain secrets. An Environment has at most 200 Connections, and an Agent one under each binding key. Runs use it once a Configuration Revision with it is deployed and activated.
   *
   * Permission: `connections:create`.
   */
  create(input: CreateConnectionInput, options?: RequestOptions): Promise<Connection>

  /**
   * Get the health of declared bindings: `GET /api/v1/projects/{projectId}/environments/{environmentId}/connections/health`.
   *
   * Every Connection that an Agent of the active Deployment declares, including missing ones. Only stored state is checked: no service is contacted, so a healthy binding may still fail.
   *
   * Permission: `connections:list`.
   */
  getHealth(input: GetConnectionHealthInput, options?: RequestOptions): List<BindingHealth>

  /**
   * Get a Connection: `GET /api/v1/projects/{projectId}/environments/{environmentId}/connections/{connectionId}`.
   *
   * With its settings and its current version.
   *
   * Permission: `connections:get`.
   */
  get(input: GetConnectionInput, options?: RequestOptions): Promise<Connection>

  /**
   * Change a Connection: `PATCH /api/v1/projects/{projectId}/environments/{environmentId}/connections/{connectionId}`.
   *
   * Name, status and binding; `version` creates the next immutable version. Deployments keep the version that they pin, and fail while the Connection is disabled. A Connection has at most 10,000 versions.
   *
   * Permission: `connections:update`.
   */
  update(input: UpdateConnectionInput, options?: RequestOptions): Promise<Connection>

  /**
   * Delete a Connection: `DELETE /api/v1/projects/{projectId}/environments/{environmentId}/connections/{connectionId}`.
   *
   * Deletes all of its versions. Refused while a Configuration Revision contains it.
   *
   * Permission: `connections:delete`.
   */
  delete(input: DeleteConnectionInput, options?: RequestOptions): Promise<void>

  /**
   * List the tools of an MCP server: `POST /api/v1/projects/{projectId}/environments/{environmentId}/connections/{connectionId}/mcp-tools`.
   *
   * Asks the Streamable HTTP server at the base URL of the Connection, with its credential, for at most 15 seconds. The path of the base URL is that of the server, often `/mcp`.
   *
   * Permission: `connections:get`.
   */
  listMcpTools(input: ListMcpToolsInput, options?: RequestOptions): List<McpToolListAnswer['data']['items'][number]>

  /**
   * List connection presets: `GET /api/v1/connection-presets`.
   *
   * The OAuth providers that Connections can use, ordered by key. The catalogue is the same for every organization; the integrations of an organization show which of them it has registered.
   *
   * Permission: `connections:presets:list`.
   */
  listPresets(options?: RequestOptions): List<ConnectionPreset>

  /**
   * Get a connection preset: `GET /api/v1/connection-presets/{presetKey}`.
   *
   * One provider, by its key.
   *
   * Permission: `connections:presets:list`.
   */
  getPreset(input: GetConnectionPresetInput, options?: RequestOptions): Promise<ConnectionPreset>
}

/** `troupe.events`. */
export interface EventsResource {
  /**
   * Pull events: `GET /api/v1/projects/{projectId}/environments/{environmentId}/events`.
   *
   * Every event once, in order; without a cursor from the oldest available, or only the `last` ones. While `hasMore`, `nextCursor` returns the rest of this pull, up to the head at its start. Store `resumeCursor` after every answer and continue from it later. `cursor_expired` means that events expired before you read them: take a new baseline. A key that is bound to an Agent gets no events of other Agents.
   *
   * Permission: `webhooks:events:read`.
   */
  list(input: ListEventsInput, options?: RequestOptions): List<Event, HistoryPagination>

  /**
   * Take a baseline: `POST /api/v1/projects/{projectId}/environments/{environmentId}/events/rebaseline`.
   *
   * The current state of the Environment, and a cursor for the events after it. Both are of the same moment: no event is missing, and none is in both.
   *
   * Permission: `webhooks:rebaseline`.
   */
  rebaseline(input: RebaselineEventsInput, options?: RequestOptions): Promise<Rebaseline>
}

/** `troupe.webhooks`. */
export interface WebhooksResource {
  /**
   * List event types: `GET /api/v1/event-types`.
   *
   * With the JSON Schema of each. A webhook can subscribe to 33 of them; `webhook.test` is sent to test one.
   *
   * Permission: `webhooks:list`.
   */
  listEventTypes(options?: RequestOptions): List<EventType>

  /**
   * List webhooks: `GET /api/v1/projects/{projectId}/environments/{environmentId}/webhooks`.
   *
   * Newest first.
   *
   * Permission: `webhooks:list`.
   */
  list(input: ListWebhooksInput, options?: RequestOptions): List<Webhook, Pagination>

  /**
   * Create a webhook: `POST /api/v1/projects/{projectId}/environments/{environmentId}/webhooks`.
   *
   * Posts events from now on to the endpoint, signed by Standard Webhooks. The signing secret is in this answer only. An Environment has at most 20 webhooks.
   *
   * Permission: `webhooks:create`.
   */
  create(input: CreateWebhookInput, options?: RequestOptions): Promise<WebhookWithSecret>

  /**
   * Get a webhook: `GET /api/v1/projects/{projectId}/environments/{environmentId}/webhooks/{webhookId}`.
   *
   * Permission: `webhooks:list`.
   */
  get(input: GetWebhookInput, options?: RequestOptions): Promise<Webhook>

  /**
   * Change a webhook: `PATCH /api/v1/projects/{projectId}/environments/{environmentId}/webhooks/{webhookId}`.
   *
   * Waiting deliveries go to the new endpoint. While it is disabled it gets no new deliveries, and waiting ones are sent when it is enabled again; events in the meantime are not delivered.
   *
   * Permission: `webhooks:create`.
   */
  update(input: UpdateWebhookInput, options?: RequestOptions): Promise<Webhook>

  /**
   * Delete a webhook: `DELETE /api/v1/projects/{projectId}/environments/{environmentId}/webhooks/{webhookId}`.
   *
   * Deletes its deliveries too: nothing more is sent. Returns the deleted webhook.
   *
   * Permission: `webhooks:delete`.
   */
  delete(input: DeleteWebhookInput, options?: RequestOptions): Promise<Webhook>

  /**
   * Send a test event: `POST /api/v1/projects/{projectId}/environments/{environmentId}/webhooks/{webhookId}/test`.
   *
   * Records an event of the kind `webhook.test` and delivers it to this webhook only, whatever its event types. Returns the delivery; read it again to see the outcome.
   *
   * Permission: `webhooks:create`.
   */
  test(input: TestWebhookInput, options?: RequestOptions): Promise<WebhookDelivery>

  /**
   * Rotate the signing secret: `POST /api/v1/projects/{projectId}/environments/{environmentId}/webhooks/{webhookId}/secrets`.
   *
   * The new secret is in this answer only. For 24 hours every delivery is signed with both, the new one first. At most five earlier secrets are valid at a time.
   *
   * Permission: `webhooks:rotate-secret`.
   */
  rotateSecret(input: RotateWebhookSecretInput, options?: RequestOptions): Promise<WebhookWithSecret>

  /**
   * List deliveries of a webhook: `GET /api/v1/projects/{projectId}/environments/{environmentId}/webhooks/{webhookId}/deliveries`.
   *
   * Newest first, with the last 20 attempts of each. Deliveries are kept as long as their events.
   *
   * Permission: `webhooks:list`.
   */
  listDeliveries(input: ListWebhookDeliveriesInput, options?: RequestOptions): List<WebhookDelivery, Pagination>

  /**
   * Get a delivery: `GET /api/v1/projects/{projectId}/environments/{environmentId}/webhooks/{webhookId}/deliveries/{deliveryId}`.
   *
   * Permission: `webhooks:list`.
   */
  getDelivery(input: GetWebhookDeliveryInput, options?: RequestOptions): Promise<WebhookDelivery>

  /**
   * Replay a delivery: `POST /api/v1/projects/{projectId}/environments/{environmentId}/webhooks/{webhookId}/deliveries/{deliveryId}/replays`.
   *
   * Creates a delivery of the same event with the same `webhook-id`; the replayed one does not change. A repeated request with the same key within 24 hours gets the first answer.
   *
   * Permission: `webhooks:replay`.
   */
  replayDelivery(input: ReplayWebhookDeliveryInput, options?: RequestOptions): Promise<WebhookDelivery>

  /**
   * Retry a dead-lettered delivery: `POST /api/v1/projects/{projectId}/environments/{environmentId}/webhooks/{webhookId}/deliveries/{deliveryId}/retry`.
   *
   * Puts it back in the queue and resets its attempts. A conflict in any other state.
   *
   * Permission: `webhooks:retry-dead`.
   */
  retryDelivery(input: RetryWebhookDeliveryInput, options?: RequestOptions): Promise<WebhookDelivery>

  /**
   * Recover missed events of a webhook: `POST /api/v1/projects/{projectId}/environments/{environmentId}/webhooks/{webhookId}/recover`.
   *
   * Puts all dead letters back in the queue, and creates deliveries of the events from while the webhook was disabled. Runs in the background, one at a time for each webhook. The webhook must be enabled.
   *
   * Permission: `webhooks:retry-dead`.
   */
  recover(input: RecoverWebhookInput, options?: RequestOptions): Promise<WebhookRecovery>

  /**
   * List recoveries of a webhook: `GET /api/v1/projects/{projectId}/environments/{environmentId}/webhooks/{webhookId}/recoveries`.
   *
   * Newest first.
   *
   * Permission: `webhooks:list`.
   */
  listRecoveries(input: ListWebhookRecoveriesInput, options?: RequestOptions): List<WebhookRecovery, Pagination>

  /**
   * Get a recovery: `GET /api/v1/projects/{projectId}/environments/{environmentId}/webhooks/{webhookId}/recoveries/{recoveryId}`.
   *
   * Permission: `webhooks:list`.
   */
  getRecovery(input: GetWebhookRecoveryInput, options?: RequestOptions): Promise<WebhookRecovery>

  /**
   * Cancel a recovery: `POST /api/v1/projects/{projectId}/environments/{environmentId}/webhooks/{webhookId}/recoveries/{recoveryId}/cancel`.
   *
   * Deliveries that were put back in the queue stay there.
   *
   * Permission: `webhooks:retry-dead`.
   */
  cancelRecovery(input: CancelWebhookRecoveryInput, options?: RequestOptions): Promise<WebhookRecovery>

  /**
   * Get delivery statistics: `GET /api/v1/webhook-deliveries/statistics`.
   *
   * Counts the dead letters within the scope of the credential: one that is retried, expires, or is deleted with its webhook no longer counts. Every dead letter is counted, however many there are. A key that is bound to an Agent is refused, because deliveries do not belong to Agents.
   *
   * Permission: `analytics:read`.
   */
  getDeliveryStatistics(input?: GetWebhookDeliveryStatisticsInput, options?: RequestOptions): Promise<WebhookDeliveryStatistics>
}

/** `troupe.operations`. */
export interface OperationsResource {
  /**
   * Invoke an operation: `POST /api/v1/projects/{projectId}/environments/{environmentId}/agents/{agentId}/operations/{operation}/invoke`.
   *
   * Acts on behalf of an Agent of the active Deployment, which must have the operation in its `grantedOperations`. 200 once it has ended: `succeeded`, `failed` or `unknown`; 202 if it awaits an approval or takes longer than about 25 seconds. 404 if its target does not exist, a conflict if the state of the target refuses it, `too_large` if the rendered request is larger than 1 MiB, or its URL longer than 2,048 characters.
   *
   * Permission: `agents:invoke-operation`.
   */
  invoke(input: InvokeOperationInput, options?: RequestOptions): Promise<OperationInvocation>

  /**
   * List operation invocations: `GET /api/v1/projects/{projectId}/environments/{environmentId}/operation-invocations`.
   *
   * Newest first; those of requests, runs and workflows.
   *
   * Permission: `operation-invocations:list`.
   */
  listInvocations(input: ListOperationInvocationsInput, options?: RequestOptions): List<OperationInvocation, Pagination>

  /**
   * Get an operation invocation: `GET /api/v1/projects/{projectId}/environments/{environmentId}/operation-invocations/{invocationId}`.
   *
   * Permission: `operation-invocations:list`.
   */
  getInvocation(input: GetOperationInvocationInput, options?: RequestOptions): Promise<OperationInvocation>

  /**
   * Resolve an unknown outcome: `POST /api/v1/projects/{projectId}/environments/{environmentId}/operation-invocations/{invocationId}/resolve`.
   *
   * Records the outcome of a call whose outcome is `unknown`. Nothing is called, and the run that made the call is not notified, because it has already continued. A step of a workflow run is resolved with the run (`resolve-unknown`), unless that was canceled.
   *
   * Permission: `agents:invoke-operation`.
   */
  resolveInvocation(input: ResolveOperationInvocationInput, options?: RequestOptions): Promise<OperationInvocation>

  /**
   * List approvals: `GET /api/v1/projects/{projectId}/environments/{environmentId}/operation-approvals`.
   *
   * Newest first.
   *
   * Permission: `operation-approvals:list`.
   */
  listApprovals(input: ListOperationApprovalsInput, options?: RequestOptions): List<OperationApproval, Pagination>

  /**
   * Get an approval: `GET /api/v1/projects/{projectId}/environments/{environmentId}/operation-approvals/{approvalId}`.
   *
   * Permission: `operation-approvals:list`.
   */
  getApproval(input: GetOperationApprovalInput, options?: RequestOptions): Promise<OperationApproval>

  /**
   * Get the request of an approval: `GET /api/v1/projects/{projectId}/environments/{environmentId}/operation-approvals/{approvalId}/request`.
   *
   * What is sent once it is approved: the request over HTTP with its values filled in, or what else is called. Secrets, variables, the context of the run and headers of the Connection stand in it by their names. Nothing is sent, and nothing is read but what this server stores.
   *
   * Permission: `operation-approvals:list`.
   */
  getApprovalRequest(input: GetOperationApprovalRequestInput, options?: RequestOptions): Promise<ApprovalRequest>

  /**
   * Approve an operation: `POST /api/v1/projects/{projectId}/environments/{environmentId}/operation-approvals/{approvalId}/approve`.
   *
   * Starts the operation; a run that awaits it continues with the result. An approval that has been decided answers a conflict, with its status as `currentState`.
   *
   * Permission: `operation-approvals:approve`.
   */
  approve(input: ApproveOperationInput, options?: RequestOptions): Promise<OperationApproval>

  /**
   * Reject an operation: `POST /api/v1/projects/{projectId}/environments/{environmentId}/operation-approvals/{approvalId}/reject`.
   *
   * The operation never runs; a run that awaits it continues, and its model gets the rejection.
   *
   * Permission: `operation-approvals:reject`.
   */
  reject(input: RejectOperationInput, options?: RequestOptions): Promise<OperationApproval>

  /**
   * List the tools of an Agent: `GET /api/v1/projects/{projectId}/environments/{environmentId}/agents/{agentId}/tools`.
   *
   * Those of the Agent in the active Deployment, each with the description and the schema that its model gets.
   *
   * Permission: `agents:get`.
   */
  listDeployedTools(input: ListDeployedToolsInput, options?: RequestOptions): List<DeployedToolsAnswer['data']['items'][number]>

  /**
   * Call a tool alone: `POST /api/v1/projects/{projectId}/environments/{environmentId}/agents/{agentId}/tools/{tool}/call`.
   *
   * Calls a builtin tool of the Agent in the active Deployment as its model would, without a run. For an interactive tool it only checks the input, because the starter of a run answers its calls. A tool that calls an operation is refused: use `invokeOperation`.
   *
   * Permission: `agents:invoke-operation`.
   */
  callTool(input: CallToolInput, options?: RequestOptions): Promise<ToolCall>
}

/** `troupe.workers`. */
export interface WorkersResource {
  /**
   * List workers and queues: `GET /api/v1/projects/{projectId}/environments/{environmentId}/workers`.
   *
   * Workers that asked or reported within the last minute, at any server, and what waits in the queues.
   *
   * Permission: `operation-invocations:list`.
   */
  list(input: ListWorkersInput, options?: RequestOptions): Promise<Workers>

  /**
   * Lease calls: `POST /api/v1/projects/{projectId}/environments/{environmentId}/workers/leases`.
   *
   * Waits for calls of the queue and leases the oldest to the worker, which makes them and answers each. Answers 204 if none came in time. A lease without a heartbeat is lost: the call is made again if its operation only reads or is idempotent, and becomes `unknown` otherwise.
   *
   * Permission: `workers:serve`.
   */
  leaseCalls(input: LeaseWorkerCallsInput, options?: RequestOptions): Promise<WorkerLeases>

  /**
   * Answer several calls: `POST /api/v1/projects/{projectId}/environments/{environmentId}/workers/complete`.
   *
   * Each is handled like a single answer. One that is not accepted, because its lease is lost or there is no such call, does not affect the others.
   *
   * Permission: `workers:serve`.
   */
  completeCalls(input: CompleteWorkerCallsInput, options?: RequestOptions): List<WorkerAnswersTakenAnswer['data']['items'][number]>

  /**
   * Keep a lease: `POST /api/v1/projects/{projectId}/environments/{environmentId}/workers/invocations/{invocationId}/heartbeat`.
   *
   * Send one every third of the time until `expiresAt`.
   *
   * Permission: `workers:serve`.
   */
  heartbeatCall(input: HeartbeatWorkerCallInput, options?: RequestOptions): Promise<WorkerHeartbeatAnswer>

  /**
   * Answer a call: `POST /api/v1/projects/{projectId}/environments/{environmentId}/workers/invocations/{invocationId}/complete`.
   *
   * With an output, or with an error. A `retryable` error is tried again after a while, up to five attempts in all. Repeating the same answer is safe; another one is refused once the call has ended.
   *
   * Permission: `workers:serve`.
   */
  completeCall(input: CompleteWorkerCallInput, options?: RequestOptions): Promise<WorkerAnswerTaken>
}

/** `troupe.workflows`. */
export interface WorkflowsResource {
  /**
   * List runs of workflows: `GET /api/v1/projects/{projectId}/environments/{environmentId}/workflows`.
   *
   * Newest first. Runs for a user are listed only if the request names that user.
   *
   * Permission: `agents:manage-workflows`.
   */
  listRuns(input: ListWorkflowRunsInput, options?: RequestOptions): List<WorkflowRunSummary, Pagination>

  /**
   * Start a workflow: `POST /api/v1/projects/{projectId}/environments/{environmentId}/workflows`.
   *
   * Stores the run and answers 202; its steps run in the background. A repeated request with the same `requestKey` finds the same run: 200 once it has ended.
   *
   * Permission: `agents:manage-workflows`.
   */
  startRun(input: StartWorkflowRunInput, options?: RequestOptions): Promise<WorkflowRun>

  /**
   * Get a run of a workflow: `GET /api/v1/projects/{projectId}/environments/{environmentId}/workflows/{workflowRunId}`.
   *
   * Permission: `agents:manage-workflows`.
   */
  getRun(input: GetWorkflowRunInput, options?: RequestOptions): Promise<WorkflowRun>

  /**
   * List a run's moves: `GET /api/v1/projects/{projectId}/environments/{environmentId}/workflows/{workflowRunId}/transitions`.
   *
   * The journal of its statechart, ascending.
   *
   * Permission: `agents:manage-workflows`.
   */
  listRunTransitions(input: ListWorkflowRunTransitionsInput, options?: RequestOptions): List<Transition, Pagination>

  /**
   * Cancel a run of a workflow: `POST /api/v1/projects/{projectId}/environments/{environmentId}/workflows/{workflowRunId}/cancel`.
   *
   * No more steps start, approvals are withdrawn, and running steps complete (`canceling`). A run that has ended does not change.
   *
   * Permission: `agents:manage-workflows`.
   */
  cancelRun(input: CancelWorkflowRunInput, options?: RequestOptions): Promise<WorkflowRun>

  /**
   * Resolve an unknown step: `POST /api/v1/projects/{projectId}/environments/{environmentId}/workflows/{workflowRunId}/resolve-unknown`.
   *
   * A step is `unknown` if it is not idempotent and its result was lost or cannot be used. Its invocation is resolved too. Once all unknown steps are resolved, `resume` continues the run; `failed` fails it at once, unless the step has `continue`.
   *
   * Permission: `agents:manage-workflows`.
   */
  resolveUnknownWorkflowStep(input: ResolveUnknownWorkflowStepInput, options?: RequestOptions): Promise<WorkflowRun>

  /**
   * Resume a run of a workflow: `POST /api/v1/projects/{projectId}/environments/{environmentId}/workflows/{workflowRunId}/resume`.
   *
   * Continues a failed run, or one whose unknown steps are resolved, with the steps that have not succeeded. Succeeded steps are not repeated.
   *
   * Permission: `agents:manage-workflows`.
   */
  resumeRun(input: ResumeWorkflowRunInput, options?: RequestOptions): Promise<WorkflowRun>

  /**
   * Send an event to workflows: `POST /api/v1/projects/{projectId}/environments/{environmentId}/workflow-events`.
   *
   * It goes to every run of the Environment with a step that waits for it (`waitFor`), and is the output of that step. If none waits it is kept for 24 hours, and given to the first step that waits for it then; an Environment keeps 2,000.
   *
   * Permission: `agents:manage-workflows`.
   */
  sendEvent(input: SendWorkflowEventInput, options?: RequestOptions): Promise<WorkflowEvent>
}

/** `troupe.inbox`. */
export interface InboxResource {
  /**
   * Get the inbox: `GET /api/v1/inbox`.
   *
   * Everything that needs attention in the Environments that the credential can read, newest first, with a count for each kind. A kind is included if the caller has the permission to read its resources; without any of these permissions the answer is 403. A key that is bound to an Agent is rejected, because items are not counted by Agent.
   *
   * Permission: `agent-runs:get`, `alerts:list`, `operation-approvals:list`, `operation-invocations:list`, `webhooks:list`, `projects:get`, `connections:list`, `provider-credentials:list`, `api-keys:list`, `billing:read`, or `agents:manage-workflows`.
   */
  get(input?: GetInboxInput, options?: RequestOptions): List<InboxItem, Pagination>
}

/** `troupe.alerts`. */
export interface AlertsResource {
  /**
   * List alert rules: `GET /api/v1/alert-rules`.
   *
   * The rules that the credential can read, newest first.
   *
   * Permission: `alerts:list`.
   */
  listRules(input?: ListAlertRulesInput, options?: RequestOptions): List<AlertRule, Pagination>

  /**
   * Create an alert rule: `POST /api/v1/alert-rules`.
   *
   * Watches one Environment (requires `alerts:manage` there) or the whole organization. The rule is evaluated now and then once a minute. When it fires and when it resolves, it notifies webhooks and members once each, as `notify` says. An organization can have up to 100 rules.
   *
   * Permission: `alerts:manage`.
   */
  createRule(input: CreateAlertRuleInput, options?: RequestOptions): Promise<AlertRule>

  /**
   * Get an alert rule: `GET /api/v1/alert-rules/{alertRuleId}`.
   *
   * Includes the current measurement of its condition.
   *
   * Permission: `alerts:list`.
   */
  getRule(input: GetAlertRuleInput, options?: RequestOptions): Promise<AlertRuleNow>

  /**
   * Change an alert rule: `PATCH /api/v1/alert-rules/{alertRuleId}`.
   *
   * A new condition or new times reset the rule; if it is firing, it is resolved first. A disabled rule is not evaluated.
   *
   * Permission: `alerts:manage`.
   */
  updateRule(input: UpdateAlertRuleInput, options?: RequestOptions): Promise<AlertRule>

  /**
   * Delete an alert rule: `DELETE /api/v1/alert-rules/{alertRuleId}`.
   *
   * Deletes the rule and its incidents. A firing rule is resolved first.
   *
   * Permission: `alerts:manage`.
   */
  deleteRule(input: DeleteAlertRuleInput, options?: RequestOptions): Promise<AlertRule>

  /**
   * Test an alert rule: `POST /api/v1/alert-rules/{alertRuleId}/test`.
   *
   * Records `alert.firing` with `test: true` and sends the mails of a firing rule. The state of the rule does not change.
   *
   * Permission: `alerts:manage`.
   */
  testRule(input: TestAlertRuleInput, options?: RequestOptions): Promise<AlertTest>

  /**
   * List a rule's incidents: `GET /api/v1/alert-rules/{alertRuleId}/incidents`.
   *
   * Newest first; the last 100 are kept.
   *
   * Permission: `alerts:list`.
   */
  listIncidents(input: ListAlertIncidentsInput, options?: RequestOptions): List<AlertIncident, Pagination>
}

/** `troupe.billing`. */
export interface BillingResource {
  /**
   * List plans: `GET /api/v1/billing/plans`.
   *
   * The cheapest first. The plan of price zero requires no contract.
   *
   * Permission: `billing:read`.
   */
  listPlans(options?: RequestOptions): List<Plan>

  /**
   * Start a checkout: `POST /api/v1/organizations/{organizationIdOrSlug}/billing/checkout`.
   *
   * Returns the URL to send the browser to. The contract starts when the provider has been paid. An organization has one contract; while it is active, use the portal to change it.
   *
   * Permission: `billing:manage`.
   */
  createCheckout(input: CreateCheckoutInput, options?: RequestOptions): Promise<BillingRedirect>

  /**
   * Open the billing portal: `POST /api/v1/organizations/{organizationIdOrSlug}/billing/portal`.
   *
   * Returns the URL to send the browser to, for changing the plan or the payment method, or canceling.
   *
   * Permission: `billing:manage`.
   */
  createPortal(input: CreatePortalInput, options?: RequestOptions): Promise<BillingRedirect>

  /**
   * Get the subscription: `GET /api/v1/organizations/{organizationIdOrSlug}/billing/subscription`.
   *
   * Without a contract the plan of price zero, `active`; after the end of one the same plan, `canceled`.
   *
   * Permission: `billing:read`.
   */
  getSubscription(input: GetSubscriptionInput, options?: RequestOptions): Promise<Subscription>

  /**
   * Get the usage: `GET /api/v1/organizations/{organizationIdOrSlug}/billing/usage`.
   *
   * Of the current period, or of the one that began then; without a contract that is the calendar month in UTC. With `by` what each Project or Agent has used of it.
   *
   * Permission: `billing:read`.
   */
  getUsage(input: GetUsageInput, options?: RequestOptions): List<UsageShare>

  /**
   * Receive an event from Stripe: `POST /api/billing/stripe/webhook`.
   *
   * The webhook endpoint to configure at Stripe. Accepts events that are signed with its secret (`Stripe-Signature`) and not older than 5 minutes, then reads the subscription from Stripe. Exists only with Stripe.
   */
  receiveStripeEvent(options?: RequestOptions): Promise<StripeReceipt>
}

/** `troupe.jobs`. */
export interface JobsResource {
  /**
   * List agent jobs: `GET /api/v1/projects/{projectId}/environments/{environmentId}/agent-jobs`.
   *
   * Newest first; a key that is bound to an Agent gets the jobs of that Agent.
   *
   * Permission: `agent-jobs:list`.
   */
  list(input: ListAgentJobsInput, options?: RequestOptions): List<AgentJob, Pagination>

  /**
   * Create an agent job: `POST /api/v1/projects/{projectId}/environments/{environmentId}/agent-jobs`.
   *
   * Each tick sends the query to the Agent in the Deployment that is active then, or starts its workflow there. A local time skipped because clocks go forward becomes the first instant after the gap; one that occurs twice counts once. An Environment has at most 200 jobs.
   *
   * Permission: `agent-jobs:create`.
   */
  create(input: CreateAgentJobInput, options?: RequestOptions): Promise<AgentJob>

  /**
   * Get an agent job: `GET /api/v1/projects/{projectId}/environments/{environmentId}/agent-jobs/{jobId}`.
   *
   * Includes its last ticks.
   *
   * Permission: `agent-jobs:get`.
   */
  get(input: GetAgentJobInput, options?: RequestOptions): Promise<AgentJob>

  /**
   * Change an agent job: `PATCH /api/v1/projects/{projectId}/environments/{environmentId}/agent-jobs/{jobId}`.
   *
   * A new schedule, or one that is enabled again, counts from now: missed ticks are not caught up. A tick that is being handled is not affected.
   *
   * Permission: `agent-jobs:update`.
   */
  update(input: UpdateAgentJobInput, options?: RequestOptions): Promise<AgentJob>

  /**
   * Delete an agent job: `DELETE /api/v1/projects/{projectId}/environments/{environmentId}/agent-jobs/{jobId}`.
   *
   * Its runs remain, and a running one continues.
   *
   * Permission: `agent-jobs:delete`.
   */
  delete(input: DeleteAgentJobInput, options?: RequestOptions): Promise<void>

  /**
   * Run an agent job now: `POST /api/v1/projects/{projectId}/environments/{environmentId}/agent-jobs/{jobId}/run-now`.
   *
   * Starts a run at once, even if the job is disabled or another run of it is live; the schedule does not change. The creator of the run is the caller, and the run has the `agentJobId`.
   *
   * Permission: `agent-jobs:run-now`.
   */
  runNow(input: RunAgentJobNowInput, options?: RequestOptions): Promise<AgentJobRun>
}

/** `troupe.entities`. */
export interface EntitiesResource {
  /**
   * List the entities of a type: `GET /api/v1/projects/{projectId}/environments/{environmentId}/entities/{type}`.
   *
   * Newest first. A type is the name of a Definition of kind `entity`; 404 for an unknown type.
   *
   * Permission: `projects:read-runtime-data`.
   */
  list(input: ListEntitiesInput, options?: RequestOptions): List<Entity, Pagination>

  /**
   * Get an entity: `GET /api/v1/projects/{projectId}/environments/{environmentId}/entities/{type}/{entityId}`.
   *
   * Permission: `projects:read-runtime-data`.
   */
  get(input: GetEntityInput, options?: RequestOptions): Promise<Entity>

  /**
   * List the transitions of an entity: `GET /api/v1/projects/{projectId}/environments/{environmentId}/entities/{type}/{entityId}/transitions`.
   *
   * Its journal, ascending: creation and changes of state.
   *
   * Permission: `projects:read-runtime-data`.
   */
  listTransitions(input: ListEntityTransitionsInput, options?: RequestOptions): List<Transition, Pagination>
}

/** `troupe.integrations`. */
export interface IntegrationsResource {
  /**
   * List integration presets: `GET /api/v1/organization-integrations/presets`.
   *
   * The same catalogue for administrators, with the setup steps at the provider and the redirect URI to register there.
   *
   * Permission: `organization-integrations:presets:list`.
   */
  listPresets(options?: RequestOptions): List<ConnectionPreset>

  /**
   * List integrations: `GET /api/v1/organizations/{organizationIdOrSlug}/integrations`.
   *
   * All integrations of the organization, newest first, without their secrets: at most one for each preset.
   *
   * Permission: `organization-integrations:list`.
   */
  list(input: ListIntegrationsInput, options?: RequestOptions): List<Integration>

  /**
   * Register an integration: `POST /api/v1/organizations/{organizationIdOrSlug}/integrations`.
   *
   * Sends the provider an invalid authorization code, with a timeout of 10 seconds: the answer `invalid_grant` proves that it knows the client, which is then stored with its secret encrypted. With any other answer nothing is stored. An organization has one integration for each preset.
   *
   * Permission: `organization-integrations:create`.
   */
  register(input: RegisterIntegrationInput, options?: RequestOptions): Promise<Integration>

  /**
   * Get an integration: `GET /api/v1/organizations/{organizationIdOrSlug}/integrations/{integrationId}`.
   *
   * Without its secret.
   *
   * Permission: `organization-integrations:get`.
   */
  get(input: GetIntegrationInput, options?: RequestOptions): Promise<Integration>

  /**
   * Rotate the client or the secret of an integration: `PATCH /api/v1/organizations/{organizationIdOrSlug}/integrations/{integrationId}`.
   *
   * Verifies the client as registration does. On success the next version becomes current and the integration is `active`; on failure nothing changes. Flows in progress keep their version.
   *
   * Permission: `organization-integrations:update`.
   */
  rotate(input: RotateIntegrationInput, options?: RequestOptions): Promise<Integration>

  /**
   * Delete an integration: `DELETE /api/v1/organizations/{organizationIdOrSlug}/integrations/{integrationId}`.
   *
   * Deletes all versions of its client. Connections made with it remain, but their tokens are no longer renewed.
   *
   * Permission: `organization-integrations:delete`.
   */
  delete(input: DeleteIntegrationInput, options?: RequestOptions): Promise<void>

  /**
   * Verify an integration: `POST /api/v1/organizations/{organizationIdOrSlug}/integrations/{integrationId}/verify`.
   *
   * Sends the provider an invalid authorization code, with a timeout of 10 seconds: a definite answer is stored and returned with 200, success as `active`, refusal as `misconfigured`. If the provider cannot be reached, nothing changes.
   *
   * Permission: `organization-integrations:verify`.
   */
  verify(input: VerifyIntegrationInput, options?: RequestOptions): Promise<IntegrationVerification>
}

/** `troupe.oauth`. */
export interface OauthResource {
  /**
   * Start a consent flow: `GET /api/oauth/start/{presetKey}`.
   *
   * For a browser with a session, or a program with an API key, which follows the redirects itself, keeps the cookie and sends its key only to Troupe. The flow pins the current version of the organization's client. It must return within ten minutes, once, with the same credential.
   *
   * Permission: `connections:start-oauth`.
   */
  start(input: StartOAuthInput, options?: RequestOptions): Promise<Response>

  /**
   * Complete a consent flow: `GET /api/oauth/callback/{presetKey}`.
   *
   * The redirect URI of the provider. Requires the credential that started the flow, its cookie and its state; without them it redirects to the root of the console. Otherwise it redirects to `returnTo` with `oauth=success&connectionId=…` or `oauth=error&code=…`: `access_denied`, `provider_error`, `state_reused`, `integration_unavailable`, `permission_denied`, `exchange_failed`, `provider_unavailable`. Other parameters of the provider are ignored. The caller's permission `connections:start-oauth` is checked again. An account has one Connection in an Environment: another consent creates its next version and activates it.
   */
  complete(input: CompleteOAuthInput, options?: RequestOptions): Promise<Response>
}

/** `troupe.machines`. */
export interface MachinesResource {
  /**
   * List statecharts: `GET /api/v1/machines`.
   *
   * One for each kind of actor.
   */
  list(options?: RequestOptions): List<MachineSummary>

  /**
   * Get a statechart: `GET /api/v1/machines/{kind}`.
   *
   * By the kind of actor.
   */
  get(input: GetMachineInput, options?: RequestOptions): Promise<Machine>

  /**
   * Simulate a new actor: `POST /api/v1/machines/{kind}/simulate`.
   *
   * Applies events to a copy, in order, and advances its clock: due deadlines fire in order. For each event the answer has the transition rows that were tried with the results of their guards, the effects, the changes of the context and the deadlines that would run, or the reason for a refusal. Nothing is stored and no effect is carried out. An address may do this 120 times a minute.
   */
  simulate(input: SimulateMachineInput, options?: RequestOptions): Promise<Simulation>

  /**
   * Where the actor stands: `GET /api/v1/actors/{kind}/{id}`.
   *
   * Permission: `agent-runs:get`.
   */
  getActor(input: GetActorInput, options?: RequestOptions): Promise<Actor>

  /**
   * Get the actor's statechart: `GET /api/v1/actors/{kind}/{id}/machine`.
   *
   * The statechart of its kind, or its own if each actor of the kind has one.
   *
   * Permission: `agent-runs:get`.
   */
  getActorMachine(input: GetActorMachineInput, options?: RequestOptions): Promise<Machine>

  /**
   * Stream an actor: `GET /api/v1/actors/{kind}/{id}/stream`.
   *
   * Server-sent events: `actor.snapshot` (the actor as it is now), then `actor.transition` for each transition, and `end` when no more can follow. `Last-Event-ID` resumes after that transition; 204 if nothing is left to send. When the credential can no longer read the actor, or the actor is deleted, the last event is `end` with `{reason: "revoked"}`, without an id, a `sequence` and a `state`.
   *
   * Permission: `agent-runs:get`.
   */
  streamActor(input: StreamActorInput, options?: RequestOptions): AsyncGenerator<StreamEvent, void, undefined>

  /**
   * Preview an event: `POST /api/v1/actors/{kind}/{id}/preview`.
   *
   * Applies the event to a copy of the actor: nothing is stored and no effect is carried out. Facts that the server knows about the caller (whether this credential may continue a run, and the remaining budget) apply as they would for the command.
   *
   * Permission: `agent-runs:get`.
   */
  previewEvent(input: PreviewEventInput, options?: RequestOptions): Promise<EventPreviewResult>

  /**
   * Verify an actor's journal: `GET /api/v1/actors/{kind}/{id}/verify`.
   *
   * Replays the journal through the statechart and compares the result with the stored state.
   *
   * Permission: `agent-runs:get`.
   */
  verifyActor(input: VerifyActorInput, options?: RequestOptions): Promise<ActorVerification>

  /**
   * Simulate an actor: `POST /api/v1/actors/{kind}/{id}/simulate`.
   *
   * Applies events to a copy, in order, and advances its clock: due deadlines fire in order. For each event the answer has the transition rows that were tried with the results of their guards, the effects, the changes of the context and the deadlines that would run, or the reason for a refusal. Nothing is stored and no effect is carried out. Facts that the server knows about the caller apply as they would for the command, unless the event contains them.
   *
   * Permission: `agent-runs:get`.
   */
  simulateActor(input: SimulateActorInput, options?: RequestOptions): Promise<Simulation>

  /**
   * Create an embed ticket for an actor: `POST /api/v1/actors/{kind}/{id}/embed-tickets`.
   *
   * The ticket's address shows the statechart, the state and the transitions of this one actor without a session, but neither its context nor who caused a transition. Tickets are not stored. A ticket ends when the credential that issued it ends or can no longer read the actor. Streams opened with the ticket count as streams of that credential. `TROUPE_EMBED_ANCESTORS` lists the pages that may frame it.
   *
   * Permission: `agent-runs:get`.
   */
  createEmbedTicket(input: CreateEmbedTicketInput, options?: RequestOptions): Promise<EmbedTicket>

  /** Get the statechart of an embedded actor: `GET /api/v1/embedded-actors/{kind}/{id}/machine`. */
  getEmbeddedActorMachine(input: GetEmbeddedActorMachineInput, options?: RequestOptions): Promise<Machine>

  /**
   * Stream an embedded actor: `GET /api/v1/embedded-actors/{kind}/{id}/stream`.
   *
   * Like the actor's own stream, limited to the state, event and time of each transition. When the ticket ends, or the actor is deleted, the last event is `end` with `{reason: "revoked"}`.
   */
  streamEmbeddedActor(input: StreamEmbeddedActorInput, options?: RequestOptions): AsyncGenerator<StreamEvent, void, undefined>

  /**
   * Count actors by state: `GET /api/v1/machines/{kind}/population`.
   *
   * Read from counters, so it is fast at any size. Covers the actors that the credential can read; requires the permission that reads an actor of the kind. A key that is bound to an Agent is rejected, because actors are not counted by Agent.
   *
   * Permission: `agent-runs:get`, `agent-runs:list`, `agent-runs:cancel`, `agent-runs:continue`, `agent-runs:create`, `projects:get`, `webhooks:list`, `operation-invocations:list`, `agent-jobs:get`, `agents:manage-workflows`, `alerts:list`, `billing:read`, `agents:delete`, `projects:delete`, `organizations:delete`, `projects:read-runtime-data`, or `organization-integrations:get`.
   */
  getPopulation(input: GetMachinePopulationInput, options?: RequestOptions): Promise<MachinePopulation>

  /**
   * List actors of a kind: `GET /api/v1/actors`.
   *
   * The actors that have been in their state longest come first. Covers the actors that the credential can read; requires the permission that reads an actor of the kind. A key that is bound to an Agent is rejected, because actors are not counted by Agent.
   *
   * Permission: `agent-runs:get`, `agent-runs:list`, `agent-runs:cancel`, `agent-runs:continue`, `agent-runs:create`, `projects:get`, `webhooks:list`, `operation-invocations:list`, `agent-jobs:get`, `agents:manage-workflows`, `alerts:list`, `billing:read`, `agents:delete`, `projects:delete`, `organizations:delete`, `projects:read-runtime-data`, or `organization-integrations:get`.
   */
  listActors(input: ListActorsInput, options?: RequestOptions): List<ActorSummary, Pagination>
}

/** Every resource of the API except `runs`. */
export class Resources {
  readonly server: ServerResource
  readonly runner: RunnerResource
  readonly organizations: OrganizationsResource
  readonly runnerPools: RunnerPoolsResource
  readonly projects: ProjectsResource
  readonly environments: EnvironmentsResource
  readonly agents: AgentsResource
  readonly apiKeys: ApiKeysResource
  readonly sessions: SessionsResource
  readonly templates: TemplatesResource
  readonly definitions: DefinitionsResource
  readonly deployments: DeploymentsResource
  readonly applies: AppliesResource
  readonly providerCredentials: ProviderCredentialsResource
  readonly variables: VariablesResource
  readonly connections: ConnectionsResource
  readonly events: EventsResource
  readonly webhooks: WebhooksResource
  readonly operations: OperationsResource
  readonly workers: WorkersResource
  readonly workflows: WorkflowsResource
  readonly inbox: InboxResource
  readonly alerts: AlertsResource
  readonly billing: BillingResource
  readonly jobs: JobsResource
  readonly entities: EntitiesResource
  readonly integrations: IntegrationsResource
  readonly oauth: OauthResource
  readonly machines: MachinesResource

  constructor(call: Call) {
    this.server = resourceOf<ServerResource>(call, operations.server)
    this.runner = resourceOf<RunnerResource>(call, operations.runner)
    this.organizations = resourceOf<OrganizationsResource>(call, operations.organizations)
    this.runnerPools = resourceOf<RunnerPoolsResource>(call, operations.runnerPools)
    this.projects = resourceOf<ProjectsResource>(call, operations.projects)
    this.environments = resourceOf<EnvironmentsResource>(call, operations.environments)
    this.agents = resourceOf<AgentsResource>(call, operations.agents)
    this.apiKeys = resourceOf<ApiKeysResource>(call, operations.apiKeys)
    this.sessions = resourceOf<SessionsResource>(call, operations.sessions)
    this.templates = resourceOf<TemplatesResource>(call, operations.templates)
    this.definitions = resourceOf<DefinitionsResource>(call, operations.definitions)
    this.deployments = resourceOf<DeploymentsResource>(call, operations.deployments)
    this.applies = resourceOf<AppliesResource>(call, operations.applies)
    this.providerCredentials = resourceOf<ProviderCredentialsResource>(call, operations.providerCredentials)
    this.variables = resourceOf<VariablesResource>(call, operations.variables)
    this.connections = resourceOf<ConnectionsResource>(call, operations.connections)
    this.events = resourceOf<EventsResource>(call, operations.events)
    this.webhooks = resourceOf<WebhooksResource>(call, operations.webhooks)
    this.operations = resourceOf<OperationsResource>(call, operations.operations)
    this.workers = resourceOf<WorkersResource>(call, operations.workers)
    this.workflows = resourceOf<WorkflowsResource>(call, operations.workflows)
    this.inbox = resourceOf<InboxResource>(call, operations.inbox)
    this.alerts = resourceOf<AlertsResource>(call, operations.alerts)
    this.billing = resourceOf<BillingResource>(call, operations.billing)
    this.jobs = resourceOf<JobsResource>(call, operations.jobs)
    this.entities = resourceOf<EntitiesResource>(call, operations.entities)
    this.integrations = resourceOf<IntegrationsResource>(call, operations.integrations)
    this.oauth = resourceOf<OauthResource>(call, operations.oauth)
    this.machines = resourceOf<MachinesResource>(call, operations.machines)
  }
}
