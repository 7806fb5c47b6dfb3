/** How long runs of workflows are kept that have ended, with what they were given and gave. */
import { deleteEndedWorkflowRun, listEndedWorkflowRuns } from '../../../storage/automation/operation-retention.ts'
import { type RemovalParts, removeExpired } from '../../runtime/removal.ts'
import { workflowRunAddress } from './actor.ts'

export interface WorkflowRetention extends RemovalParts {
  /** Epoch milliseconds: what ended before then goes. */
  until: number
}

/** Removes up to `limit`; says how many. To be called now and then. */
export const pruneWorkflowRuns = ({ store, actors, until }: WorkflowRetention, limit: number): Promise<number> =>
  removeExpired(
    { store, actors },
    {
      address: workflowRunAddress,
      list: (some) => store.all(listEndedWorkflowRuns(store, { until, limit: some })),
      remove: (id) => [deleteEndedWorkflowRun(store, { id })],
    },
    limit,
  )
