/** Organizations and their members. */
import type { Area } from '../../platform/area.ts'
import { organizationRoutes } from './routes.ts'

export const organizationsArea = { routes: organizationRoutes } satisfies Area
