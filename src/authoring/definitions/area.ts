/** Definitions of a Project (operations, workflows, entity types) and their revisions. */
import type { Area } from '../../platform/area.ts'
import { definitionRoutes } from './routes.ts'

export const definitionsArea = { routes: definitionRoutes } satisfies Area
