/** How deliveries of webhooks ended, counted. */
import type { Area } from '../../../platform/area.ts'
import { deliveryStatisticsRoutes } from './routes.ts'

export const deliveryStatisticsArea = { routes: deliveryStatisticsRoutes } satisfies Area
