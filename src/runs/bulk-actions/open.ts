/** Bulk actions without HTTP: the functions that act on the runs of a piece. */
import { RunAccess } from '../access.ts'
import { type ControlParts, RunControl } from '../control/control.ts'
import { BulkWork, type BulkWorkParts } from './bulk-work.ts'

interface OpenBulkActionsParts
  extends Omit<ControlParts, 'access'>,
    Pick<BulkWorkParts, 'clock' | 'audit' | 'forks' | 'callerLater'> {}

export function openBulkActions(parts: OpenBulkActionsParts): BulkWork {
  const { store, actors } = parts
  const access = new RunAccess(store, actors)
  return new BulkWork({
    ...parts,
    access,
    control: new RunControl({ ...parts, access }),
  })
}
