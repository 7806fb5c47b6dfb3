/** Deployments as the statechart API shows them. Source: contract 9, "Statecharts". */
import type { DeploymentContext } from '../../../machines/deployment.ts'
import { findPlaceOfDeployment } from '../../../storage/delivery/deployments.ts'
import type { Store } from '../../../storage/store.ts'
import { isWithinScope } from '../../platform/http/guard/authorization-scope.ts'
import { timestampOrNull } from '../../platform/http/timestamp.ts'
import type { AnyKind } from '../../runtime/kind.ts'
import type { ActorView } from '../../runtime/statecharts/live/watch.ts'

const readPermission = 'projects:get'

export const deploymentView = (definition: AnyKind, store: Store): ActorView => ({
  definition,
  readPermission,
  async find(caller, id) {
    const found = await store.first(findPlaceOfDeployment(store, { organizationId: caller.organizationId, id }))
    if (!found) return false
    // a Deployment is of no Agent: the key of one may look at what is around it
    const { agentId } = caller.scope
    return isWithinScope(caller, readPermission, {
      projectId: found.project_id,
      environmentId: found.environment_id,
      agentId,
    })
  },
  redact: ({ failure, digest, readyAt }: DeploymentContext) => ({ failure, digest, readyAt: timestampOrNull(readyAt) }),
})
