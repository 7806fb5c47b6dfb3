/** Runner pools: the machines of an organization, and the tokens they register with. */
import type { Area } from '../../platform/area.ts'
import { runnerPoolRoutes } from './routes.ts'

export const runnerPoolsArea = { routes: runnerPoolRoutes } satisfies Area
