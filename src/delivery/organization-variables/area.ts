/** Variables and secrets that an organization shares among its Environments. */
import type { Area } from '../../platform/area.ts'
import { organizationVariableRoutes } from './routes.ts'

export const organizationVariablesArea = { routes: organizationVariableRoutes } satisfies Area
