/** Agent runs: starts, reads, control, streams and statistics. */
import { pruneCosts } from '../../storage/billing/costs.ts'
import { pruneTallies } from '../../storage/runs/run-tallies.ts'
import type { Store } from '../../storage/store.ts'
import type { Area } from '../platform/area.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { Actors } from '../runtime/actors.ts'
import { runRoutes } from './routes.ts'
import type { Runs } from './service.ts'
import { registerRunMetrics } from './statistics/metrics.ts'
import { countOldRuns } from './statistics/uncounted.ts'
import { keptMs } from './statistics/window.ts'

interface RunMaintenanceParts {
  store: Store
  clock: Clock
  actors: Actors
  runs: Pick<Runs, 'contentRetention' | 'runRetention' | 'queuedInputs'>
  /** null: runs are kept without limit. */
  runRetentionDays: number | null
}

export const runsArea = {
  routes: runRoutes,
  maintenance: ({ store: { background: store }, clock, actors, runs, runRetentionDays: days }: RunMaintenanceParts) => [
    {
      name: 'content of runs',
      run: (limit) => runs.contentRetention.prune(limit),
      overdueSince: () => runs.contentRetention.overdueSince(),
    },
    ...(days === null
      ? []
      : [
          {
            name: 'ended runs',
            run: (limit: number) => runs.runRetention.prune(days, limit),
            overdueSince: () => runs.runRetention.overdueSince(days),
          },
        ]),
    { name: 'messages that wait', everyMs: 5_000, run: (limit) => runs.queuedInputs.startAll(limit) },
    { name: 'sizes of earlier runs', everyMs: 60_000, run: (limit) => countOldRuns({ store, actors }, limit) },
    { name: 'cost tallies', run: (limit) => pruneCosts(store, clock.now() - keptMs, limit) },
    { name: 'run tallies', run: (limit) => pruneTallies(store, clock.now() - keptMs, limit) },
  ],
  metrics: registerRunMetrics,
} satisfies Area
