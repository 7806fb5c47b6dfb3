/** Connections of an Environment to accounts at providers. */
import type { Area } from '../../platform/area.ts'
import { connectionRoutes } from './routes.ts'

export const connectionsArea = { routes: connectionRoutes } satisfies Area
