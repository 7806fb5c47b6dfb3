/** Machines as charts, and actors of all kinds, live. */
import type { Area } from '../../platform/area.ts'
import { statechartRoutes } from './routes.ts'

export const statechartsArea = { routes: statechartRoutes } satisfies Area
