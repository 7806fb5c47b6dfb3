/** A new workflow run: its columns, its params and the plan of its statechart. Pure. */
import type { WorkflowRunRow } from '../../../storage/tables.ts'
import type { BundledWorkflow } from '../../delivery/deployments/bundles.ts'
import { digestOf } from '../../platform/http/digest.ts'
import type { By } from '../../runtime/kind.ts'
import type { WorkflowRunSeed } from './actor.ts'
import { planOf } from './plan.ts'
import { bytesOf } from './values.ts'

/** The columns that the starter chooses; the omitted ones are null, and the depth is 0. */
type Chosen = Pick<
  WorkflowRunRow,
  'id' | 'organization_id' | 'project_id' | 'environment_id' | 'deployment_id' | 'agent_id' | 'trace'
> &
  Partial<
    Pick<
      WorkflowRunRow,
      | 'request_key'
      | 'actor_user_id'
      | 'parent_run_id'
      | 'parent_step_id'
      | 'parent_attempt'
      | 'depth'
      | 'agent_job_id'
      | 'agent_run_id'
      | 'tool_call_id'
      | 'run_chain'
    >
  >

export function creationOf(
  chosen: Chosen,
  { workflow, params, by, at }: { workflow: BundledWorkflow; params: unknown; by: By; at: number },
) {
  const { source, definitionId, definitionRevisionId, name } = workflow
  const seed: WorkflowRunSeed = {
    row: {
      request_key: null,
      actor_user_id: null,
      parent_run_id: null,
      parent_step_id: null,
      parent_attempt: null,
      depth: 0,
      agent_job_id: null,
      agent_run_id: null,
      tool_call_id: null,
      run_chain: null,
      ...chosen,
      definition_id: definitionId,
      definition_revision_id: definitionRevisionId,
      definition_name: name,
      request_digest: digestOf(params),
      created_by_type: by.type,
      created_by_id: by.id,
    },
    params,
  }
  const input = { steps: planOf(source), bytes: bytesOf(params), hasOutput: source.output !== undefined, at }
  return { input, seed, named: 'start' }
}
