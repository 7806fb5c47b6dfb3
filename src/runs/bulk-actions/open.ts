/** Bulk actions without HTTP: the functions that act on the runs of a piece. */
import type { SystemAgents } from '../../authoring/system-agents/system-agents.ts'
import type { Logger } from '../../platform/operating/logger.ts'
import { ApiKeyCredentials } from '../../tenancy/authority/api-keys.ts'
import { callerLater } from '../../tenancy/authority/later.ts'
import type { OrganizationRunLimits } from '../../tenancy/organizations/run-limits.ts'
import { RunAccess } from '../access.ts'
import { type ForkParts, RunForks } from '../admission/fork.ts'
import { type ControlParts, RunControl } from '../control/control.ts'
import { BulkWork, type BulkWorkParts } from './bulk-work.ts'

export interface OpenBulkActionsParts
  extends Omit<ControlParts, 'access'>,
    Pick<BulkWorkParts, 'clock' | 'audit'>,
    Pick<ForkParts, 'version' | 'tracing'> {
  logger: Pick<Logger, 'warn'>
  runLimits: Pick<OrganizationRunLimits, 'of'>
  systemAgents: Pick<SystemAgents, 'findEnabled'>
  contentRetentionDays: number
}

const dayMs = 86_400_000

export function openBulkActions(parts: OpenBulkActionsParts): BulkWork {
  const { store, actors, clock, logger, runLimits, systemAgents, contentRetentionDays } = parts
  const access = new RunAccess(store, actors)
  return new BulkWork({
    ...parts,
    access,
    control: new RunControl({ ...parts, access }),
    forks: new RunForks({
      ...parts,
      limitsOf: (organizationId) => runLimits.of(organizationId),
      isEnabled: (agentId) => systemAgents.findEnabled(agentId) !== undefined,
      contentRetentionMs: Math.ceil(contentRetentionDays * dayMs),
    }),
    callerLater: callerLater({ store, clock, apiKeys: new ApiKeyCredentials({ store, clock, logger }) }),
  })
}
