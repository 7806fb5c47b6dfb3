/** Deployments of Releases to Environments, and how the Agents in them present themselves. */
import type { Area } from '../../platform/area.ts'
import { presentationRoutes } from './presentation.ts'
import { deploymentRoutes } from './routes.ts'

export const deploymentsArea = { routes: deploymentRoutes } satisfies Area
export const presentationsArea = { routes: presentationRoutes } satisfies Area
