/** Webhooks of an Environment, their deliveries and recoveries. */
import type { Area } from '../../platform/area.ts'
import { minuteMs } from '../../platform/time/durations.ts'
import type { DeliveryWork } from '../deliveries/delivery-work.ts'
import { type DeliveryMetricsParts, registerDeliveryMetrics } from '../deliveries/metrics.ts'
import { webhookRoutes } from './routes.ts'

interface WebhookWorkParts {
  deliveryWork: DeliveryWork
}

export const webhooksArea = {
  routes: webhookRoutes,
  maintenance: ({ deliveryWork: { retention } }: WebhookWorkParts) => [
    {
      name: 'deliveries',
      everyMs: minuteMs,
      run: (limit) => retention.pruneExpired(limit),
      overdueSince: () => retention.overdueSince(),
    },
    { name: 'deleted webhooks', everyMs: minuteMs, run: (limit) => retention.pruneDeleted(limit) },
    { name: 'signing secrets', run: (limit) => retention.pruneSecrets(limit) },
  ],
  metrics: ({ deliveryWork, ...parts }: Omit<DeliveryMetricsParts, 'inFlight'> & WebhookWorkParts) =>
    registerDeliveryMetrics({ ...parts, inFlight: () => deliveryWork.inFlight }),
} satisfies Area
