/** Removes the receipts of deletions. Source: contract 2, "Deletion". */
import { removeReceipt } from '../../../storage/runtime/deletion-steps.ts'
import { listEndedDeletions } from '../../../storage/tenancy/deletions.ts'
import { forEach, inBatches } from '../../platform/operating/batches.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { dayMs } from '../../platform/time/durations.ts'
import { type RemovalParts, removeForGood } from '../../runtime/removal.ts'
import { deletionAddress } from './actor.ts'

/** How long a receipt is kept after the deletion. */
const keptMs = 30 * dayMs

/** Removes up to `limit` expired receipts; returns how many. Called periodically. */
export const pruneReceipts = (
  { store, clock, actors }: RemovalParts & { clock: Pick<Clock, 'now'> },
  limit: number,
): Promise<number> =>
  inBatches(limit, async (some) =>
    forEach(await store.all(listEndedDeletions(store, { before: clock.now() - keptMs, limit: some })), ({ id }) =>
      removeForGood({ store, actors }, deletionAddress(id), removeReceipt(store, id)),
    ),
  )
