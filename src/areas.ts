/**
 * All areas of the API, in the order of their operations in the document. An area with more than routes is declared in
 * its own file, `area.ts`.
 */
import { integrationRoutes } from './accounts/integrations/routes.ts'
import { oauthArea } from './accounts/oauth/area.ts'
import { presetRoutes } from './accounts/presets/routes.ts'
import { agentDeletionRoutes } from './authoring/agents/deletion-routes.ts'
import { agentRoutes } from './authoring/agents/routes.ts'
import { definitionRoutes } from './authoring/definitions/routes.ts'
import { releaseRoutes } from './authoring/releases/routes.ts'
import { systemAgentRoutes } from './authoring/system-agents/routes.ts'
import { templateRoutes } from './authoring/templates/routes.ts'
import { agentJobsArea } from './automation/agent-jobs/area.ts'
import { alertsArea } from './automation/alerts/area.ts'
import { appliesArea } from './automation/applies/area.ts'
import { entitiesArea } from './automation/entities/area.ts'
import { importRoutes } from './automation/imports/routes.ts'
import { inboxRoutes } from './automation/inbox/routes.ts'
import { mcpRoutes } from './automation/mcp/routes.ts'
import { operationsArea } from './automation/operations/area.ts'
import { toolRoutes } from './automation/tools/routes.ts'
import { workersArea } from './automation/workers/area.ts'
import { workflowEventsArea, workflowsArea } from './automation/workflows/area.ts'
import { billingArea } from './billing/area.ts'
import { embeddedBillingArea } from './billing/embedded/area.ts'
import { stripeArea } from './billing/stripe/area.ts'
import { activationRoutes } from './delivery/activations/routes.ts'
import { configurationRevisionRoutes } from './delivery/configuration-revisions/routes.ts'
import { connectionRoutes } from './delivery/connections/routes.ts'
import { presentationRoutes } from './delivery/deployments/presentation.ts'
import { deploymentRoutes } from './delivery/deployments/routes.ts'
import { organizationVariableRoutes } from './delivery/organization-variables/routes.ts'
import { credentialRoutes } from './delivery/provider-credentials/routes.ts'
import { providerSettingRoutes } from './delivery/provider-settings/routes.ts'
import { variableRoutes } from './delivery/variables/routes.ts'
import { eventsArea } from './events/history/area.ts'
import { eventTypeRoutes } from './events/kinds/type-routes.ts'
import { webhooksArea } from './events/webhooks/area.ts'
import { deliveryStatisticsRoutes } from './events/webhooks/statistics/routes.ts'
import { a2aRoutes } from './protocols/a2a/routes.ts'
import { agUiRoutes } from './protocols/ag-ui/routes.ts'
import { aiSdkRoutes } from './protocols/ai-sdk/routes.ts'
import { mcpServerRoutes } from './protocols/mcp/routes.ts'
import { openaiRoutes } from './protocols/openai/routes.ts'
import { runsArea } from './runs/area.ts'
import { attemptsArea } from './runs/attempts/area.ts'
import { bulkActionsArea } from './runs/bulk-actions/area.ts'
import { runnerPoolRoutes } from './runs/runner-pools/routes.ts'
import { fleetRoutes } from './runtime/statecharts/fleet/routes.ts'
import { statechartRoutes } from './runtime/statecharts/routes.ts'
import { accessGrantRoutes } from './tenancy/access-grants/routes.ts'
import { keyRoutes } from './tenancy/api-keys/routes.ts'
import { auditArea } from './tenancy/audit/area.ts'
import { deletionsArea } from './tenancy/deletions/area.ts'
import { deviceAuthorizationsArea } from './tenancy/device-authorizations/area.ts'
import { environmentRoutes } from './tenancy/environments/routes.ts'
import { invitationsArea } from './tenancy/invitations/area.ts'
import { organizationRoutes } from './tenancy/organizations/routes.ts'
import { processRoutes } from './tenancy/processes/routes.ts'
import { projectRoutes } from './tenancy/projects/routes.ts'
import { resourceRoutes } from './tenancy/resources/routes.ts'
import { sessionsArea } from './tenancy/sessions/area.ts'
import { userAccountsArea } from './tenancy/user-accounts/area.ts'
import { userGroupRoutes } from './tenancy/user-groups/routes.ts'

export const areas = [
  runsArea,
  bulkActionsArea,
  attemptsArea,
  { routes: organizationRoutes },
  { routes: userGroupRoutes },
  { routes: runnerPoolRoutes },
  auditArea,
  { routes: processRoutes },
  { routes: accessGrantRoutes },
  { routes: environmentRoutes },
  { routes: projectRoutes },
  { routes: resourceRoutes },
  deletionsArea,
  { routes: agentDeletionRoutes },
  { routes: keyRoutes },
  sessionsArea,
  userAccountsArea,
  invitationsArea,
  deviceAuthorizationsArea,
  { routes: agentRoutes },
  { routes: templateRoutes },
  { routes: systemAgentRoutes },
  { routes: definitionRoutes },
  { routes: importRoutes },
  { routes: releaseRoutes },
  appliesArea,
  { routes: credentialRoutes },
  { routes: organizationVariableRoutes },
  { routes: variableRoutes },
  { routes: configurationRevisionRoutes },
  { routes: deploymentRoutes },
  { routes: presentationRoutes },
  { routes: activationRoutes },
  { routes: connectionRoutes },
  { routes: mcpRoutes },
  { routes: providerSettingRoutes },
  eventsArea,
  { routes: eventTypeRoutes },
  webhooksArea,
  { routes: deliveryStatisticsRoutes },
  operationsArea,
  { routes: toolRoutes },
  workersArea,
  workflowsArea,
  workflowEventsArea,
  { routes: inboxRoutes },
  alertsArea,
  billingArea,
  stripeArea,
  embeddedBillingArea,
  agentJobsArea,
  entitiesArea,
  { routes: presetRoutes },
  { routes: integrationRoutes },
  oauthArea,
  { routes: statechartRoutes },
  { routes: fleetRoutes },
  { routes: openaiRoutes },
  { routes: aiSdkRoutes },
  { routes: mcpServerRoutes },
  { routes: agUiRoutes },
  { routes: a2aRoutes },
] as const
