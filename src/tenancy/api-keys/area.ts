/** API keys of an organization. */
import type { Area } from '../../platform/area.ts'
import { keyRoutes } from './routes.ts'

export const apiKeysArea = { routes: keyRoutes } satisfies Area
