/**
 * Every operation of the API document: its scope, and a request that would be accepted. The response for each credential
 * follows from the scope. Source: contract 0, "Foreign = missing"; contract 1, "Keys and organizations".
 */
import { definitionSource, type Ids } from './world.ts'

/**
 * The scope of an operation.
 * - `everybody`: no credential of an organization is required.
 * - `user`: any signed-in user, whatever the organization.
 * - `catalogue`: the same for all organizations.
 * - `list`: of the organization, filtered by what the credential can access.
 * - `tallied`: the same, for totals that are not split by Agent: forbidden for keys of an Agent.
 * - `create`: creates a resource in the parent that the body names.
 * - `platform`: a resource of the platform outside all Projects: not found for bound keys.
 * - `whole`: the organization as a whole, without naming it; what its ids name belongs to an organization.
 * - `ownOrganization`: the path names the organization; if it is foreign the operation, which lists no 404, returns 403.
 * - `organization`, `project`, `environment`, `agent`: the path names it; `agentThere`: an Agent in an Environment.
 * - `ofAgent`: a resource of an Agent in an Environment, by its id: not found for keys of other Agents.
 * - `madeThere`: creates a resource in the Environment that the query names.
 * - `run`: a resource with a scope of its own, here in no Project: not found for bound keys.
 * - `deletion`: a resource that is being deleted; there is none here, so every caller gets 404.
 * - `named`: the Project that the body names; in another organization it names another one.
 * - `actor`: an Environment, or a resource in it, by its id alone: a key bound to an Agent may read it.
 */
export type Level =
  | 'everybody'
  | 'user'
  | 'catalogue'
  | 'list'
  | 'tallied'
  | 'create'
  | 'platform'
  | 'whole'
  | 'organization'
  | 'ownOrganization'
  | 'project'
  | 'environment'
  | 'agent'
  | 'agentThere'
  | 'ofAgent'
  | 'madeThere'
  | 'run'
  | 'named'
  | 'actor'
  | 'deletion'

export interface Row {
  level: Level
  /** Values of the path parameters. */
  path?: (ids: Ids) => Record<string, string>
  query?: (ids: Ids) => Record<string, string>
  body?: (ids: Ids) => object
  /** The operation lists no 403. */
  hidden?: true
  /** Other permissions that also grant access. */
  or?: string[]
  /** Callers with access get 404, since there is no such resource. */
  missing?: true
  /** An accepted request would delete what other rows need; it is not sent. */
  destroys?: true
  /** Sent like a write, authorized like a read. */
  changesNothing?: true
  /** The response is a stream without an end. */
  endless?: true
}

const organization = ({ organization }: Ids) => ({ organizationIdOrSlug: organization })
const group = (ids: Ids) => ({ ...organization(ids), userGroupId: ids.group })
const project = ({ project }: Ids) => ({ projectId: project })
const environment = (ids: Ids) => ({ ...project(ids), environmentId: ids.environment })
const agent = (ids: Ids) => ({ ...project(ids), agentId: ids.agent })
const connection = (ids: Ids) => ({ ...environment(ids), connectionId: ids.connection })
const agentThere = (ids: Ids) => ({ ...environment(ids), agentId: ids.agent })
const setting = (ids: Ids) => ({ ...agentThere(ids), settingId: ids.setting })
const credential = (ids: Ids) => ({ ...organization(ids), credentialId: ids.credential })
const organizationVariable = (ids: Ids) => ({ ...organization(ids), variableId: ids.organizationVariable })
const variable = (ids: Ids) => ({ ...environment(ids), variableId: ids.variable })
const snapshot = (ids: Ids) => ({ ...environment(ids), configurationRevisionId: ids.configurationRevision })
const deployment = (ids: Ids) => ({ ...environment(ids), deploymentId: ids.deployment })
const webhook = (ids: Ids) => ({ ...environment(ids), webhookId: ids.webhook })
const delivery = (ids: Ids) => ({ ...webhook(ids), deliveryId: ids.delivery })
const job = (ids: Ids) => ({ ...environment(ids), jobId: ids.job })
const invocation = (ids: Ids) => ({ ...environment(ids), invocationId: ids.invocation })
const approval = (ids: Ids) => ({ ...environment(ids), approvalId: ids.approval })
const run = ({ run }: Ids) => ({ agentRunId: run })
const key = ({ key }: Ids) => ({ keyId: key })

