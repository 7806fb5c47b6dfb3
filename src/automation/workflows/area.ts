/** Workflows of an Environment and their runs. */
import type { Store } from '../../../storage/store.ts'
import type { Area } from '../../platform/area.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Actors } from '../../runtime/actors.ts'
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

export const workflowsArea = {
  routes: workflowRoutes,
  maintenance: ({ store, clock, actors, operationRetentionDays: days }: WorkflowMaintenanceParts) => {
    if (days === null) return []
    const ended = () => ({ store: store.background, actors, until: clock.now() - days * day })
    return [{ name: 'workflow runs', run: (limit: number) => pruneWorkflowRuns(ended(), limit) }]
  },
  metrics: registerWorkflowMetrics,
} satisfies Area
