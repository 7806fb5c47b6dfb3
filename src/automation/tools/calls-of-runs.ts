/** The calls of runs whose results the server reports: invocations of operations, and workflow runs. */
import type { CallApprovals } from '../../runs/control/approvals.ts'
import type { WorkflowCalls } from './workflow-calls.ts'

const isOfWorkflow = (id: string) => id.startsWith('wfr_')

export const callsOfRuns = (invocations: CallApprovals, workflows: WorkflowCalls): CallApprovals => ({
  workOf: (id) => invocations.workOf(id),
  notify: (id) => (isOfWorkflow(id) ? workflows : invocations).notify(id),
  withdraw: (origin) => invocations.withdraw(origin),
  async abort(origin) {
    await Promise.all([invocations.abort(origin), workflows.abort(origin)])
  },
  close: (runId, id) => (isOfWorkflow(id) ? workflows : invocations).close(runId, id),
})
