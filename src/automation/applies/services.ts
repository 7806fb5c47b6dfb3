/** The services by which an Apply writes. */
import type { Store } from '../../../storage/store.ts'
import { Agents } from '../../authoring/agents/agents.ts'
import { AgentRevisions } from '../../authoring/agents/revisions.ts'
import { Definitions } from '../../authoring/definitions/definitions.ts'
import { DefinitionRevisions } from '../../authoring/definitions/revisions.ts'
import { Releases } from '../../authoring/releases/releases.ts'
import type { SystemAgents } from '../../authoring/system-agents/system-agents.ts'
import { Activations } from '../../delivery/activations/service.ts'
import { ConfigurationRevisions } from '../../delivery/configuration-revisions/service.ts'
import { Connections } from '../../delivery/connections/service.ts'
import type { Bundles } from '../../delivery/deployments/bundles.ts'
import { Deployments } from '../../delivery/deployments/service.ts'
import { ProviderSettings } from '../../delivery/provider-settings/service.ts'
import { Variables } from '../../delivery/variables/service.ts'
import { type WebhookParts, Webhooks } from '../../events/webhooks/service.ts'
import type { AuditSink } from '../../platform/http/changes/audit-trail.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import type { Vendor } from '../../platform/models/vendors.ts'
import type { OutboundPolicy } from '../../platform/outbound/policy.ts'
import type { Vault } from '../../platform/secrets/vault.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { RunStarts } from '../../runs/admission/start.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { CallerLater } from '../../tenancy/authority/later.ts'
import type { Revocations } from '../../tenancy/authority/revocations.ts'
import { Environments } from '../../tenancy/environments/service.ts'
import type { LimitsOfOrganizations } from '../../tenancy/organizations/limits.ts'
import { Projects } from '../../tenancy/projects/service.ts'
import { treeIn } from '../../tenancy/projects/tree.ts'
import { Jobs } from '../agent-jobs/service.ts'
import type { WorkflowStarts } from '../workflows/start.ts'

export interface ApplyParts {
  store: Store
  clock: Clock
  actors: Actors
  cursors: Cursors
  vault: Vault
  audit: AuditSink
  outboundPolicy: OutboundPolicy
  baseUrls: Partial<Record<Vendor, string>>
  systemAgents: SystemAgents
  revocations: Revocations
  billing: { terms: LimitsOfOrganizations }
  deliveryWork: WebhookParts['deliveryWork']
  starts: RunStarts
  bundles: Bundles
  workflowStarts: WorkflowStarts
}

export interface ApplyWorkParts extends ApplyParts {
  /** The current authority of the user or key that requested an Apply. */
  callerLater: CallerLater
  onError(error: unknown, what: string): void
}

export type ApplyServices = ReturnType<typeof servicesOf>

export function servicesOf(given: ApplyParts) {
  const { starts, ...shared } = given
  const parts = { ...shared, tree: treeIn(given.store), runs: { starts } }
  return {
    ...parts,
    projects: new Projects(parts),
    environments: new Environments(parts),
    definitions: new Definitions(parts),
    definitionRevisions: new DefinitionRevisions(parts),
    agents: new Agents(parts),
    agentRevisions: new AgentRevisions(parts),
    variables: new Variables(parts),
    connections: new Connections(parts),
    providerSettings: new ProviderSettings(parts),
    jobs: new Jobs(parts),
    webhooks: new Webhooks(parts),
    releases: new Releases(parts),
    configurationRevisions: new ConfigurationRevisions(parts),
    deployments: new Deployments(parts),
    activations: new Activations(parts),
  }
}
