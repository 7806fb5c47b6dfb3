/** Agents of a Project and their revisions. */
import type { Area } from '../../platform/area.ts'
import { agentDeletionRoutes } from './deletion-routes.ts'
import { agentRoutes } from './routes.ts'

export const agentsArea = { routes: agentRoutes } satisfies Area

export const agentDeletionsArea = { routes: agentDeletionRoutes } satisfies Area
