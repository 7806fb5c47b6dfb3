/** The operations of the wing `delivery`. */
import type { Ids } from '../furnish.ts'
import { agentThere, environment, ofAgentThere, ofEnvironment, ofOrganization, organization, type Row } from './rows.ts'

const connection = (ids: Ids) => ({ ...environment(ids), connectionId: ids.connection })
const setting = (ids: Ids) => ({ ...agentThere(ids), settingId: ids.setting })
const credential = (ids: Ids) => ({ ...organization(ids), credentialId: ids.credential })
const organizationVariable = (ids: Ids) => ({ ...organization(ids), variableId: ids.organizationVariable })
const variable = (ids: Ids) => ({ ...environment(ids), variableId: ids.variable })
const snapshot = (ids: Ids) => ({ ...environment(ids), configurationRevisionId: ids.configurationRevision })
const deployment = (ids: Ids) => ({ ...environment(ids), deploymentId: ids.deployment })
const ofConnection: Row = { level: 'environment', path: connection }
const ofSetting: Row = { level: 'agentThere', path: setting }
const ofCredentials: Row = { level: 'organization', path: organization, hidden: true }
const ofCredential: Row = { level: 'organization', path: credential, hidden: true }
const ofOrganizationVariable: Row = { level: 'organization', path: organizationVariable }
const ofVariable: Row = { level: 'environment', path: variable }
const ofDeployment: Row = { level: 'environment', path: deployment }
const deploymentActor: Row = { level: 'actor', path: ({ deployment: id }) => ({ id }) }

export const delivery: Record<string, Row> = {
  getEnvironmentActor: { level: 'actor', path: ({ environment: id }) => ({ id }) },
  streamEnvironmentActor: { level: 'actor', path: ({ environment: id }) => ({ id }), endless: true },
  previewEnvironmentEvent: {
    level: 'actor',
    path: ({ environment: id }) => ({ id }),
    body: () => ({ event: 'activate' }),
  },
  verifyEnvironmentActor: { level: 'actor', path: ({ environment: id }) => ({ id }) },
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
  listConfigurationRevisions: ofEnvironment,
  createConfigurationRevision: {
    ...ofEnvironment,
    body: ({ configurationRevision: expectedHeadRevisionId }) => ({ expectedHeadRevisionId }),
  },
  getConfigurationRevision: { level: 'environment', path: snapshot },
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
}
