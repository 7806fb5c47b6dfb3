/** The provider and model of an Agent in an Environment. */
import type { Area } from '../../platform/area.ts'
import { providerSettingRoutes } from './routes.ts'

export const providerSettingsArea = { routes: providerSettingRoutes } satisfies Area
