/** The deletion of organizations, Projects and Agents. */
import type { Area } from '../../platform/area.ts'
import { deletionRoutes } from './routes.ts'

export const deletionsArea = { routes: deletionRoutes } satisfies Area
