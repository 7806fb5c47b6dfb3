/** The areas of the API, and what they are built from. Runs, runners and statecharts are put in by the server itself. */
import type { AnyElysia } from 'elysia'
import type { Store } from '../storage/store.ts'
import { integrationRoutes } from './accounts/integrations/routes.ts'
import type { OAuth } from './accounts/oauth/open.ts'
import { oauthRoutes } from './accounts/oauth/routes.ts'
import type { Presets } from './accounts/presets/catalogue.ts'
import { presetRoutes } from './accounts/presets/routes.ts'
import { agentDeletionRoutes } from './authoring/agents/deletion-routes.ts'
import { agentRoutes } from './authoring/agents/routes.ts'
import { definitionRoutes } from './authoring/definitions/routes.ts'
import { releaseRoutes } from './authoring/releases/routes.ts'
import { systemAgentRoutes } from './authoring/system-agents/routes.ts'
import type { SystemAgents } from './authoring/system-agents/system-agents.ts'
import { projectTemplate } from './authoring/templates/copy.ts'
import { templateRoutes } from './authoring/templates/routes.ts'
import { jobRoutes } from './automation/agent-jobs/routes.ts'
import { entityRoutes } from './automation/entities/routes.ts'
import type { InvocationWork } from './automation/operations/invocations/work.ts'
import { operationRoutes } from './automation/operations/routes.ts'
import { workflowRoutes } from './automation/workflows/routes.ts'
import type { WorkflowWork } from './automation/workflows/work.ts'
import { billingArea } from './billing/area.ts'
import type { OpenBilling } from './billing/open.ts'
import { contractEndCheck } from './billing/service.ts'
import type { Config } from './config.ts'
import { activationRoutes } from './delivery/activations/routes.ts'
import { configurationRevisionRoutes } from './delivery/configuration-revisions/routes.ts'
import { connectionRoutes } from './delivery/connections/routes.ts'
import type { Bundles } from './delivery/deployments/bundles.ts'
import { presentationRoutes } from './delivery/deployments/presentation.ts'
import { deploymentRoutes } from './delivery/deployments/routes.ts'
import { organizationVariableRoutes } from './delivery/organization-variables/routes.ts'
import { credentialRoutes } from './delivery/provider-credentials/routes.ts'
import { providerSettingRoutes } from './delivery/provider-settings/routes.ts'
import { variableRoutes } from './delivery/variables/routes.ts'
import type { DeliveryWork } from './events/deliveries/work.ts'
import type { Announcements } from './events/history/announcements.ts'
import type { EventRetention } from './events/history/retention.ts'
import { eventRoutes } from './events/history/routes.ts'
import { eventTypeRoutes } from './events/kinds/type-routes.ts'
import { webhookRoutes } from './events/webhooks/routes.ts'
import { deliveryStatisticsRoutes } from './events/webhooks/statistics/routes.ts'
import type { Idempotency } from './platform/http/changes/idempotency.ts'
import type { Cursors } from './platform/http/cursor.ts'
import type { Authenticator } from './platform/http/guard/caller.ts'
import type { Guarded } from './platform/http/guard/guarded.ts'
import type { Tree } from './platform/http/guard/parts.ts'
import type { Leases } from './platform/leases/leases.ts'
import type { MailLimiter } from './platform/limits/mails.ts'
import type { SignInLimiter } from './platform/limits/sign-ins.ts'
import type { Mails } from './platform/mail/mails.ts'
import type { Vendor } from './platform/models/vendors.ts'
import type { Logger } from './platform/operating/logger.ts'
import type { OutboundPolicy } from './platform/outbound/policy.ts'
import type { Vault } from './platform/secrets/vault.ts'
import type { Clock } from './platform/time/clock.ts'
import type { RunStarts } from './runs/admission/start.ts'
import type { ContentRetention } from './runs/records/content-retention.ts'
import type { RunRetention } from './runs/retention/run-retention.ts'
import type { Exclusiveness } from './runs/runner-pools/exclusiveness.ts'
import { runnerPoolRoutes } from './runs/runner-pools/routes.ts'
import type { Actors } from './runtime/actors.ts'
import { accessGrantRoutes } from './tenancy/access-grants/routes.ts'
import { keyRoutes } from './tenancy/api-keys/routes.ts'
import type { AuditLog } from './tenancy/audit/log.ts'
import { auditRoutes } from './tenancy/audit/routes.ts'
import type { FailedAttempts } from './tenancy/authority/failed-attempts.ts'
import type { KnownDevices } from './tenancy/authority/known-devices.ts'
import type { OpenStreams } from './tenancy/authority/open-streams.ts'
import type { Revocations } from './tenancy/authority/revocations.ts'
import type { SessionCredentials } from './tenancy/authority/sessions.ts'
import { deletionRoutes } from './tenancy/deletions/routes.ts'
import { environmentRoutes } from './tenancy/environments/routes.ts'
import { invitationRoutes } from './tenancy/invitations/routes.ts'
import { organizationRoutes } from './tenancy/organizations/routes.ts'
import { projectRoutes } from './tenancy/projects/routes.ts'
import { sessionRoutes } from './tenancy/sessions/routes.ts'
import { accountRoutes } from './tenancy/user-accounts/routes.ts'
import { userGroupRoutes } from './tenancy/user-groups/routes.ts'