// a code that no device is waiting for
const ofDevice: Row = { level: 'whole', path: () => ({ userCode: 'BCDF-GHJK' }), missing: true }
const integration = (ids: Ids) => ({ ...organization(ids), integrationId: ids.integration })

const deletion: Row = {
  level: 'deletion',
  path: ({ project: id }) => ({ id }),
  or: ['projects:delete', 'organizations:delete'],
  missing: true,
}

/** Each of them reads a resource that has an id. */
const readsOfResources = [
  'agent-jobs:get',
  'agent-runs:get',
  'agents:get',
  'agents:manage-workflows',
  'agents:revisions:get',
  'alerts:list',
  'api-keys:get',
  'connections:get',
  'definitions:get',
  'env:variables:get',
  'operation-approvals:list',
  'operation-invocations:list',
  'organization-integrations:get',
  'organization-variables:list',
  'organizations:manage-user-groups',
  'projects:manage-access-grants',
  'projects:read-runtime-data',
  'provider-credentials:get',
  'webhooks:events:read',
  'webhooks:list',
]

const everybody: Row = { level: 'everybody' }
const user: Row = { level: 'user' }
const ofRun: Row = { level: 'run', path: run }
const ofOrganization: Row = { level: 'organization', path: organization }
const ofGroup: Row = { level: 'organization', path: group }
const ofProject: Row = { level: 'project', path: project }
const ofEnvironment: Row = { level: 'environment', path: environment }
const ofAgent: Row = { level: 'agent', path: agent }
const ofConnection: Row = { level: 'environment', path: connection }
const ofAgentThere: Row = { level: 'agentThere', path: agentThere }
const ofSetting: Row = { level: 'agentThere', path: setting }
const ofCredentials: Row = { level: 'organization', path: organization, hidden: true }
const ofCredential: Row = { level: 'organization', path: credential, hidden: true }
const ofOrganizationVariable: Row = { level: 'organization', path: organizationVariable }
const ofVariable: Row = { level: 'environment', path: variable }
const ofDefinition: Row = { level: 'project', path: (ids) => ({ ...project(ids), definitionId: ids.definition }) }
const ofDeployment: Row = { level: 'environment', path: deployment }
const ofApply: Row = { level: 'actor', path: ({ apply: applyId }) => ({ applyId }) }
const applyActor: Row = { level: 'actor', path: ({ apply: id }) => ({ id }) }
// what is already active, so that accepted calls change nothing that other requests read
const manifestOf = ({ slug }: Ids) => ({
  manifest: {
    version: 1,
    project: { slug },
    agents: {
      agent: {
        content: { instructions: 'Help.', tools: [{ kind: 'builtin', name: 'clock' }] },
        grantedOperations: ['shop.echo', 'shop.ask'],
      },
    },
  },
  environment: 'development',
})
const orBulk = ['agent-runs:cancel', 'agent-runs:continue', 'agent-runs:create']
const ofBulkAction: Row = { level: 'run', or: orBulk, path: ({ bulkAction: bulkActionId }) => ({ bulkActionId }) }
const bulkActionActor: Row = { level: 'run', or: orBulk, path: ({ bulkAction: id }) => ({ id }) }
const ofAlert: Row = { level: 'run', path: ({ alertRule: alertRuleId }) => ({ alertRuleId }) }
const alertActor: Row = { level: 'run', path: ({ alertRule: id }) => ({ id }) }
const deploymentActor: Row = { level: 'actor', path: ({ deployment: id }) => ({ id }) }
const ofWebhook: Row = { level: 'environment', path: webhook }
const ofDelivery: Row = { level: 'environment', path: delivery }
const deliveryActor: Row = { level: 'actor', path: ({ delivery: id }) => ({ id }) }
const recovery = (ids: Ids) => ({ ...webhook(ids), recoveryId: ids.recovery })
const ofRecovery: Row = { level: 'environment', path: recovery }
const recoveryActor: Row = { level: 'actor', path: ({ recovery: id }) => ({ id }) }
const ofEntity: Row = {
  level: 'environment',
  path: (ids) => ({ ...environment(ids), type: 'order', entityId: ids.entity }),
}
const entityActor: Row = { level: 'actor', path: ({ entity: id }) => ({ id }) }
const ofJob: Row = { level: 'ofAgent', path: job }
const jobActor: Row = { level: 'run', path: ({ job: id }) => ({ id }) }
const ofInvocation: Row = { level: 'ofAgent', path: invocation }
const ofApproval: Row = { level: 'ofAgent', path: approval }
const invocationActor: Row = { level: 'run', path: ({ invocation: id }) => ({ id }) }
// no checkout was ever created
const subscriptionActor: Row = { level: 'run', path: ({ organization: id }) => ({ id }), missing: true }
const ofWorkflowRun: Row = {
  level: 'ofAgent',
  path: (ids) => ({ ...environment(ids), workflowRunId: ids.workflowRun }),
}
const workflowRunActor: Row = { level: 'run', path: ({ workflowRun: id }) => ({ id }) }
const ofKey: Row = { level: 'whole', path: key }

