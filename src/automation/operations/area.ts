/** Operations of an Environment: their invocations, and the approvals that these wait for. */
import type { Area } from '../../platform/area.ts'
import { operationRoutes } from './routes.ts'

export const operationsArea = { routes: operationRoutes } satisfies Area
