/** Projects of an organization. */
import type { Area } from '../../platform/area.ts'
import { projectRoutes } from './routes.ts'

export const projectsArea = { routes: projectRoutes } satisfies Area
