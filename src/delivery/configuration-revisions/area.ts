/** Revisions of the configuration of an Environment. */
import type { Area } from '../../platform/area.ts'
import { configurationRevisionRoutes } from './routes.ts'

export const configurationRevisionsArea = { routes: configurationRevisionRoutes } satisfies Area
