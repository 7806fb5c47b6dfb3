/** The history of an Environment: its events, as pages and as a stream. */
import type { Area } from '../../platform/area.ts'
import { eventRoutes } from './routes.ts'

export const eventsArea = { routes: eventRoutes } satisfies Area
