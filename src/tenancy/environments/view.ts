/** Environments as the statechart API shows them. Source: contract 9, "Statecharts". */
import type { EnvironmentContext } from '../../../machines/environment.ts'
import type { Store } from '../../../storage/store.ts'
import { findProjectOfEnvironment } from '../../../storage/tenancy/environments.ts'
import { isWithinScope } from '../../platform/http/guard/authorization-scope.ts'
import type { ActorView } from '../../runtime/statecharts/live/watch.ts'
import { environmentKind } from './actor.ts'

const readPermission = 'projects:get'

export const environmentView = (store: Store): ActorView => ({
  definition: environmentKind,
  readPermission,
  async find(caller, id) {
    const found = await store.first(findProjectOfEnvironment(store, { organizationId: caller.organizationId, id }))
    if (!found) return false
    // an Environment is of no Agent: the key of one may look at what is around it
    const { agentId } = caller.scope
    return isWithinScope(caller, readPermission, { projectId: found.project_id, environmentId: id, agentId })
  },
  redact: ({ generation, activeDeploymentId, headRevisionId, headNumber }: EnvironmentContext) => ({
    generation,
    activeDeploymentId,
    headRevisionId,
    headNumber,
  }),
})
