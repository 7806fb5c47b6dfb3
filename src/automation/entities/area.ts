/** Entities of an Environment, by their types. */
import type { Area } from '../../platform/area.ts'
import { entityRoutes } from './routes.ts'

export const entitiesArea = { routes: entityRoutes } satisfies Area
