/** Workflows of an Environment and their runs. */
import type { Store } from '../../../storage/store.ts'
import type { Area } from '../../platform/area.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { dayMs } from '../../platform/time/durations.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { WorkflowCalls } from '../tools/workflow-calls.ts'
import { workflowEventRoutes } from './event-routes.ts'
import { pruneWorkflowEvents } from './events.ts'
import { registerWorkflowMetrics } from './metrics.ts'
import { oldestWorkflowRun, pruneWorkflowRuns } from './retention.ts'
import { workflowRoutes } from './routes.ts'

interface WorkflowMaintenanceParts {
  workflowCalls: Pick<WorkflowCalls, 'abortLeft'>
  store: Store
  clock: Clock
  actors: Actors
  /** null: kept forever. */
  operationRetentionDays: number | null
}

export const workflowEventsArea = { routes: workflowEventRoutes } satisfies Area

export const workflowsArea = {
  routes: workflowRoutes,
  maintenance: ({ store, clock, actors, workflowCalls, operationRetentionDays: days }: WorkflowMaintenanceParts) => {
    let after = ''
    const unwanted = {
      name: 'workflow runs of canceled runs',
      async run(limit: number) {
        const ids = await workflowCalls.abortLeft(store.background, after, limit)
        after = ids.at(-1) ?? ''
        return ids.length
      },
    }
    const events = {
      name: 'workflow events',
      run: (limit: number) => pruneWorkflowEvents({ store: store.background, clock }, limit),
    }
    if (days === null) return [events, unwanted]
    const ended = () => ({ store: store.background, actors, until: clock.now() - days * dayMs })
    const runs = {
      name: 'workflow runs',
      run: (limit: number) => pruneWorkflowRuns(ended(), limit),
      overdueSince: () => oldestWorkflowRun(ended()).then((at) => at && at + days * dayMs),
    }
    return [events, unwanted, runs]
  },
  metrics: registerWorkflowMetrics,
} satisfies Area
