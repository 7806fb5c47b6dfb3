/** Activations: which Deployment an Environment runs, and since when. */
import type { Area } from '../../platform/area.ts'
import { activationRoutes } from './routes.ts'

export const activationsArea = { routes: activationRoutes } satisfies Area
