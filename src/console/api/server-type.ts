/**
 * The API as the server's own routes declare it, in types alone: nothing of the server reaches the browser. A new area is
 * one import and one line.
 */
import type { Static, TSchema } from '@sinclair/typebox'
import type { Elysia } from 'elysia'
import type { integrationRoutes } from '../../accounts/integrations/routes.ts'
import type { oauthRoutes } from '../../accounts/oauth/routes.ts'
import type { presetRoutes } from '../../accounts/presets/routes.ts'
import type { agentDeletionRoutes } from '../../authoring/agents/deletion-routes.ts'
import type { agentRoutes } from '../../authoring/agents/routes.ts'
import type { definitionRoutes } from '../../authoring/definitions/routes.ts'
import type { releaseRoutes } from '../../authoring/releases/routes.ts'
import type { systemAgentRoutes } from '../../authoring/system-agents/routes.ts'
import type { templateRoutes } from '../../authoring/templates/routes.ts'
import type { jobRoutes } from '../../automation/agent-jobs/routes.ts'
import type { entityRoutes } from '../../automation/entities/routes.ts'
import type { operationRoutes } from '../../automation/operations/routes.ts'
import type { workflowRoutes } from '../../automation/workflows/routes.ts'
import type { billingRoutes } from '../../billing/routes.ts'
import type { activationRoutes } from '../../delivery/activations/routes.ts'
import type { configurationRevisionRoutes } from '../../delivery/configuration-revisions/routes.ts'
import type { connectionRoutes } from '../../delivery/connections/routes.ts'
import type { presentationRoutes } from '../../delivery/deployments/presentation.ts'
import type { deploymentRoutes } from '../../delivery/deployments/routes.ts'
import type { organizationVariableRoutes } from '../../delivery/organization-variables/routes.ts'
import type { credentialRoutes } from '../../delivery/provider-credentials/routes.ts'
import type { providerSettingRoutes } from '../../delivery/provider-settings/routes.ts'
import type { variableRoutes } from '../../delivery/variables/routes.ts'
import type { eventRoutes } from '../../events/history/routes.ts'
import type { eventTypeRoutes } from '../../events/kinds/type-routes.ts'
import type { webhookRoutes } from '../../events/webhooks/routes.ts'
import type { deliveryStatisticsRoutes } from '../../events/webhooks/statistics/routes.ts'
import type { runRoutes } from '../../runs/routes.ts'
import type { runnerPoolRoutes } from '../../runs/runner-pools/routes.ts'
import type { statechartRoutes } from '../../runtime/statecharts/routes.ts'
import type { ActorState, Machine, PreviewBody, PreviewResult, VerifyResult } from '../../runtime/statecharts/schema.ts'
import type { accessGrantRoutes } from '../../tenancy/access-grants/routes.ts'
import type { keyRoutes } from '../../tenancy/api-keys/routes.ts'
import type { auditRoutes } from '../../tenancy/audit/routes.ts'
import type { deletionRoutes } from '../../tenancy/deletions/routes.ts'
import type { environmentRoutes } from '../../tenancy/environments/routes.ts'
import type { invitationRoutes } from '../../tenancy/invitations/routes.ts'
import type { organizationRoutes } from '../../tenancy/organizations/routes.ts'
import type { projectRoutes } from '../../tenancy/projects/routes.ts'
import type { sessionRoutes } from '../../tenancy/sessions/routes.ts'
import type { accountRoutes } from '../../tenancy/user-accounts/routes.ts'
import type { userGroupRoutes } from '../../tenancy/user-groups/routes.ts'

type RoutesOf<Area extends (...parts: never[]) => { '~Routes': unknown }> = ReturnType<Area>['~Routes']

/** One operation without a query, as Elysia's types have it. */
interface Operation<Answer extends TSchema, Body = unknown> {
  body: Body
  params: { kind: string; id: string }
  query: unknown
  headers: unknown
  response: { 200: Static<Answer> }
}

/** The actors of all kinds have the same routes; the server makes them kind by kind. */
interface ActorRoutes {
  api: {
    v1: {
      actors: {
        ':kind': {
          ':id': {
            get: Operation<typeof ActorState>
            machine: { get: Operation<typeof Machine> }
            verify: { get: Operation<typeof VerifyResult> }
            preview: { post: Operation<typeof PreviewResult, PreviewBody> }
          }
        }
      }
    }
  }
}

type Routes = RoutesOf<typeof accessGrantRoutes> &
  RoutesOf<typeof accountRoutes> &
  RoutesOf<typeof activationRoutes> &
  RoutesOf<typeof agentRoutes> &
  RoutesOf<typeof auditRoutes> &
  RoutesOf<typeof billingRoutes> &
  RoutesOf<typeof configurationRevisionRoutes> &
  RoutesOf<typeof connectionRoutes> &
  RoutesOf<typeof credentialRoutes> &
  RoutesOf<typeof definitionRoutes> &
  RoutesOf<typeof deletionRoutes> &
  RoutesOf<typeof agentDeletionRoutes> &
  RoutesOf<typeof presentationRoutes> &
  RoutesOf<typeof deploymentRoutes> &
  RoutesOf<typeof environmentRoutes> &
  RoutesOf<typeof eventRoutes> &
  RoutesOf<typeof eventTypeRoutes> &
  RoutesOf<typeof invitationRoutes> &
  RoutesOf<typeof keyRoutes> &
  RoutesOf<typeof organizationVariableRoutes> &
  RoutesOf<typeof organizationRoutes> &
  RoutesOf<typeof projectRoutes> &
  RoutesOf<typeof providerSettingRoutes> &
  RoutesOf<typeof releaseRoutes> &
  RoutesOf<typeof runRoutes> &
  RoutesOf<typeof sessionRoutes> &
  RoutesOf<typeof statechartRoutes> &
  ActorRoutes &
  RoutesOf<typeof systemAgentRoutes> &
  RoutesOf<typeof templateRoutes> &
  RoutesOf<typeof runnerPoolRoutes> &
  RoutesOf<typeof userGroupRoutes> &
  RoutesOf<typeof variableRoutes> &
  RoutesOf<typeof webhookRoutes> &
  RoutesOf<typeof deliveryStatisticsRoutes> &
  RoutesOf<typeof entityRoutes> &
  RoutesOf<typeof integrationRoutes> &
  RoutesOf<typeof jobRoutes> &
  RoutesOf<typeof oauthRoutes> &
  RoutesOf<typeof operationRoutes> &
  RoutesOf<typeof presetRoutes> &
  RoutesOf<typeof workflowRoutes>

/** What the client is typed by. */
export type Server = Elysia & { '~Routes': Routes }
