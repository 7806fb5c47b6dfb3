/** Starts what a job is for: a run of its Agent with its query, or a run of its workflow. */
import type { AgentJobRow } from '../../../storage/tables.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { RunStarts } from '../../runs/admission/start.ts'
import type { PresentedRun } from '../../runs/present.ts'
import type { By } from '../../runtime/kind.ts'
import type { WorkflowRun } from '../workflows/schema.ts'
import type { WorkflowStarts } from '../workflows/start.ts'

interface Starters {
  runs: { starts: Pick<RunStarts, 'startForServer'> }
  workflowStarts: Pick<WorkflowStarts, 'startForServer'>
}

interface JobStart {
  by: By
  /** The ids of the run, of which it gets one; omitted: any. */
  ids?: { agentRunId: string; workflowRunId: string }
  /** Statements that commit with the run. */
  record: RequestRecord
}

/** Throws the errors of the start of a run, or of a workflow. */
export async function startOf(
  { runs, workflowStarts }: Starters,
  row: AgentJobRow,
  { by, ids, record }: JobStart,
): Promise<PresentedRun | WorkflowRun> {
  const { organization_id: organizationId, project_id: projectId, environment_id: environmentId } = row
  const [agentId, common] = [row.agent_id, { organizationId, projectId, by, agentJobId: row.id, record }]
  if (row.workflow !== null) {
    const params = JSON.parse(row.params ?? '{}') as object
    const start = { ...common, environmentId, agentId, workflow: row.workflow, params }
    return workflowStarts.startForServer({ ...start, ...(ids && { id: ids.workflowRunId }) })
  }
  const request = { agentId, environmentId, query: row.query }
  return (await runs.starts.startForServer({ ...common, request, ...(ids && { id: ids.agentRunId }) })).data
}
