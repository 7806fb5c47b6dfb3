/** Webhooks of an Environment, their deliveries and recoveries. */
import type { Area } from '../../platform/area.ts'
import { webhookRoutes } from './routes.ts'

export const webhooksArea = { routes: webhookRoutes } satisfies Area
