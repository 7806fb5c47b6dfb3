/** Environments of a Project. */
import type { Area } from '../../platform/area.ts'
import { environmentRoutes } from './routes.ts'

export const environmentsArea = { routes: environmentRoutes } satisfies Area
