/** What has had its time: answers of calls, and entities that were deleted. Source: design 7. */
import { deleteEntity, deleteEntityCall, listDeletedEntities, listEndedEntityCalls } from '../../storage/entities.ts'
import type { Store } from '../../storage/store.ts'
import type { Actors } from '../runtime/actors.ts'
import type { Clock } from '../runtime/clock.ts'
import { inBatches, removeExpired } from '../runtime/removal.ts'

export interface RetentionParts {
  store: Store
  clock: Pick<Clock, 'now'>
  actors: Actors
}

/** Nobody makes a call again after so long. */
const keptMs = 30 * 86_400_000

/** Forgets up to `limit` calls; says how many. To be called now and then. */
export const pruneEntityCalls = ({ store, clock }: Omit<RetentionParts, 'actors'>, limit: number): Promise<number> =>
  inBatches(limit, async (some) => {
    const ended = await store.all(listEndedEntityCalls(store, { until: clock.now() - keptMs, limit: some }))
    if (ended.length > 0) await store.commit(ended.map(({ key }) => deleteEntityCall(store, { key })))
    return ended.length
  })

/** Removes up to `limit` deleted entities with their journals; says how many. To be called now and then. */
export const pruneEntities = ({ store, clock, actors }: RetentionParts, limit: number): Promise<number> =>
  removeExpired(
    { store, actors },
    {
      kind: 'entity',
      list: (some) => store.all(listDeletedEntities(store, { until: clock.now() - keptMs, limit: some })),
      remove: (id) => [deleteEntity(store, { id })],
    },
    limit,
  )
