/** What has had its time: answers of calls, and entities that were deleted. Source: design 7. */
import { deleteEntity, deleteEntityCall, listDeletedEntities, listEndedEntityCalls } from '../../storage/entities.ts'
import { removeActor } from '../../storage/removal-piece.ts'
import type { Store } from '../../storage/store.ts'
import type { Actors } from '../runtime/actors.ts'
import type { Clock } from '../runtime/clock.ts'
import { entityAddress } from './actor.ts'

export interface RetentionParts {
  store: Store
  clock: Pick<Clock, 'now'>
  actors: Actors
}

/** Nobody makes a call again after so long. */
const keptMs = 30 * 86_400_000
/** In one transaction. */
const removedAtOnce = 100

/** Forgets up to `limit` calls; says how many. To be called now and then. */
export const pruneEntityCalls = ({ store, clock }: Omit<RetentionParts, 'actors'>, limit: number): Promise<number> =>
  inBatches(limit, async (some) => {
    const ended = await store.all(listEndedEntityCalls(store, { until: clock.now() - keptMs, limit: some }))
    if (ended.length > 0) await store.commit(ended.map(({ key }) => deleteEntityCall(store, { key })))
    return ended.length
  })

/** Removes up to `limit` deleted entities with their journals; says how many. To be called now and then. */
export const pruneEntities = ({ store, clock, actors }: RetentionParts, limit: number): Promise<number> =>
  inBatches(limit, async (some) => {
    const ended = await store.all(listDeletedEntities(store, { until: clock.now() - keptMs, limit: some }))
    const addresses = ended.map(({ id }) => entityAddress(id))
    if (addresses.length > 0) {
      await store.commit(
        addresses.flatMap(({ kind, id }) => [deleteEntity(store, { id }), ...removeActor(store, { kind, id })]),
      )
    }
    for (const address of addresses) actors.forget(address)
    return ended.length
  })

async function inBatches(limit: number, remove: (limit: number) => Promise<number>): Promise<number> {
  let removed = 0
  while (removed < limit) {
    const count = await remove(Math.min(removedAtOnce, limit - removed))
    if (count === 0) break
    removed += count
  }
  return removed
}
