/** Forks, for a server. */
import type { SystemAgents } from '../../authoring/system-agents/system-agents.ts'
import { dayMs } from '../../platform/time/durations.ts'
import type { OrganizationRunLimits } from '../../tenancy/organizations/run-limits.ts'
import { RunAccess } from '../access.ts'
import { type ForkParts, RunForks } from './forks.ts'

interface OpenForksParts
  extends Omit<ForkParts, 'access' | 'limitsOf' | 'isEnabled' | 'contentRetentionMs' | 'onDamaged'> {
  runLimits: Pick<OrganizationRunLimits, 'of'>
  systemAgents: Pick<SystemAgents, 'findEnabled'>
  contentRetentionDays: number
  onError(error: unknown, what: string): void
}

export function openForks(parts: OpenForksParts): RunForks {
  const { store, actors, runLimits, systemAgents, contentRetentionDays, onError } = parts
  return new RunForks({
    ...parts,
    access: new RunAccess(store, actors),
    limitsOf: (organizationId) => runLimits.of(organizationId),
    isEnabled: (agentId) => systemAgents.findEnabled(agentId) !== undefined,
    contentRetentionMs: Math.ceil(contentRetentionDays * dayMs),
    onDamaged: (damage) => onError(damage, 'a stored record'),
  })
}
