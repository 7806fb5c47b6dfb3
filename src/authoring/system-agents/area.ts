/** Agents that come with the platform, and which of them an organization uses. */
import type { Area } from '../../platform/area.ts'
import { systemAgentRoutes } from './routes.ts'

export const systemAgentsArea = { routes: systemAgentRoutes } satisfies Area
