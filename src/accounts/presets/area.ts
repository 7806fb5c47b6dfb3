/** The OAuth providers that this deployment knows. */
import type { Area } from '../../platform/area.ts'
import { presetRoutes } from './routes.ts'

export const presetsArea = { routes: presetRoutes } satisfies Area
