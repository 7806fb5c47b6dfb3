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
