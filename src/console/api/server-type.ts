/**
 * The API as the server's own routes declare it, in types alone: nothing of the server reaches the browser. A new area is
 * one import and one line.
 */
import type { Static, TSchema } from '@sinclair/typebox'
import type { Elysia } from 'elysia'
import type { accessGrantRoutes } from '../../access-grants/routes.ts'
import type { accountRoutes } from '../../accounts/routes.ts'
import type { activationRoutes } from '../../activations/routes.ts'
import type { agentRoutes } from '../../agents/routes.ts'
import type { auditRoutes } from '../../audit/routes.ts'
import type { billingRoutes } from '../../billing/routes.ts'
import type { configurationRevisionRoutes } from '../../configuration-revisions/routes.ts'
import type { connectionRoutes } from '../../connections/routes.ts'
import type { credentialRoutes } from '../../credentials/routes.ts'
import type { definitionRoutes } from '../../definitions/routes.ts'
import type { deletionRoutes } from '../../deletions/routes.ts'
import type { presentationRoutes } from '../../deployments/presentation.ts'
import type { deploymentRoutes } from '../../deployments/routes.ts'
import type { entityRoutes } from '../../entities/routes.ts'
import type { environmentRoutes } from '../../environments/routes.ts'
import type { eventRoutes } from '../../events/routes.ts'
import type { eventTypeRoutes } from '../../events/type-routes.ts'
import type { integrationRoutes } from '../../integrations/routes.ts'
import type { invitationRoutes } from '../../invitations/routes.ts'
import type { jobRoutes } from '../../jobs/routes.ts'
import type { keyRoutes } from '../../keys/routes.ts'
import type { oauthRoutes } from '../../oauth/routes.ts'
import type { operationRoutes } from '../../operations/routes.ts'
import type { organizationVariableRoutes } from '../../organization-variables/routes.ts'
import type { organizationRoutes } from '../../organizations/routes.ts'
import type { presetRoutes } from '../../presets/routes.ts'
import type { projectRoutes } from '../../projects/routes.ts'
import type { providerSettingRoutes } from '../../provider-settings/routes.ts'
import type { releaseRoutes } from '../../releases/routes.ts'
import type { runnerPoolRoutes } from '../../runner-pools/routes.ts'
import type { runRoutes } from '../../runs/routes.ts'
import type { sessionRoutes } from '../../sessions/routes.ts'
import type { statechartRoutes } from '../../statecharts/routes.ts'
import type { ActorState, Machine, PreviewBody, PreviewResult, VerifyResult } from '../../statecharts/schema.ts'
import type { systemAgentRoutes } from '../../system-agents/routes.ts'
import type { templateRoutes } from '../../templates/routes.ts'
import type { userGroupRoutes } from '../../user-groups/routes.ts'
import type { variableRoutes } from '../../variables/routes.ts'
import type { webhookRoutes } from '../../webhooks/routes.ts'
import type { deliveryStatisticsRoutes } from '../../webhooks/statistics/routes.ts'
import type { workflowRoutes } from '../../workflows/routes.ts'

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
