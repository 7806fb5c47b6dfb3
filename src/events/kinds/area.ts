/** The types of events, with the shape of their data. */
import type { Area } from '../../platform/area.ts'
import { eventTypeRoutes } from './type-routes.ts'

export const eventTypesArea = { routes: eventTypeRoutes } satisfies Area
