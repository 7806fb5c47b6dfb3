/** Deliveries as the statechart API shows them. Source: contract 9, "Statecharts". */
import type { DeliveryContext } from '../../../machines/delivery.ts'
import { findPlaceOfDelivery } from '../../../storage/events/deliveries.ts'
import type { Store } from '../../../storage/store.ts'
import { isWithinScope } from '../../platform/http/guard/authorization-scope.ts'
import { timestampOrNull } from '../../platform/http/timestamp.ts'
import type { ActorView } from '../../runtime/statecharts/live/watch.ts'
import type { DeliveryWork } from './delivery-work.ts'

const readPermission = 'webhooks:list'

export const deliveryView = (work: DeliveryWork, store: Store): ActorView => ({
  definition: work.kind,
  readPermission,
  async find(caller, id) {
    const { organizationId } = caller
    const found = await store.first(findPlaceOfDelivery(store, { organizationId, id, eventsUntil: work.eventsUntil() }))
    if (!found) return false
    // a delivery is of no Agent: the key of one may look at what is around it
    const { agentId } = caller.scope
    return isWithinScope(caller, readPermission, {
      projectId: found.project_id,
      environmentId: found.environment_id,
      agentId,
    })
  },
  redact: ({ attempts, claims, claimedAt, pendingSince, nextAttemptAt, deliveredAt }: DeliveryContext) => ({
    attempts,
    claims,
    claimedAt: timestampOrNull(claimedAt),
    pendingSince: timestampOrNull(pendingSince),
    nextAttemptAt: timestampOrNull(nextAttemptAt),
    deliveredAt: timestampOrNull(deliveredAt),
  }),
})
