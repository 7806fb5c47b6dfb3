/** Receipts of removals: who may look at them, and how they go in the end. Source: contract 2, "Deletion"; contract 9. */
import type { DeletionContext } from '../../../machines/deletion.ts'
import { removeReceipt } from '../../../storage/runtime/deletion-steps.ts'
import type { Store } from '../../../storage/store.ts'
import type { DeletionRow } from '../../../storage/tables.ts'
import { findDeletion, listEndedDeletions } from '../../../storage/tenancy/deletions.ts'
import { isBound, isWithinScope } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { forEach, inBatches } from '../../platform/operating/batches.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type RemovalParts, removeForGood } from '../../runtime/removal.ts'
import type { ActorView } from '../../runtime/statecharts/live/watch.ts'
import { deletionAddress } from './actor.ts'

/** How long a receipt outlives what it tells of. */
const keptMs = 30 * 24 * 60 * 60 * 1000

/** Whether the caller may delete such a thing. */
function mayDelete(caller: Caller, { id, target, project_id: projectId }: DeletionRow): boolean {
  if (target === 'organization') return caller.permissions.has('organizations:delete') && !isBound(caller)
  const place = { projectId, environmentId: null, agentId: target === 'agent' ? id : null }
  return isWithinScope(caller, target === 'agent' ? 'agents:delete' : 'projects:delete', place)
}

/** How removals may be watched: by whoever may ask for one of that sort. */
export const deletionView = (definition: ActorView['definition'], store: Store): ActorView => ({
  definition,
  readPermission: 'agents:delete',
  orPermissions: ['projects:delete', 'organizations:delete'],
  async find(caller, id) {
    const row = await store.first(findDeletion(store, { organizationId: caller.organizationId, id }))
    return row !== undefined && mayDelete(caller, row)
  },
  redact: ({ target, round }: DeletionContext) => ({ target, round }),
})

/** Removes up to `limit` receipts whose time is over; says how many. To be called now and then. */
export const pruneReceipts = (
  { store, clock, actors }: RemovalParts & { clock: Pick<Clock, 'now'> },
  limit: number,
): Promise<number> =>
  inBatches(limit, async (some) =>
    forEach(await store.all(listEndedDeletions(store, { before: clock.now() - keptMs, limit: some })), ({ id }) =>
      removeForGood({ store, actors }, deletionAddress(id), removeReceipt(store, id)),
    ),
  )
