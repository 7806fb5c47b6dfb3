/** Removes ended workflow runs with their values. */
import { deleteEndedWorkflowRun, listEndedWorkflowRuns } from '../../../storage/automation/operation-retention.ts'
import { type RemovalParts, removeExpired } from '../../runtime/removal.ts'
import { workflowRunAddress } from './actor.ts'

interface WorkflowRetention extends RemovalParts {
  /** Epoch milliseconds: runs that ended earlier are removed. */
  until: number
}

/** Removes up to `limit`; returns how many. Called periodically. */
export const pruneWorkflowRuns = ({ store, actors, until }: WorkflowRetention, limit: number): Promise<number> =>
  removeExpired(
    { store, actors },
    {
      address: workflowRunAddress,
      list: (some) => store.all(listEndedWorkflowRuns(store, { until, limit: some })),
      remove: (id) => [deleteEndedWorkflowRun(store, { id, until })],
    },
    limit,
  )

/** When the longest ended workflow run ended that is to be removed. */
export const oldestWorkflowRun = async ({
  store,
  until,
}: Pick<WorkflowRetention, 'store' | 'until'>): Promise<number | undefined> =>
  (await store.first(listEndedWorkflowRuns(store, { until, limit: 1 })))?.updated_at
