/** The routes of deliveries. Source: requirement 4.13; contract 7. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { dataOf, pageOf } from '../../platform/http/schema.ts'
import { WebhookPath } from '../webhooks/schema.ts'
import { Delivery, DeliveryPath, DeliveryQuery } from './schema.ts'
import { Deliveries, type DeliveryParts } from './service.ts'

const resource = 'webhookDelivery'

/** For the API document only: the header is read separately. */
const ReplayKeyHeader = Type.Object({
  'idempotency-key': Type.String({
    minLength: 1,
    maxLength: 64,
    pattern: '^[ -~]+$',
    parameter: 'ReplayIdempotencyKey',
    description: 'Printable ASCII, a new one for each replay. All deliveries of the webhook share one key space.',
  }),
})

export function deliveryRoutes({ guarded, ...parts }: DeliveryParts & { guarded: Guarded }) {
  const deliveries = new Deliveries(parts)
  const findWebhook = ({ caller, params }: Naming<typeof WebhookPath>) => parts.webhooks.find(caller, params)
  const find = ({ caller, params }: Naming<typeof DeliveryPath>) => deliveries.find(caller, params)
  return new Elysia({
    name: 'webhooks/deliveries',
    prefix: '/:webhookId/deliveries',
    tags: ['Webhooks'],
  })
    .use(guarded)
    .get('', ({ caller, params, query }) => deliveries.list(caller, params, query), {
      permission: 'webhooks:list',
      params: WebhookPath,
      find: findWebhook,
      query: DeliveryQuery,
      response: { 200: pageOf(Delivery) },
      detail: doc(
        'listWebhookDeliveries',
        'List deliveries of a webhook',
        'Newest first, with the last 20 attempts of each. Deliveries are kept as long as their events.',
      ),
    })
    .get('/:deliveryId', async ({ caller, params }) => ({ data: await deliveries.get(caller, params) }), {
      permission: 'webhooks:list',
      params: DeliveryPath,
      find,
      response: { 200: dataOf(Delivery) },
      detail: doc('getWebhookDelivery', 'Get a delivery'),
    })
    .post(
      '/:deliveryId/replays',
      ({ caller, params, request, set, requestId, record }) =>
        deliveries.replay({ request, set, requestId, record }, caller, params),
      {
        permission: 'webhooks:replay',
        resource,
        params: DeliveryPath,
        find,
        headers: ReplayKeyHeader,
        response: { 200: dataOf(Delivery) },
        errors: ['invalid_idempotency_key', ['idempotency_key_reused', 409], 'idempotency_in_progress'],
        detail: doc(
          'replayWebhookDelivery',
          'Replay a delivery',
          'Creates a delivery of the same event with the same `webhook-id`; the replayed one does not change. A ' +
            'repeated request with the same key within 24 hours gets the first answer.',
        ),
      },
    )
    .post(
      '/:deliveryId/retry',
      async ({ caller, params, record }) => ({ data: await deliveries.retry(caller, params, record) }),
      {
        permission: 'webhooks:retry-dead',
        resource,
        params: DeliveryPath,
        find,
        response: { 200: dataOf(Delivery) },
        errors: ['invalid_transition'],
        detail: doc(
          'retryWebhookDelivery',
          'Retry a dead-lettered delivery',
          'Puts it back in the queue and resets its attempts. A conflict in any other state.',
        ),
      },
    )
}
