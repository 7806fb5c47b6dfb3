/** Recoveries as the statechart API shows them. Source: contract 9, "Statecharts". */
import type { RecoveryContext } from '../../../machines/webhook-recovery.ts'
import type { Store } from '../../../storage/store.ts'
import { findPlaceOfRecovery } from '../../../storage/webhook-recoveries.ts'
import { reaches } from '../../http/reach.ts'
import { timestampOrNull } from '../../http/timestamp.ts'
import type { AnyKind } from '../../runtime/kind.ts'
import type { WatchedKind } from '../../statecharts/watch.ts'

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
