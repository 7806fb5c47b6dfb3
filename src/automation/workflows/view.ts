/** Runs of workflows as the statechart API shows them. Source: contract 9, "Statecharts". */
import type { WorkflowRunContext } from '../../../machines/workflow-run.ts'
import { findPlaceOfWorkflowRun } from '../../../storage/automation/workflows.ts'
import type { Store } from '../../../storage/store.ts'
import { isWithinScope } from '../../platform/http/guard/authorization-scope.ts'
import { timestampOrNull } from '../../platform/http/timestamp.ts'
import type { ActorView } from '../../runtime/statecharts/live/watch.ts'

const readPermission = 'agents:manage-workflows'

export const workflowRunView = (definition: ActorView['definition'], store: Store): ActorView => ({
  definition,
  readPermission,
  async find(caller, id) {
    const { organizationId } = caller
    const found = await store.first(findPlaceOfWorkflowRun(store, { organizationId, id }))
    // a run for somebody is shown to whoever names that user, which cannot be done here
    if (!found || found.actor_user_id !== null) return false
    const { project_id: projectId, environment_id: environmentId, agent_id: agentId } = found
    return isWithinScope(caller, readPermission, { projectId, environmentId, agentId })
  },
  redact: ({ plan, steps, nextRetryAt, stopped, cause, endedAt }: WorkflowRunContext) => ({
    steps: plan.map(({ id, operation, after }, place) => {
      const { state, attempts, retryAt } = steps[place]!
      const waitsFor = after.map((other) => plan[other]!.id)
      return { stepId: id, operation, after: waitsFor, state, attempts, retryAt: timestampOrNull(retryAt) }
    }),
    nextRetryAt: timestampOrNull(nextRetryAt),
    stopped,
    cause,
    endedAt: timestampOrNull(endedAt),
  }),
})
