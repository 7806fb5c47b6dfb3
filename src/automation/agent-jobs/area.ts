/** Agent jobs: runs on a schedule. */
import { listPlannedJobs } from '../../../storage/automation/agent-jobs.ts'
import type { Area } from '../../platform/area.ts'
import { JournalRetention } from '../../runtime/removal.ts'
import { Replanning, type ReplanningParts } from './replanning.ts'
import { jobRoutes } from './routes.ts'

interface JobMaintenanceParts extends ReplanningParts {
  eventRetentionDays: number
}

export const agentJobsArea = {
  routes: jobRoutes,
  maintenance: ({ store, clock, actors, onError, eventRetentionDays: days }: JobMaintenanceParts) => {
    const replanning = new Replanning({ store, clock, actors, onError })
    const journals = new JournalRetention(
      { store: store.background, clock, days },
      { kind: 'agent-job', list: listPlannedJobs },
    )
    return [
      { name: 'ticks of jobs', everyMs: 30_000, run: (limit) => replanning.look(limit) },
      { name: 'journals of jobs', run: (limit) => journals.prune(limit) },
    ]
  },
} satisfies Area
