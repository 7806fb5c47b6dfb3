/** How runs of workflows go with an organization, a Project or an Agent. Source: contract 2, "Deletion". */

import type { Doomed } from '../runs/run-removal.ts'
import { belowEnvironments, type Piece, removeActor, type Values } from '../runtime/removal-piece.ts'
import { query } from '../statement.ts'
import type { BackgroundStore } from '../store.ts'
import { deleteWorkflowRun, listWorkflowRunsToTell } from './workflows.ts'

/** With what they were given and gave. */
export const workflowRuns: Piece = {
  kind: 'workflow-run',
  keys: {
    ...belowEnvironments((db, values, of) =>
      db
        .selectFrom('environments')
        .innerJoin('workflow_runs', 'workflow_runs.environment_id', 'environments.id')
        .select('workflow_runs.id as key')
        .where(of, '=', values.id)
        .limit(values.limit),
    ),
    agent: query((db, values: Values) =>
      db
        .selectFrom('workflow_runs')
        .select('id as key')
        .where('organization_id', '=', values.organizationId)
        .where('agent_id', '=', values.id)
        .limit(values.limit),
    ),
  },
  remove: (store, id) => [deleteWorkflowRun(store, { id }), ...removeActor(store, { kind: 'workflow-run', id })],
}

/** Runs that nobody has told to end yet, up to `limit`. */
export async function workflowRunsToTell(
  store: BackgroundStore,
  { target, id, organizationId }: Doomed,
  limit: number,
): Promise<string[]> {
  const found = await store.all(
    listWorkflowRunsToTell(store, {
      organizationId,
      projectId: target === 'project' ? id : null,
      agentId: target === 'agent' ? id : null,
      limit,
    }),
  )
  return found.map((run) => run.id)
}
