/** Templates that new Projects start from. */
import type { Area } from '../../platform/area.ts'
import { templateRoutes } from './routes.ts'

export const templatesArea = { routes: templateRoutes } satisfies Area
