/** Entities as the statechart API shows them. Source: contract 9, "Statecharts". */
import type { EntityContext } from '../../../machines/entity.ts'
import { findPlaceOfEntity } from '../../../storage/automation/entities.ts'
import type { Store } from '../../../storage/store.ts'
import { isWithinScope } from '../../platform/http/guard/authorization-scope.ts'
import type { ActorView } from '../../runtime/statecharts/live/watch.ts'
import { entityKind } from './actor.ts'

const readPermission = 'projects:read-runtime-data'

export const entityView = (store: Store): ActorView => ({
  definition: entityKind,
  readPermission,
  async find(caller, id) {
    const found = await store.first(findPlaceOfEntity(store, { organizationId: caller.organizationId, id }))
    if (!found) return false
    // an entity is of no Agent: the key of one may look at what is around it
    const { agentId } = caller.scope
    return isWithinScope(caller, readPermission, {
      projectId: found.project_id,
      environmentId: found.environment_id,
      agentId,
    })
  },
  redact: ({ version }: EntityContext) => ({ version }),
})
