/** Entities of an Environment, by type. */
import type { Store } from '../../../storage/store.ts'
import type { Area } from '../../platform/area.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Actors } from '../../runtime/actors.ts'
import { pruneEntities, pruneEntityCalls } from './retention.ts'
import { entityRoutes } from './routes.ts'

interface EntityMaintenanceParts {
  store: Store
  clock: Clock
  actors: Actors
}

export const entitiesArea = {
  routes: entityRoutes,
  maintenance: ({ store: { background: store }, clock, actors }: EntityMaintenanceParts) => [
    { name: 'entity calls', run: (limit) => pruneEntityCalls({ store, clock }, limit) },
    { name: 'deleted entities', run: (limit) => pruneEntities({ store, clock, actors }, limit) },
  ],
} satisfies Area
