/** Environments as the statechart API shows them. Source: contract 9, "Statecharts". */
import type { EnvironmentContext } from '../../../machines/environment.ts'
import type { Store } from '../../../storage/store.ts'
import { findProjectOfEnvironment } from '../../../storage/tenancy/environments.ts'
import { reaches } from '../../platform/http/guard/reach.ts'
import type { WatchedKind } from '../../runtime/statecharts/live/watch.ts'
import { environmentKind } from './actor.ts'

const readPermission = 'projects:get'

export const watchedEnvironments = (store: Store): WatchedKind => ({
  definition: environmentKind,
  readPermission,
  async find(caller, id) {
    const found = await store.first(findProjectOfEnvironment(store, { organizationId: caller.organizationId, id }))
    if (!found) return false
    // an Environment is of no Agent: the key of one may look at what is around it
    const { agentId } = caller.scope
    return reaches(caller, readPermission, { projectId: found.project_id, environmentId: id, agentId })
  },
  redact: ({ generation, activeDeploymentId, headRevisionId, headNumber }: EnvironmentContext) => ({
    generation,
    activeDeploymentId,
    headRevisionId,
    headNumber,
  }),
})
