/** Sessions: signing in and out. */
import type { Area } from '../../platform/area.ts'
import { sessionRoutes } from './routes.ts'

export const sessionsArea = { routes: sessionRoutes } satisfies Area
