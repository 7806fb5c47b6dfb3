/** Agent runs: starts, reads, control, streams and statistics. */
import type { Area } from '../platform/area.ts'
import { runRoutes } from './routes.ts'

export const runsArea = { routes: runRoutes } satisfies Area
