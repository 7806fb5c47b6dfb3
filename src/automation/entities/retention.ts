/** Removes expired answers of calls, and deleted entities. Source: design 7. */
import {
  deleteEntity,
  deleteEntityCall,
  listDeletedEntities,
  listEndedEntityCalls,
} from '../../../storage/automation/entities.ts'
import { removeActor } from '../../../storage/runtime/deletion-step.ts'
import { forEach, inBatches } from '../../platform/operating/batches.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { dayMs } from '../../platform/time/durations.ts'
import { type RemovalParts, removeForGood } from '../../runtime/removal.ts'
import { entityAddress } from './actor.ts'

interface RetentionParts extends RemovalParts {
  clock: Pick<Clock, 'now'>
}

/** Calls are not repeated after this time. */
const keptMs = 30 * dayMs

/** Deletes up to `limit` calls; returns how many. Called periodically. */
export const pruneEntityCalls = ({ store, clock }: Omit<RetentionParts, 'actors'>, limit: number): Promise<number> =>
  inBatches(limit, async (some) => {
    const ended = await store.all(listEndedEntityCalls(store, { until: clock.now() - keptMs, limit: some }))
    return forEach(ended, ({ key }) => store.commit([deleteEntityCall(store, { key })], null))
  })

/** Removes up to `limit` deleted entities with their journals; returns how many. Called periodically. */
export const pruneEntities = ({ store, clock, actors }: RetentionParts, limit: number): Promise<number> =>
  inBatches(limit, async (some) => {
    const deleted = await store.all(listDeletedEntities(store, { until: clock.now() - keptMs, limit: some }))
    return forEach(deleted, ({ id }) => {
      const actor = entityAddress(id)
      return removeForGood({ store, actors }, actor, [deleteEntity(store, { id }), ...removeActor(store, actor)])
    })
  })