export interface AreaParts {
  /** Failed authentications by address. */
  failedAttempts: FailedAttempts
  /** Open streams. */
  streams: OpenStreams
  guarded: Guarded
  store: Store
  /** Seals secrets for the one place that they are of, and opens them again. */
  vault: Vault
  clock: Clock
  /** What is done by one server at a time. */
  leases: Leases
  logger: Logger
  actors: Actors
  cursors: Cursors
  idempotency: Idempotency
  /** Hears of every change of somebody's authority, once it is committed. */
  revocations: Revocations
  sessions: SessionCredentials
  /** Browsers that have signed in before. */
  devices: KnownDevices
  signIns: SignInLimiter
  mailLimiter: MailLimiter
  /** Null where no mail server is set up. */
  mails: Mails | null
  audit: AuditLog
  systemAgents: SystemAgents
  /** Tells every active Environment. */
  announcements: Announcements
  eventRetention: EventRetention
  /** What the runs of Deployments use. */
  bundles: Bundles
  /** What addresses tenants may name. */
  outboundPolicy: OutboundPolicy
  /** Where the deployment overrides the addresses of vendors. */
  baseUrls: Partial<Record<Vendor, string>>
  /** The OAuth providers that this deployment knows. */
  presets: Presets
  /** What consents are made of and used with. */
  oauth: OAuth
  /** Who calls, for those who have to ask again. */
  authenticator: Authenticator
  /** The organization's tree, likewise. */
  tree: Tree
  /** Operations, called and carried out. */
  invocations: InvocationWork
  /** What happens to deliveries of webhooks by itself. */
  deliveryWork: DeliveryWork
  /** What happens to runs of workflows by itself. */
  workflowWork: WorkflowWork
  /** Plans, contracts, and who is paid. */
  billing: OpenBilling
  /** The console's origin; known once the server listens. */
  consoleUrl(): string
  /** Starts runs, for callers and for the server itself. */
  runStarts: RunStarts
  /** Removes what runs were given and gave. */
  contentRetention: ContentRetention
  /** Removes runs that ended long ago. */
  runRetention: RunRetention
  /** Who may create organizations. */
  createOrganizations: Config['createOrganizations']
  /** `TROUPE_RATE_LIMIT_PER_MINUTE`; 0: nothing is limited. */
  rateLimitPerMinute: number
  /** Which organizations have their runs carried out by their own runners only. */
  exclusiveness: Exclusiveness
  /** The client's address. */
  addressOf(request: Request): string | undefined
}

/** One plugin per area. */
export const areasOf = (parts: AreaParts): AnyElysia[] => [
  organizationRoutes(parts),
  userGroupRoutes(parts),
  runnerPoolRoutes(parts),
  auditRoutes(parts),
  accessGrantRoutes(parts),
  environmentRoutes(parts),
  projectRoutes({ ...parts, findTemplate: projectTemplate }),
  deletionRoutes({ ...parts, assertContractEnded: contractEndCheck(parts) }),
  agentDeletionRoutes(parts),
  keyRoutes(parts),
  sessionRoutes(parts),
  accountRoutes(parts),
  invitationRoutes(parts),
  agentRoutes(parts),
  templateRoutes(parts),
  systemAgentRoutes(parts),
  definitionRoutes(parts),
  releaseRoutes(parts),
  credentialRoutes(parts),
  organizationVariableRoutes(parts),
  variableRoutes(parts),
  configurationRevisionRoutes(parts),
  deploymentRoutes(parts),
  presentationRoutes(parts),
  activationRoutes(parts),
  connectionRoutes(parts),
  providerSettingRoutes(parts),
  eventRoutes(parts),
  eventTypeRoutes(parts),
  webhookRoutes(parts),
  deliveryStatisticsRoutes(parts),
  operationRoutes(parts),
  workflowRoutes(parts),
  ...billingArea(parts),
  jobRoutes(parts),
  entityRoutes(parts),
  presetRoutes(parts),
  integrationRoutes(parts),
  oauthRoutes(parts),
]
