/** Agent jobs: runs on a schedule. */
import type { Area } from '../../platform/area.ts'
import { Replanning, type ReplanningParts } from './replanning.ts'
import { jobRoutes } from './routes.ts'

export const agentJobsArea = {
  routes: jobRoutes,
  maintenance: ({ store, clock, actors }: ReplanningParts) => {
    const replanning = new Replanning({ store, clock, actors })
    return [{ name: 'ticks of jobs', everyMs: 30_000, run: (limit) => replanning.look(limit) }]
  },
} satisfies Area
