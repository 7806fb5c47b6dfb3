/** The deletion of organizations, Projects and Agents, and of the versions of other deleted resources. */
import type { Store } from '../../../storage/store.ts'
import type { Area } from '../../platform/area.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { minuteMs } from '../../platform/time/durations.ts'
import type { Actors } from '../../runtime/actors.ts'
import { removeMarked } from './marked.ts'
import { pruneReceipts } from './receipts.ts'
import { deletionRoutes } from './routes.ts'

interface DeletionMaintenanceParts {
  store: Store
  clock: Clock
  actors: Actors
}

export const deletionsArea = {
  routes: deletionRoutes,
  maintenance: ({ store: { background: store }, clock, actors }: DeletionMaintenanceParts) => [
    { name: 'deletion receipts', run: (limit) => pruneReceipts({ store, clock, actors }, limit) },
    { name: 'versions of deleted resources', everyMs: minuteMs, run: (limit) => removeMarked(store, limit) },
  ],
} satisfies Area
