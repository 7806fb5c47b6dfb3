/** Bulk actions without HTTP: the functions that act on the runs of a piece. */
import type { Logger } from '../../platform/operating/logger.ts'
import { ApiKeyCredentials } from '../../tenancy/authority/api-keys.ts'
import { callerLater } from '../../tenancy/authority/later.ts'
import { RunAccess } from '../access.ts'
import { type ControlParts, RunControl } from '../control/control.ts'
import { BulkWork, type BulkWorkParts } from './bulk-work.ts'

interface OpenBulkActionsParts extends Omit<ControlParts, 'access'>, Pick<BulkWorkParts, 'clock' | 'audit' | 'forks'> {
  logger: Pick<Logger, 'warn'>
}

export function openBulkActions(parts: OpenBulkActionsParts): BulkWork {
  const { store, actors, clock, logger } = parts
  const access = new RunAccess(store, actors)
  return new BulkWork({
    ...parts,
    access,
    control: new RunControl({ ...parts, access }),
    callerLater: callerLater({ store, clock, apiKeys: new ApiKeyCredentials({ store, clock, logger }) }),
  })
}
