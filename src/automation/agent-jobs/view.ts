/** Agent jobs as the statechart API shows them. Source: contract 9, "Statecharts". */
import type { AgentJobContext } from '../../../machines/agent-job.ts'
import { findPlaceOfJob } from '../../../storage/automation/agent-jobs.ts'
import type { Store } from '../../../storage/store.ts'
import { isWithinScope } from '../../platform/http/guard/authorization-scope.ts'
import { timestamp, timestampOrNull } from '../../platform/http/timestamp.ts'
import type { AnyKind } from '../../runtime/kind.ts'
import type { ActorView } from '../../runtime/statecharts/live/watch.ts'

const readPermission = 'agent-jobs:get'

export const agentJobView = (kind: AnyKind, store: Store): ActorView => ({
  definition: kind,
  readPermission,
  async find(caller, id) {
    const found = await store.first(findPlaceOfJob(store, { organizationId: caller.organizationId, id }))
    if (!found) return false
    const { project_id: projectId, environment_id: environmentId, agent_id: agentId } = found
    return isWithinScope(caller, readPermission, { projectId, environmentId, agentId })
  },
  redact: ({ enabled, changes, nextRunAt, lastTickAt, firing }: AgentJobContext) => ({
    enabled,
    changes,
    nextRunAt: timestampOrNull(nextRunAt),
    lastTickAt: timestampOrNull(lastTickAt),
    firing: firing && { scheduledFor: timestamp(firing.scheduledFor), at: timestamp(firing.at) },
  }),
})
