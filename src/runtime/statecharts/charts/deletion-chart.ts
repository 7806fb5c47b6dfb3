/** The statechart of a removal, in words. Source: contract 2, "Deletion". */
import { deletionMachine } from '../../../../machines/deletion.ts'
import type { Chart } from './chart.ts'

export const deletionChart: Chart = {
  title: 'Deletion',
  about:
    'The removal of an organization, a Project or an Agent. In `draining` live runs are told to end, and it is looked ' +
    'again until none is left. In `removing` everything below the target is removed in small batches, and at last the ' +
    'target itself. What remains is this receipt, for 30 days: ids and states, no names. A server that stops or crashes ' +
    'goes on where it was.',
  machine: deletionMachine,
  input: { target: 'project' },
  events: {
    delete: {
      by: 'command',
      says: '`DELETE /api/v1/organizations/{organizationIdOrSlug}`, `DELETE /api/v1/projects/{projectId}` or `DELETE /api/v1/projects/{projectId}/agents/{agentId}`.',
    },
    runsTold: { by: 'server', says: 'As many runs as a round takes were told to end; there may be more.' },
    runsEnded: { by: 'server', says: 'No live run is left.' },
    runsFound: { by: 'server', says: 'A run has begun anew in the meantime.' },
    batchRemoved: { by: 'server', says: 'As much as a round takes is removed; there may be more.' },
    removed: { by: 'server', says: 'Nothing is left, and the target itself is gone.' },
  },
  guards: {
    ofThisRound: 'The answer belongs to the round of work that was asked for last.',
  },
  deadlines: {
    lookAgain: { limits: 'Waiting for runs that wind down; then they are looked at again.' },
    settleDeadline: { limits: 'Waiting for requests that were under way when the target went.' },
  },
  effects: {
    endRuns: 'Cancels live runs, up to 500 in a round, and tells Environments of their end.',
    removeBatch: 'Removes the next rows, some hundred in a round, and the target itself when nothing else is left.',
    sweep: 'Removes what requests that were under way have left behind.',
  },
}
