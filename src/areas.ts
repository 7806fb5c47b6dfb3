/** The areas of the API, and what they are built from. Runs, runners and statecharts are put in by the server itself. */
import type { AnyElysia } from 'elysia'
import type { Store } from '../storage/store.ts'
import { accessGrantRoutes } from './access-grants/routes.ts'
import { accountRoutes } from './accounts/routes.ts'
import { activationRoutes } from './activations/routes.ts'
import { agentRoutes } from './agents/routes.ts'
import type { AuditLog } from './audit/log.ts'
import { auditRoutes } from './audit/routes.ts'
import type { FailedAttempts } from './authority/failed-attempts.ts'
import type { KnownDevices } from './authority/known-devices.ts'
import type { OpenStreams } from './authority/open-streams.ts'
import type { Revocations } from './authority/revocations.ts'
import type { SessionCredentials } from './authority/sessions.ts'
import { billingArea } from './billing/area.ts'
import type { OpenBilling } from './billing/open.ts'
import { contractEndCheck } from './billing/service.ts'
import type { Config } from './config.ts'
import { configurationRevisionRoutes } from './configuration-revisions/routes.ts'
import { connectionRoutes } from './connections/routes.ts'
import { credentialRoutes } from './credentials/routes.ts'
import { definitionRoutes } from './definitions/routes.ts'
import { deletionRoutes } from './deletions/routes.ts'
import type { Bundles } from './deployments/bundles.ts'
import { presentationRoutes } from './deployments/presentation.ts'
import { deploymentRoutes } from './deployments/routes.ts'
import { entityRoutes } from './entities/routes.ts'
import { environmentRoutes } from './environments/routes.ts'
import type { Announcements } from './events/announcements.ts'
import type { EventRetention } from './events/retention.ts'
import { eventRoutes } from './events/routes.ts'
import { eventTypeRoutes } from './events/type-routes.ts'
import type { Tree } from './http/admission.ts'
import type { Authenticator } from './http/caller.ts'
import type { Cursors } from './http/cursor.ts'
import type { Guarded } from './http/guarded.ts'
import type { Idempotency } from './http/idempotency.ts'
import { integrationRoutes } from './integrations/routes.ts'
import { invitationRoutes } from './invitations/routes.ts'
import { jobRoutes } from './jobs/routes.ts'
import { keyRoutes } from './keys/routes.ts'
import type { Leases } from './leases/leases.ts'
import type { MailLimiter } from './limits/mails.ts'
import type { SignInLimiter } from './limits/sign-ins.ts'
import type { Mails } from './mail/mails.ts'
import type { OAuth } from './oauth/open.ts'
import { oauthRoutes } from './oauth/routes.ts'
import type { Logger } from './operating/logger.ts'
import type { InvocationWork } from './operations/invocations/work.ts'
import { operationRoutes } from './operations/routes.ts'
import { organizationVariableRoutes } from './organization-variables/routes.ts'
import { organizationRoutes } from './organizations/routes.ts'
import type { OutboundPolicy } from './outbound/policy.ts'
import type { Presets } from './presets/catalogue.ts'
import { presetRoutes } from './presets/routes.ts'
import { projectRoutes } from './projects/routes.ts'
import { providerSettingRoutes } from './provider-settings/routes.ts'
import type { Vendor } from './providers/vendors.ts'
import { releaseRoutes } from './releases/routes.ts'
import type { Exclusiveness } from './runner-pools/exclusiveness.ts'
import { runnerPoolRoutes } from './runner-pools/routes.ts'
import type { ContentRetention } from './runs/content-retention.ts'
import type { RunRetention } from './runs/run-retention.ts'
import type { RunStarts } from './runs/start.ts'
import type { Actors } from './runtime/actors.ts'
import type { Clock } from './runtime/clock.ts'
import type { Vault } from './secrets/vault.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { systemAgentRoutes } from './system-agents/routes.ts'
import type { SystemAgents } from './system-agents/system-agents.ts'
import { templateRoutes } from './templates/routes.ts'
import { userGroupRoutes } from './user-groups/routes.ts'
import { variableRoutes } from './variables/routes.ts'
import type { DeliveryWork } from './webhooks/deliveries/work.ts'
import { webhookRoutes } from './webhooks/routes.ts'
import { deliveryStatisticsRoutes } from './webhooks/statistics/routes.ts'
import { workflowRoutes } from './workflows/routes.ts'
import type { WorkflowWork } from './workflows/work.ts'

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
  projectRoutes(parts),
  deletionRoutes({ ...parts, assertContractEnded: contractEndCheck(parts) }),
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
