/** Workflows of an Environment and their runs. */
import type { Store } from '../../../storage/store.ts'
import type { Area } from '../../platform/area.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Actors } from '../../runtime/actors.ts'
import { workflowEventRoutes } from './event-routes.ts'
import { pruneWorkflowEvents } from './events.ts'
import { registerWorkflowMetrics } from './metrics.ts'
import { pruneWorkflowRuns } from './retention.ts'
import { workflowRoutes } from './routes.ts'

interface WorkflowMaintenanceParts {
  store: Store
  clock: Clock
  actors: Actors
  /** null: kept forever. */
  operationRetentionDays: number | null
}

const day = 86_400_000

export const workflowEventsArea = { routes: workflowEventRoutes } satisfies Area

export const workflowsArea = {
  routes: workflowRoutes,
  maintenance: ({ store, clock, actors, operationRetentionDays: days }: WorkflowMaintenanceParts) => {
    const events = {
      name: 'workflow events',
      run: (limit: number) => pruneWorkflowEvents({ store: store.background, clock }, limit),
    }
    if (days === null) return [events]
    const ended = () => ({ store: store.background, actors, until: clock.now() - days * day })
    return [events, { name: 'workflow runs', run: (limit: number) => pruneWorkflowRuns(ended(), limit) }]
  },
  metrics: registerWorkflowMetrics,
} satisfies Area
