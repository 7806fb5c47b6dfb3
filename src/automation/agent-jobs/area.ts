/** Agent jobs: runs that start by a schedule. */
import type { Area } from '../../platform/area.ts'
import { jobRoutes } from './routes.ts'

export const agentJobsArea = { routes: jobRoutes } satisfies Area
