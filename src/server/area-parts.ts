/** What the areas of the API are built from: each takes of it what it names. */
import type { Registry } from 'prom-client'
import type { Store } from '../../storage/store.ts'
import type { OAuth } from '../accounts/oauth/oauth.ts'
import type { Presets } from '../accounts/presets/catalogue.ts'
import { areas } from '../areas.ts'
import type { SystemAgents } from '../authoring/system-agents/system-agents.ts'
import type { InvocationWork } from '../automation/operations/invocations/invocation-work.ts'
import type { WorkflowWork } from '../automation/workflows/workflow-work.ts'
import type { OpenBilling } from '../billing/open-billing.ts'
import type { Config } from '../config.ts'
import type { Bundles } from '../delivery/deployments/bundles.ts'
import type { DeliveryWork } from '../events/deliveries/delivery-work.ts'
import type { Broadcasts } from '../events/history/broadcasts.ts'
import type { EventRetention } from '../events/history/retention.ts'
import type { Area } from '../platform/area.ts'
import type { Idempotency } from '../platform/http/changes/idempotency.ts'
import type { Cursors } from '../platform/http/cursor.ts'
import type { Leases } from '../platform/leases/leases.ts'
import type { Mails } from '../platform/mail/mails.ts'
import type { Vendor } from '../platform/models/vendors.ts'
import type { Logger } from '../platform/operating/logger.ts'
import type { OutboundPolicy } from '../platform/outbound/policy.ts'
import type { Vault } from '../platform/secrets/vault.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { Attempts } from '../runs/attempts/attempts.ts'
import type { RunnerTokens } from '../runs/attempts/tokens.ts'
import type { Exclusiveness } from '../runs/runner-pools/exclusiveness.ts'
import type { Runs } from '../runs/service.ts'
import type { Actors } from '../runtime/actors.ts'
import type { StatechartParts } from '../runtime/statecharts/routes.ts'
import type { AssertContractEnded } from '../tenancy/deletions/requests.ts'
import type { FindTemplate } from '../tenancy/projects/new-project.ts'
import type { AccessOfAreas } from './access.ts'

/** Settings, under the names of the configuration. */
type Settings = Pick<
  Config,
  'createOrganizations' | 'rateLimitPerMinute' | 'auditRetentionDays' | 'operationRetentionDays' | 'runRetentionDays'
>

export interface AreaParts extends Settings, AccessOfAreas, Pick<StatechartParts, 'kinds' | 'charts'> {
  // what everything stands on
  store: Store
  /** Seals secrets for the one place that they are of, and opens them again. */
  vault: Vault
  clock: Clock
  /** What is done by one server at a time. */
  leases: Leases
  logger: Logger
  /** Told of what fails in the background. */
  onError(error: unknown, what: string): void
  actors: Actors
  /** What `/metrics` shows. */
  registry: Registry

  // requests and answers
  cursors: Cursors
  idempotency: Idempotency
  /** The console's origin; known once the server listens. */
  consoleUrl(): string

  // the world outside
  /** Null where no mail server is set up. */
  mails: Mails | null
  /** The addresses that tenants may name. */
  outboundPolicy: OutboundPolicy
  /** Where the deployment overrides the addresses of vendors. */
  baseUrls: Partial<Record<Vendor, string>>
  /** The OAuth providers that this deployment knows. */
  presets: Presets
  /** What consents are made of and used with. */
  oauth: OAuth

  // what one area has and others use
  systemAgents: SystemAgents
  /** What a new Project may be made from. */
  findTemplate: FindTemplate
  /** The Releases that Deployments run. */
  bundles: Bundles
  runs: Runs
  /** Runs under way, as runners lease and report them. */
  attempts: Attempts
  /** What runners authenticate with. */
  tokens: RunnerTokens
  /** Which organizations have their runs carried out by their own runners only. */
  exclusiveness: Exclusiveness
  /** Operations, called and carried out. */
  invocations: InvocationWork
  workflowWork: WorkflowWork
  deliveryWork: DeliveryWork
  /** Tells every active Environment. */
  broadcasts: Broadcasts
  eventRetention: EventRetention
  /** Plans, contracts, and who is paid. */
  billing: OpenBilling
  assertContractEnded: AssertContractEnded
}

/** The areas as the server uses them. An area that needs what is not among the parts does not compile here. */
export const allAreas: readonly Area<AreaParts>[] = areas