const ofPool: Row = { level: 'whole', path: ({ pool: poolId }) => ({ poolId }) }
const ofToken: Row = { level: 'whole', path: ({ pool: poolId, poolToken: tokenId }) => ({ poolId, tokenId }) }

const ofIntegration: Row = { level: 'organization', path: integration }
const integrationActor: Row = { level: 'run', path: ({ integration: id }) => ({ id }) }

/** By operationId. */
export const matrix: Record<string, Row> = {
  // operations without a credential of an organization; their authorization is tested in their own areas
  getHealth: everybody,
  getReadiness: everybody,
  getMetrics: everybody,
  getApiDocument: everybody,
  listMachines: everybody,
  getMachine: everybody,
  getInbox: {
    level: 'tallied',
    or: [
      ...[
        'operation-approvals:list',
        'operation-invocations:list',
        'agents:manage-workflows',
        'webhooks:list',
        'projects:get',
      ],
      ...['connections:list', 'provider-credentials:list', 'api-keys:list', 'billing:read', 'alerts:list'],
    ],
  },
  createBulkAction: {
    level: 'list',
    or: orBulk,
    body: () => ({ action: 'continue', filter: {}, query: 'Go on', dryRun: true }),
  },
  getBulkAction: ofBulkAction,
  cancelBulkAction: ofBulkAction,
  getBulkActionActor: bulkActionActor,
  streamBulkActionActor: { ...bulkActionActor, endless: true },
  previewBulkActionEvent: { ...bulkActionActor, body: () => ({ event: 'cancel' }) },
  verifyBulkActionActor: bulkActionActor,
  listAlertRules: { level: 'list' },
  createAlertRule: {
    level: 'create',
    body: ({ environment: environmentId }) => ({
      name: 'Stuck',
      environmentId,
      condition: { type: 'stuck', count: 1, forMinutes: 60 },
    }),
  },
  getAlertRule: ofAlert,
  updateAlertRule: { ...ofAlert, body: () => ({ name: 'Failing' }) },
  deleteAlertRule: { ...ofAlert, destroys: true },
  testAlertRule: ofAlert,
  listAlertIncidents: ofAlert,
  getAlertActor: alertActor,
  streamAlertActor: { ...alertActor, endless: true },
  previewAlertEvent: { ...alertActor, body: () => ({ event: 'disable' }) },
  verifyAlertActor: alertActor,
  getMachinePopulation: { level: 'tallied', path: () => ({ kind: 'run' }) },
  listActors: { level: 'tallied', query: () => ({ kind: 'run' }) },
  simulateMachine: everybody,
  getEmbeddedActorMachine: everybody,
  streamEmbeddedActor: everybody,
  createSession: everybody,
  acceptInvitation: everybody,
  requestDeviceAuthorization: everybody,
  exchangeDeviceCode: everybody,
  requestPasswordReset: everybody,
  resetPassword: everybody,
  leaseAttempt: everybody,
  bootAttempt: everybody,
  beatAttempt: everybody,
  reportAttemptEvents: everybody,
  callAttemptOperation: everybody,
  streamAttemptModel: everybody,
  completeAttempt: everybody,
  startAgentStep: everybody,
  endAgentStep: everybody,
  writeCheckpoint: everybody,

  getSession: user,
  deleteSession: user,
  changePassword: user,
  listSessions: user,
  endSession: user,
  endOtherSessions: user,
  joinOrganization: user,
  getAccountAddress: user,
  requestVerification: user,
  verifyAddress: user,
  listOrganizations: user,
  createOrganization: user,

  listAgentRuns: { level: 'list' },
  streamAgentRunChanges: { level: 'list', endless: true },
  getAgentRunStatistics: { level: 'tallied' },
  startAgentRun: { level: 'create', body: () => ({ agentId: 'agt_system_assistant', query: 'Hello' }) },
  getAgentRun: ofRun,
  cancelAgentRun: ofRun,
  continueAgentRun: { ...ofRun, body: () => ({ query: 'Go on' }), hidden: true },
  giveDelegateResult: { ...ofRun, body: () => ({ toolCallId: 'call', result: 1 }) },
  listAgentRunTransitions: ofRun,
  listAgentRunLogs: ofRun,
  listAgentSteps: ofRun,
  getAgentStep: { ...ofRun, path: (ids) => ({ ...run(ids), agentStepId: '1' }), missing: true },
  getCheckpoint: { ...ofRun, path: (ids) => ({ ...run(ids), agentStepId: '1', checkpointId: '1' }), missing: true },
  listCheckpoints: ofRun,
  getLatestCheckpoint: { ...ofRun, missing: true },
  streamAgentRun: { ...ofRun, endless: true },
  getRunActor: { level: 'run', path: ({ run: id }) => ({ id }) },
  streamRunActor: { level: 'run', path: ({ run: id }) => ({ id }), endless: true },
  previewRunEvent: { level: 'run', path: ({ run: id }) => ({ id }), body: () => ({ event: 'cancel' }) },
  verifyRunActor: { level: 'run', path: ({ run: id }) => ({ id }) },

  searchResources: {
    level: 'list',
    query: () => ({ search: 'a' }),
    or: ['agents:list', 'definitions:list', 'projects:get'],
  },
  // here the address names an Environment
  findResource: { level: 'actor', path: ({ environment: resourceId }) => ({ resourceId }), or: readsOfResources },

  getOrganization: ofOrganization,
  updateOrganization: { ...ofOrganization, body: () => ({ name: 'Renamed' }) },
  deleteOrganization: { ...ofOrganization, destroys: true },
  listMembers: ofOrganization,
  addMember: { ...ofOrganization, body: () => ({ email: 'somebody@example.com', role: 'member' }) },
  changeMemberRole: {
    level: 'organization',
    path: (ids) => ({ ...organization(ids), userId: ids.member }),
    body: () => ({ role: 'owner' }),
  },
  removeMember: {
    level: 'organization',
    path: (ids) => ({ ...organization(ids), userId: ids.member }),
    destroys: true,
  },
  endMemberSessions: {
    level: 'organization',
    path: (ids) => ({ ...organization(ids), userId: ids.member }),
    destroys: true,
  },
  listInvitations: ofOrganization,
  deleteInvitation: {
    level: 'organization',
    path: (ids) => ({ ...organization(ids), invitationId: ids.invitation }),
    destroys: true,
  },
  listAuditEvents: ofOrganization,
  exportAuditEvents: { ...ofOrganization, query: () => ({ format: 'csv' }) },
  listProcesses: { level: 'whole' },
  listUserGroups: ofOrganization,
  createUserGroup: { ...ofOrganization, body: () => ({ name: 'Another' }) },
  getUserGroup: ofGroup,
  updateUserGroup: { ...ofGroup, body: () => ({ name: 'Renamed' }) },
  deleteUserGroup: { ...ofGroup, destroys: true },
  listUserGroupMembers: ofGroup,
  addUserGroupMember: { ...ofGroup, body: ({ member }) => ({ userId: member }) },
  removeUserGroupMember: { ...ofGroup, path: (ids) => ({ ...group(ids), userId: ids.member }), destroys: true },

  listApiKeys: { level: 'whole' },
  getDeviceAuthorization: ofDevice,
  approveDeviceAuthorization: { ...ofDevice, body: () => ({ operations: ['agents:get'] }) },
  denyDeviceAuthorization: ofDevice,
  createApiKey: { level: 'whole', body: () => ({ name: 'key', operations: ['agents:get'] }) },
  getApiKey: ofKey,
  updateApiKey: { ...ofKey, body: () => ({ name: 'Renamed' }) },
  rotateApiKey: { ...ofKey, body: () => ({}), destroys: true },
  revokeApiKey: { ...ofKey, destroys: true },

  listRunnerPools: { level: 'whole' },
  createRunnerPool: { level: 'whole', body: () => ({ name: `pool-${crypto.randomUUID()}` }) },
  getRunnerPool: ofPool,
  updateRunnerPool: { ...ofPool, body: () => ({ name: 'Renamed' }) },
  deleteRunnerPool: { ...ofPool, destroys: true },
  listRunnerTokens: ofPool,
  createRunnerToken: { ...ofPool, body: () => ({}) },
  rotateRunnerToken: { ...ofToken, body: () => ({ overlapSeconds: 60 }) },
  revokeRunnerToken: { ...ofToken, destroys: true },

  listProjects: { level: 'list' },
  createProject: { level: 'whole', body: () => ({ slug: `project-${crypto.randomUUID()}`, name: 'Project' }) },
  getProject: ofProject,
  updateProject: { ...ofProject, body: () => ({ name: 'Renamed' }) },
  deleteProject: { ...ofProject, destroys: true },
  listAccessGrants: ofProject,
  createAccessGrant: {
    ...ofProject,
    body: ({ group: id }) => ({ subject: { type: 'userGroup', id }, permissions: ['agents:list'] }),
  },
  deleteAccessGrant: { ...ofProject, path: (ids) => ({ ...project(ids), grantId: ids.grant }), destroys: true },
  listEnvironments: ofProject,
  getEnvironment: ofEnvironment,
  updateEnvironment: { ...ofEnvironment, body: () => ({}) },
  listEnvironmentTransitions: ofEnvironment,
  getDeletionActor: deletion,
  streamDeletionActor: deletion,
  previewDeletionEvent: { ...deletion, body: () => ({ event: 'delete' }) },
  verifyDeletionActor: deletion,
  getEnvironmentActor: { level: 'actor', path: ({ environment: id }) => ({ id }) },
  streamEnvironmentActor: { level: 'actor', path: ({ environment: id }) => ({ id }), endless: true },
  previewEnvironmentEvent: {
    level: 'actor',
    path: ({ environment: id }) => ({ id }),
    body: () => ({ event: 'activate' }),
  },
  verifyEnvironmentActor: { level: 'actor', path: ({ environment: id }) => ({ id }) },

  getAgentPresentation: ofAgentThere,
  listAgents: ofProject,
  createAgent: { ...ofProject, body: () => ({ slug: `agent-${crypto.randomUUID()}`, name: 'Agent' }) },
  getAgent: ofAgent,
  updateAgent: { ...ofAgent, body: () => ({ name: 'Renamed' }) },
  deleteAgent: { ...ofAgent, destroys: true },
  listAgentRevisions: ofAgent,
  createAgentRevision: { ...ofAgent, body: () => ({ content: { instructions: 'Help.' } }) },
  previewAgentRevision: { ...ofAgent, body: () => ({ content: { instructions: 'Help.' } }), changesNothing: true },
  getAgentRevision: { ...ofAgent, path: (ids) => ({ ...agent(ids), revisionId: ids.revision }) },
  listConnections: ofEnvironment,
  createConnection: {
    ...ofEnvironment,
    body: () => ({ name: `connection-${crypto.randomUUID()}`, kind: 'custom', settings: {} }),
  },
  getConnectionHealth: ofEnvironment,
  // the world's Connection has a kind without an MCP server
  listMcpTools: { ...ofConnection, changesNothing: true, destroys: true },
  getConnection: ofConnection,
  updateConnection: { ...ofConnection, body: () => ({}) },
  deleteConnection: { ...ofConnection, destroys: true },
  listProviderSettings: ofAgentThere,
  createProviderSetting: { ...ofAgentThere, body: () => ({}) },
  getProviderSetting: ofSetting,
  updateProviderSetting: { ...ofSetting, body: () => ({}) },
  deleteProviderSetting: { ...ofSetting, destroys: true },
  listProviderCredentials: ofCredentials,
  createProviderCredential: {
    ...ofCredentials,
    body: () => ({ label: 'Another', provider: 'custom', credentialType: 'api_key', secret: 'secret' }),
  },
  getProviderCredential: ofCredential,
  updateProviderCredential: { ...ofCredential, body: () => ({ label: 'Renamed' }) },
  deleteProviderCredential: { ...ofCredential, destroys: true },
  listProviderCredentialUses: ofCredential,
  revokeProviderCredentialVersion: {
    ...ofCredential,
    path: (ids) => ({ ...credential(ids), version: '1' }),
    destroys: true,
  },
  createProviderCredentialVersion: { ...ofCredential, body: () => ({ secret: 'another' }) },
  listOrganizationVariables: ofOrganization,
  createOrganizationVariable: { ...ofOrganization, body: () => ({ name: 'ANOTHER', value: '' }) },
  getOrganizationVariable: ofOrganizationVariable,
  updateOrganizationVariable: { ...ofOrganizationVariable, body: () => ({ value: 'other' }) },
  deleteOrganizationVariable: { ...ofOrganizationVariable, destroys: true },
  listVariables: ofEnvironment,
  createVariable: { ...ofEnvironment, body: () => ({ name: 'ANOTHER', value: '' }) },
  getVariable: ofVariable,
  updateVariable: { ...ofVariable, body: () => ({ value: 'other' }) },
  deleteVariable: { ...ofVariable, destroys: true },
  listDefinitions: ofProject,
  createDefinition: { ...ofProject, body: () => ({ name: `definition-${crypto.randomUUID()}`, kind: 'entity' }) },
  getDefinition: ofDefinition,
  updateDefinition: { ...ofDefinition, body: () => ({ description: 'New.' }) },
  deleteDefinition: { ...ofDefinition, destroys: true },
  listDefinitionRevisions: ofDefinition,
  createDefinitionRevision: { ...ofDefinition, body: () => ({ source: definitionSource }) },
  getDefinitionRevision: {
    level: 'project',
    path: (ids) => ({ ...project(ids), definitionId: ids.definition, revisionId: ids.definitionRevision }),
  },
  previewDefinitionRevision: {
    level: 'project',
    path: (ids) => ({ ...project(ids), definitionId: ids.definition }),
    body: () => ({ source: definitionSource }),
    changesNothing: true,
  },
  getDefinitionRevisionMachine: {
    level: 'project',
    path: (ids) => ({ ...project(ids), definitionId: ids.definition, revisionId: ids.definitionRevision }),
  },
  simulateDefinitionRevision: {
    level: 'project',
    path: (ids) => ({ ...project(ids), definitionId: ids.definition, revisionId: ids.definitionRevision }),
    body: () => ({ steps: [] }),
    changesNothing: true,
  },
  importOperations: {
    level: 'project',
    path: (ids) => ({ ...project(ids), definitionId: ids.operationsDefinition }),
    body: () => ({ openapi: { openapi: '3.1.0', paths: {} }, connection: 'shop' }),
    changesNothing: true,
  },
  listReleases: ofProject,
  createRelease: { ...ofProject, body: (ids) => ({ agents: [{ agentId: ids.agent, agentRevisionId: ids.revision }] }) },
  getRelease: { ...ofProject, path: (ids) => ({ ...project(ids), releaseId: ids.release }) },
  diffRelease: {
    ...ofProject,
    path: (ids) => ({ ...project(ids), releaseId: ids.release }),
    query: ({ release: against }) => ({ against }),
  },
  listConfigurationRevisions: ofEnvironment,
  createConfigurationRevision: {
    ...ofEnvironment,
    body: ({ configurationRevision: expectedHeadRevisionId }) => ({ expectedHeadRevisionId }),
  },
  getConfigurationRevision: { level: 'environment', path: snapshot },
  planApply: { level: 'named', body: manifestOf, changesNothing: true },
  createApply: { level: 'named', body: manifestOf },
  listApplies: { level: 'list' },
  getApply: ofApply,
  listApplyTransitions: ofApply,
  cancelApply: { ...ofApply, level: 'run' },
  createPromotion: {
    level: 'environment',
    body: (ids) => ({
      projectId: ids.project,
      fromEnvironmentId: ids.environment,
      toEnvironmentId: ids.environment,
    }),
  },
  rollBack: { ...ofEnvironment, body: () => ({}) },
  getManifest: { level: 'environment', path: project, query: () => ({ environment: 'development' }) },
  getApplyActor: applyActor,
  streamApplyActor: { ...applyActor, endless: true },
  previewApplyEvent: { ...applyActor, body: () => ({ event: 'cancel' }) },
  verifyApplyActor: applyActor,
  listDeployments: ofEnvironment,
  createDeployment: {
    ...ofEnvironment,
    body: ({ release: releaseId, configurationRevision: configurationRevisionId }) => ({
      releaseId,
      configurationRevisionId,
    }),
  },
  getDeployment: ofDeployment,
  diffDeployment: { ...ofDeployment, query: ({ deployment: against }) => ({ against }) },
  cancelDeployment: ofDeployment,
  listDeploymentTransitions: ofDeployment,
  getDeploymentActor: deploymentActor,
  streamDeploymentActor: { ...deploymentActor, endless: true },
  previewDeploymentEvent: { ...deploymentActor, body: () => ({ event: 'cancel' }) },
  verifyDeploymentActor: deploymentActor,
  listActivations: ofEnvironment,
  createActivation: {
    ...ofEnvironment,
    body: ({ deployment: deploymentId }) => ({ deploymentId, expectedGeneration: 0 }),
  },
  getActivation: { level: 'environment', path: (ids) => ({ ...environment(ids), activationId: ids.activation }) },
  listEvents: ofEnvironment,
  rebaselineEvents: ofEnvironment,
  listWebhooks: ofEnvironment,
  createWebhook: {
    ...ofEnvironment,
    body: () => ({ endpointUrl: 'https://hooks.example.com/', eventTypes: ['run.created'] }),
  },
  getWebhook: ofWebhook,
  updateWebhook: { ...ofWebhook, body: () => ({}) },
  deleteWebhook: { ...ofWebhook, destroys: true },
  rotateWebhookSecret: ofWebhook,
  listWebhookDeliveries: ofWebhook,
  getWebhookDeliveryStatistics: { level: 'tallied' },
  // without a key, and not in dead-letter: 400 and 409 for authorized callers
  replayWebhookDelivery: ofDelivery,
  retryWebhookDelivery: ofDelivery,
  getWebhookDelivery: ofDelivery,
  testWebhook: ofWebhook,
  recoverWebhook: { ...ofWebhook, body: () => ({ since: '2026-01-01T00:00:00.000Z' }) },
  listWebhookRecoveries: ofWebhook,
  getWebhookRecovery: ofRecovery,
  cancelWebhookRecovery: ofRecovery,
  getWebhookRecoveryActor: recoveryActor,
  streamWebhookRecoveryActor: { ...recoveryActor, endless: true },
  previewWebhookRecoveryEvent: { ...recoveryActor, body: () => ({ event: 'cancel' }) },
  verifyWebhookRecoveryActor: recoveryActor,
  listEventTypes: { level: 'catalogue' },
  getDeliveryActor: deliveryActor,
  streamDeliveryActor: { ...deliveryActor, endless: true },
  previewDeliveryEvent: { ...deliveryActor, body: () => ({ event: 'retry' }) },
  verifyDeliveryActor: deliveryActor,
  invokeOperation: {
    level: 'agentThere',
    path: (ids) => ({ ...agentThere(ids), operation: 'shop.echo' }),
    body: () => ({ input: {} }),
  },
  listDeployedTools: { level: 'agentThere', path: agentThere },
  callTool: {
    level: 'agentThere',
    path: (ids) => ({ ...agentThere(ids), tool: 'clock' }),
    body: () => ({ input: {} }),
    changesNothing: true,
  },
  listOperationInvocations: ofEnvironment,
  getOperationInvocation: ofInvocation,
  resolveOperationInvocation: { ...ofInvocation, body: () => ({ outcome: 'failed' }) },
  listOperationApprovals: ofEnvironment,
  getOperationApproval: ofApproval,
  getOperationApprovalRequest: ofApproval,
  // decided once: from then on a conflict for authorized callers
  approveOperation: ofApproval,
  rejectOperation: ofApproval,
  getOperationInvocationActor: invocationActor,
  streamOperationInvocationActor: { ...invocationActor, endless: true },
  previewOperationInvocationEvent: { ...invocationActor, body: () => ({ event: 'reject' }) },
  verifyOperationInvocationActor: invocationActor,
  listWorkers: ofEnvironment,
  leaseWorkerCalls: {
    ...ofEnvironment,
    body: () => ({ queue: 'billing', workerId: 'w', slots: 1 }),
    changesNothing: true,
  },
  completeWorkerCalls: {
    ...ofEnvironment,
    body: () => ({ answers: [{ invocationId: `opi_${'0'.repeat(26)}`, token: 'x', output: 1 }] }),
    changesNothing: true,
  },
  // not leased by any worker
  heartbeatWorkerCall: { ...ofInvocation, body: () => ({ token: 'x' }), missing: true, changesNothing: true },
  completeWorkerCall: { ...ofInvocation, body: () => ({ token: 'x', output: 1 }), missing: true, changesNothing: true },
  getWorkerCallActor: { ...invocationActor, missing: true },
  streamWorkerCallActor: { ...invocationActor, missing: true },
  previewWorkerCallEvent: { ...invocationActor, body: () => ({ event: 'cancel' }), missing: true },
  verifyWorkerCallActor: { ...invocationActor, missing: true },
  listEntities: { level: 'environment', path: (ids) => ({ ...environment(ids), type: 'order' }) },
  getEntity: ofEntity,
  listEntityTransitions: ofEntity,
  getEntityActor: entityActor,
  streamEntityActor: { ...entityActor, endless: true },
  previewEntityEvent: { ...entityActor, body: () => ({ event: 'entity/delete' }) },
  verifyEntityActor: entityActor,
  // no client is registered: 404 for authorized callers
  startOAuth: {
    level: 'madeThere',
    path: () => ({ presetKey: 'other' }),
    query: environment,
    missing: true,
  },
  completeOAuth: user,
  listConnectionPresets: { level: 'catalogue' },
  getConnectionPreset: { level: 'catalogue', path: () => ({ presetKey: 'google-workspace' }) },
  listIntegrationPresets: { level: 'catalogue' },
  listIntegrations: { level: 'ownOrganization', path: organization },
  // the preset is already registered: 400 for authorized callers
  registerIntegration: {
    ...ofOrganization,
    body: () => ({ presetKey: 'acme', clientId: 'client', clientSecret: 'secret' }),
  },
  getIntegration: ofIntegration,
  rotateIntegration: { ...ofIntegration, body: () => ({}) },
  deleteIntegration: { ...ofIntegration, destroys: true },
  verifyIntegration: ofIntegration,
  getIntegrationActor: integrationActor,
  streamIntegrationActor: { ...integrationActor, endless: true },
  previewIntegrationEvent: { ...integrationActor, body: () => ({ event: 'verified' }) },
  verifyIntegrationActor: integrationActor,
  listAgentJobs: ofEnvironment,
  createAgentJob: {
    ...ofEnvironment,
    body: ({ agent: agentId }) => ({ agentId, name: 'Job', schedule: { cron: '0 0 1 1 *' }, query: 'Report.' }),
  },
  getAgentJob: ofJob,
  updateAgentJob: { ...ofJob, body: () => ({ name: 'Renamed' }) },
  deleteAgentJob: { ...ofJob, destroys: true },
  runAgentJobNow: ofJob,
  getAgentJobActor: jobActor,
  streamAgentJobActor: { ...jobActor, endless: true },
  previewAgentJobEvent: { ...jobActor, body: () => ({ event: 'change' }) },
  verifyAgentJobActor: jobActor,
  listPlans: { level: 'catalogue' },
  // without a key: 400 for authorized callers
  createCheckout: {
    ...ofOrganization,
    body: () => ({ planKey: 'pro', successUrl: 'http://localhost/billing', cancelUrl: 'http://localhost/billing' }),
  },
  createPortal: { ...ofOrganization, body: () => ({ returnUrl: 'http://localhost/billing' }) },
  getSubscription: ofOrganization,
  getUsage: ofOrganization,
  receiveStripeEvent: everybody,
  getSubscriptionActor: subscriptionActor,
  streamSubscriptionActor: subscriptionActor,
  previewSubscriptionEvent: { ...subscriptionActor, body: () => ({ event: 'reported' }) },
  verifySubscriptionActor: subscriptionActor,
  listWorkflowRuns: ofEnvironment,
  startWorkflowRun: {
    ...ofEnvironment,
    body: ({ agent: agentId }) => ({ agentId, definitionIdOrName: 'flow' }),
  },
  getWorkflowRun: ofWorkflowRun,
  listWorkflowRunTransitions: ofWorkflowRun,
  // it has ended: a conflict for authorized callers
  resolveUnknownWorkflowStep: { ...ofWorkflowRun, body: () => ({ stepId: 'echo', outcome: 'retry' }) },
  resumeWorkflowRun: ofWorkflowRun,
  cancelWorkflowRun: ofWorkflowRun,
  getWorkflowRunActor: workflowRunActor,
  streamWorkflowRunActor: { ...workflowRunActor, endless: true },
  previewWorkflowRunEvent: { ...workflowRunActor, body: () => ({ event: 'cancel' }) },
  verifyWorkflowRunActor: workflowRunActor,
  searchTemplates: { level: 'catalogue' },
  getTemplate: { level: 'catalogue', path: ({ template }) => ({ templateId: template }) },
  listSystemAgents: { level: 'list' },
  updateSystemAgent: {
    level: 'platform',
    path: () => ({ agentId: 'agt_system_assistant' }),
    body: () => ({ enabled: true }),
  },
  getSystemAgent: { level: 'platform', path: () => ({ agentId: 'agt_system_assistant' }) },
}

// whoever may read an actor may also read its statechart and simulate events on a copy
for (const [operationId, row] of Object.entries(matrix)) {
  if (!/^get\w+Actor$/.test(operationId)) continue
  matrix[`${operationId}Machine`] = row
  matrix[operationId.replace('get', 'simulate')] = { ...row, body: () => ({ steps: [] }) }
  matrix[operationId.replace(/^get(\w+)Actor$/, 'create$1EmbedTicket')] = { ...row, body: () => ({}) }
}
