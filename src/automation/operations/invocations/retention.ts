/** Removes ended invocations with their approvals. Source: contract 9, "Configuration". */
import { deleteEndedInvocation, listEndedInvocations } from '../../../../storage/automation/operation-retention.ts'
import { removeActor } from '../../../../storage/runtime/deletion-step.ts'
import { type RemovalParts, removeExpired } from '../../../runtime/removal.ts'
import { invocationAddress } from './actor.ts'

interface InvocationRetention extends RemovalParts {
  /** Epoch milliseconds: invocations that ended earlier are removed. */
  until: number
}

/** Removes up to `limit`; returns how many. Called periodically. */
export const pruneInvocations = ({ store, actors, until }: InvocationRetention, limit: number): Promise<number> =>
  removeExpired(
    { store, actors },
    {
      address: invocationAddress,
      list: (some) => store.all(listEndedInvocations(store, { until, limit: some })),
      // the worker's call is removed with its row
      remove: (id) => [deleteEndedInvocation(store, { id, until }), ...removeActor(store, { kind: 'worker-call', id })],
    },
    limit,
  )

/** When the longest ended invocation ended that is to be removed. */
export const oldestInvocation = async ({
  store,
  until,
}: Pick<InvocationRetention, 'store' | 'until'>): Promise<number | undefined> =>
  (await store.first(listEndedInvocations(store, { until, limit: 1 })))?.updated_at
