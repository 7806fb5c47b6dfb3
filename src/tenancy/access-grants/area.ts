/** Access grants: what members and user groups may do in a Project. */
import type { Area } from '../../platform/area.ts'
import { accessGrantRoutes } from './routes.ts'

export const accessGrantsArea = { routes: accessGrantRoutes } satisfies Area
