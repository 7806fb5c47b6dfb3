/** Starts runs without HTTP, with the resolver of Agents and their bindings. */
import type { Store } from '../../../storage/store.ts'
import { isMember } from '../../../storage/tenancy/organizations.ts'
import type { SystemAgents } from '../../authoring/system-agents/system-agents.ts'
import type { Bundles } from '../../delivery/deployments/bundles.ts'
import { dayMs } from '../../platform/time/durations.ts'
import type { OrganizationRunLimits } from '../../tenancy/organizations/run-limits.ts'
import { agentResolver } from './agents.ts'
import { ProjectAgents } from './project-agents.ts'
import { RunStarts, type StartParts } from './start.ts'

interface OpenStartsParts
  extends Pick<
    StartParts,
    'actors' | 'clock' | 'bindings' | 'idempotency' | 'reserve' | 'prices' | 'version' | 'tracing'
  > {
  runLimits: Pick<OrganizationRunLimits, 'of'>
  store: Store
  systemAgents: SystemAgents
  bundles: Bundles
  contentRetentionDays: number
}

export function openStarts({
  store,
  systemAgents,
  bundles,
  contentRetentionDays,
  runLimits,
  ...parts
}: OpenStartsParts) {
  return new RunStarts({
    ...parts,
    agents: agentResolver(
      {
        find: (agentId) => systemAgents.findEnabled(agentId),
        findAgain: (agentId) => systemAgents.findAgain(agentId),
      },
      new ProjectAgents({ store, actors: parts.actors, bundles, systemAgents }),
    ),
    limitsOf: (organizationId) => runLimits.of(organizationId),
    isMember: (organizationId, userId) => isMember(store, organizationId, userId),
    contentRetentionMs: Math.ceil(contentRetentionDays * dayMs),
  })
}
