/** The audit log of an organization. */
import type { Area } from '../../platform/area.ts'
import { auditRoutes } from './routes.ts'

export const auditArea = { routes: auditRoutes } satisfies Area
