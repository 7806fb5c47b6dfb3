/** Recoveries as the statechart API shows them. Source: contract 9, "Statecharts". */
import type { RecoveryContext } from '../../../../machines/webhook-recovery.ts'
import { findPlaceOfRecovery } from '../../../../storage/events/webhook-recoveries.ts'
import type { Store } from '../../../../storage/store.ts'
import { isWithinScope } from '../../../platform/http/guard/authorization-scope.ts'
import { timestampOrNull } from '../../../platform/http/timestamp.ts'
import type { AnyKind } from '../../../runtime/kind.ts'
import type { ActorView } from '../../../runtime/statecharts/live/watch.ts'

const readPermission = 'webhooks:list'

export const recoveryView = (definition: AnyKind, store: Store): ActorView => ({
  definition,
  readPermission,
  async find(caller, id) {
    const found = await store.first(findPlaceOfRecovery(store, { organizationId: caller.organizationId, id }))
    if (!found) return false
    const { agentId } = caller.scope
    return isWithinScope(caller, readPermission, {
      projectId: found.project_id,
      environmentId: found.environment_id,
      agentId,
    })
  },
  redact: ({ left, pieces, afterSequence, retried, made, cause, endedAt }: RecoveryContext) => ({
    left,
    pieces,
    afterSequence,
    retried,
    made,
    cause,
    endedAt: timestampOrNull(endedAt),
  }),
})
