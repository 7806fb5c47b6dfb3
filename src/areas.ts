/** All areas of the API, in the order in which the document shows their operations. */
import { integrationsArea } from './accounts/integrations/area.ts'
import { oauthArea } from './accounts/oauth/area.ts'
import { presetsArea } from './accounts/presets/area.ts'
import { agentDeletionsArea, agentsArea } from './authoring/agents/area.ts'
import { definitionsArea } from './authoring/definitions/area.ts'
import { releasesArea } from './authoring/releases/area.ts'
import { systemAgentsArea } from './authoring/system-agents/area.ts'
import { templatesArea } from './authoring/templates/area.ts'
import { agentJobsArea } from './automation/agent-jobs/area.ts'
import { entitiesArea } from './automation/entities/area.ts'
import { operationsArea } from './automation/operations/area.ts'
import { workflowsArea } from './automation/workflows/area.ts'
import { billingArea } from './billing/area.ts'
import { embeddedBillingArea } from './billing/embedded/area.ts'
import { stripeArea } from './billing/stripe/area.ts'
import { activationsArea } from './delivery/activations/area.ts'
import { configurationRevisionsArea } from './delivery/configuration-revisions/area.ts'
import { connectionsArea } from './delivery/connections/area.ts'
import { deploymentsArea, presentationsArea } from './delivery/deployments/area.ts'
import { organizationVariablesArea } from './delivery/organization-variables/area.ts'
import { credentialsArea } from './delivery/provider-credentials/area.ts'
import { providerSettingsArea } from './delivery/provider-settings/area.ts'
import { variablesArea } from './delivery/variables/area.ts'
import { eventsArea } from './events/history/area.ts'
import { eventTypesArea } from './events/kinds/area.ts'
import { webhooksArea } from './events/webhooks/area.ts'
import { deliveryStatisticsArea } from './events/webhooks/statistics/area.ts'
import { runsArea } from './runs/area.ts'
import { attemptsArea } from './runs/attempts/area.ts'
import { runnerPoolsArea } from './runs/runner-pools/area.ts'
import { statechartsArea } from './runtime/statecharts/area.ts'
import { accessGrantsArea } from './tenancy/access-grants/area.ts'
import { apiKeysArea } from './tenancy/api-keys/area.ts'
import { auditArea } from './tenancy/audit/area.ts'
import { deletionsArea } from './tenancy/deletions/area.ts'
import { environmentsArea } from './tenancy/environments/area.ts'
import { invitationsArea } from './tenancy/invitations/area.ts'
import { organizationsArea } from './tenancy/organizations/area.ts'
import { projectsArea } from './tenancy/projects/area.ts'
import { sessionsArea } from './tenancy/sessions/area.ts'
import { userAccountsArea } from './tenancy/user-accounts/area.ts'
import { userGroupsArea } from './tenancy/user-groups/area.ts'

export const areas = [
  runsArea,
  attemptsArea,
  organizationsArea,
  userGroupsArea,
  runnerPoolsArea,
  auditArea,
  accessGrantsArea,
  environmentsArea,
  projectsArea,
  deletionsArea,
  agentDeletionsArea,
  apiKeysArea,
  sessionsArea,
  userAccountsArea,
  invitationsArea,
  agentsArea,
  templatesArea,
  systemAgentsArea,
  definitionsArea,
  releasesArea,
  credentialsArea,
  organizationVariablesArea,
  variablesArea,
  configurationRevisionsArea,
  deploymentsArea,
  presentationsArea,
  activationsArea,
  connectionsArea,
  providerSettingsArea,
  eventsArea,
  eventTypesArea,
  webhooksArea,
  deliveryStatisticsArea,
  operationsArea,
  workflowsArea,
  billingArea,
  stripeArea,
  embeddedBillingArea,
  agentJobsArea,
  entitiesArea,
  presetsArea,
  integrationsArea,
  oauthArea,
  statechartsArea,
] as const
