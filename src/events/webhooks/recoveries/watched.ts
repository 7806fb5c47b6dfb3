/** Recoveries as the statechart API shows them. Source: contract 9, "Statecharts". */
import type { RecoveryContext } from '../../../../machines/webhook-recovery.ts'
import { findPlaceOfRecovery } from '../../../../storage/events/webhook-recoveries.ts'
import type { Store } from '../../../../storage/store.ts'
import { reaches } from '../../../platform/http/guard/reach.ts'
import { timestampOrNull } from '../../../platform/http/timestamp.ts'
import type { AnyKind } from '../../../runtime/kind.ts'
import type { WatchedKind } from '../../../runtime/statecharts/live/watch.ts'

const readPermission = 'webhooks:list'

export const watchedRecoveries = (definition: AnyKind, store: Store): WatchedKind => ({
  definition,
  readPermission,
  async find(caller, id) {
    const found = await store.first(findPlaceOfRecovery(store, { organizationId: caller.organizationId, id }))
    if (!found) return false
    const { agentId } = caller.scope
    return reaches(caller, readPermission, {
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
