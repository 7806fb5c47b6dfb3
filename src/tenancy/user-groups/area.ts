/** User groups of an organization and who belongs to them. */
import type { Area } from '../../platform/area.ts'
import { userGroupRoutes } from './routes.ts'

export const userGroupsArea = { routes: userGroupRoutes } satisfies Area
