/** What has had its time: answers of calls, and entities that were deleted. Source: design 7. */
import {
  deleteEntity,
  deleteEntityCall,
  listDeletedEntities,
  listEndedEntityCalls,
} from '../../../storage/automation/entities.ts'
import { removeActor } from '../../../storage/runtime/deletion-step.ts'
import { forEach, inBatches } from '../../platform/operating/batches.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { type RemovalParts, removeForGood } from '../../runtime/removal.ts'
import { entityAddress } from './actor.ts'

export interface RetentionParts extends RemovalParts {
  clock: Pick<Clock, 'now'>
}

/** Nobody makes a call again after so long. */
const keptMs = 30 * 86_400_000

/** Forgets up to `limit` calls; says how many. To be called now and then. */
export const pruneEntityCalls = ({ store, clock }: Omit<RetentionParts, 'actors'>, limit: number): Promise<number> =>
  inBatches(limit, async (some) => {
    const ended = await store.all(listEndedEntityCalls(store, { until: clock.now() - keptMs, limit: some }))
    return forEach(ended, ({ key }) => store.commit([deleteEntityCall(store, { key })]))
  })

/** Removes up to `limit` deleted entities with their journals; says how many. To be called now and then. */
export const pruneEntities = ({ store, clock, actors }: RetentionParts, limit: number): Promise<number> =>
  inBatches(limit, async (some) => {
    const deleted = await store.all(listDeletedEntities(store, { until: clock.now() - keptMs, limit: some }))
    return forEach(deleted, ({ id }) => {
      const actor = entityAddress(id)
      return removeForGood({ store, actors }, actor, [deleteEntity(store, { id }), ...removeActor(store, actor)])
    })
  })
