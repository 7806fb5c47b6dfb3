/** Workflows of an Environment and their runs. */
import type { Area } from '../../platform/area.ts'
import { workflowRoutes } from './routes.ts'

export const workflowsArea = { routes: workflowRoutes } satisfies Area
