/** Invocations as the statechart API shows them. Source: contract 9, "Statecharts". */
import type { InvocationContext } from '../../../../machines/operation-invocation.ts'
import { findPlaceOfInvocation } from '../../../../storage/automation/invocations.ts'
import type { Store } from '../../../../storage/store.ts'
import { isWithinScope } from '../../../platform/http/guard/authorization-scope.ts'
import { timestampOrNull } from '../../../platform/http/timestamp.ts'
import type { ActorView } from '../../../runtime/statecharts/live/watch.ts'
import type { InvocationWork } from './invocation-work.ts'

const readPermission = 'operation-invocations:list'

export const invocationView = ({ kind }: Pick<InvocationWork, 'kind'>, store: Store): ActorView => ({
  definition: kind,
  readPermission,
  async find(caller, id) {
    const found = await store.first(findPlaceOfInvocation(store, { organizationId: caller.organizationId, id }))
    if (!found) return false
    const { project_id: projectId, environment_id: environmentId, agent_id: agentId } = found
    return isWithinScope(caller, readPermission, { projectId, environmentId, agentId })
  },
  redact: ({ repeatable, performances, canceled, approval, decidedAt, cause, conflict }: InvocationContext) => ({
    repeatable,
    performances,
    canceled: canceled ?? false,
    approval,
    decidedAt: timestampOrNull(decidedAt),
    cause: cause && { code: cause.code, message: cause.message },
    conflict,
  }),
})
