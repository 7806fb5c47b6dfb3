/** Operations of an Environment: their invocations and approvals. */
import type { Store } from '../../../storage/store.ts'
import type { Area } from '../../platform/area.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { dayMs } from '../../platform/time/durations.ts'
import type { Actors } from '../../runtime/actors.ts'
import { registerInvocationMetrics } from './invocations/metrics.ts'
import { oldestInvocation, pruneInvocations } from './invocations/retention.ts'
import { operationRoutes } from './routes.ts'

interface OperationMaintenanceParts {
  store: Store
  clock: Clock
  actors: Actors
  /** null: kept forever. */
  operationRetentionDays: number | null
}

export const operationsArea = {
  routes: operationRoutes,
  maintenance: ({ store, clock, actors, operationRetentionDays: days }: OperationMaintenanceParts) => {
    if (days === null) return []
    const ended = () => ({ store: store.background, actors, until: clock.now() - days * dayMs })
    return [
      {
        name: 'operation invocations',
        run: (limit: number) => pruneInvocations(ended(), limit),
        overdueSince: () => oldestInvocation(ended()).then((at) => at && at + days * dayMs),
      },
    ]
  },
  metrics: registerInvocationMetrics,
} satisfies Area
