/** Variables and secrets of an Environment. */
import type { Area } from '../../platform/area.ts'
import { variableRoutes } from './routes.ts'

export const variablesArea = { routes: variableRoutes } satisfies Area
