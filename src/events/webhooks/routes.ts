/** The routes of webhooks. Source: requirement 4.13; contract 7. */
import { Elysia } from 'elysia'
import { doc } from '../../platform/http/doc.ts'
import type { Naming } from '../../platform/http/guard/find.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { pageQuery } from '../../platform/http/pagination.ts'
import { EnvironmentPath } from '../../platform/http/paths.ts'
import { dataOf, pageOf } from '../../platform/http/schema.ts'
import { deliveryRoutes } from '../deliveries/routes.ts'
import { Delivery } from '../deliveries/schema.ts'
import type { DeliveryParts } from '../deliveries/service.ts'
import { recoveryRoutes } from './recoveries/routes.ts'
import { NewWebhook, Webhook, WebhookChanges, WebhookPath, WebhookWithSecret } from './schema.ts'
import { type WebhookParts, Webhooks } from './service.ts'
import { WebhookTrials } from './trial.ts'

const resource = 'webhook'

type WebhookAreaParts = WebhookParts & Omit<DeliveryParts, 'webhooks'> & { guarded: Guarded }

export function webhookRoutes({ guarded, ...parts }: WebhookAreaParts) {
  const webhooks = new Webhooks(parts)
  const trials = new WebhookTrials({ ...parts, webhooks })
  const find = ({ caller, params }: Naming<typeof WebhookPath>) => webhooks.find(caller, params)
  return new Elysia({
    name: 'webhooks',
    prefix: '/api/v1/projects/:projectId/environments/:environmentId/webhooks',
    tags: ['Webhooks'],
  })
    .use(guarded)
    .get('', ({ caller, params, query }) => webhooks.list(caller, params, query), {
      permission: 'webhooks:list',
      params: EnvironmentPath,
      query: pageQuery,
      response: { 200: pageOf(Webhook) },
      detail: doc('listWebhooks', 'List webhooks', 'Newest first.'),
    })
    .post(
      '',
      async ({ caller, params, body, record }) => ({ data: await webhooks.create(caller, params, body, record) }),
      {
        permission: 'webhooks:create',
        resource,
        params: EnvironmentPath,
        body: NewWebhook,
        response: { 200: dataOf(WebhookWithSecret) },
        errors: ['url_not_allowed', 'limit_exceeded'],
        detail: doc(
          'createWebhook',
          'Create a webhook',
          'Posts events from now on to the endpoint, signed by Standard Webhooks. The signing secret is in ' +
            'this answer only. An Environment has at most 20 webhooks.',
        ),
      },
    )
    .get('/:webhookId', async ({ caller, params }) => ({ data: await webhooks.get(caller, params) }), {
      permission: 'webhooks:list',
      params: WebhookPath,
      find,
      response: { 200: dataOf(Webhook) },
      detail: doc('getWebhook', 'Get a webhook'),
    })
    .patch(
      '/:webhookId',
      async ({ caller, params, body, record }) => ({ data: await webhooks.change(caller, params, body, record) }),
      {
        permission: 'webhooks:create',
        resource,
        params: WebhookPath,
        find,
        body: WebhookChanges,
        response: { 200: dataOf(Webhook) },
        errors: ['url_not_allowed'],
        detail: doc(
          'updateWebhook',
          'Change a webhook',
          'Waiting deliveries go to the new endpoint. While it is disabled it gets no new deliveries, and waiting ones are ' +
            'sent when it is enabled again; events in the meantime are not delivered.',
        ),
      },
    )
    .delete(
      '/:webhookId',
      async ({ caller, params, record }) => ({ data: await webhooks.remove(caller, params, record) }),
      {
        permission: 'webhooks:delete',
        resource,
        params: WebhookPath,
        find,
        response: { 200: dataOf(Webhook) },
        detail: doc(
          'deleteWebhook',
          'Delete a webhook',
          'Deletes its deliveries too: nothing more is sent. Returns the deleted webhook.',
        ),
      },
    )
    .post(
      '/:webhookId/test',
      async ({ caller, params, record, set }) => {
        set.status = 201
        return { data: await trials.send(caller, params, record) }
      },
      {
        permission: 'webhooks:create',
        resource,
        params: WebhookPath,
        find,
        response: { 201: dataOf(Delivery) },
        errors: ['invalid_transition', 'concurrent_change'],
        detail: doc(
          'testWebhook',
          'Send a test event',
          'Records an event of the kind `webhook.test` and delivers it to this webhook only, whatever its event types. ' +
            'Returns the delivery; read it again to see the outcome.',
        ),
      },
    )
    .post(
      '/:webhookId/secrets',
      async ({ caller, params, record }) => ({ data: await webhooks.rotate(caller, params, record) }),
      {
        permission: 'webhooks:rotate-secret',
        resource,
        params: WebhookPath,
        find,
        response: { 200: dataOf(WebhookWithSecret) },
        errors: ['secret_rotation_limit'],
        detail: doc(
          'rotateWebhookSecret',
          'Rotate the signing secret',
          'The new secret is in this answer only. For 24 hours every delivery is signed with both, the new ' +
            'one first. At most five earlier secrets are valid at a time.',
        ),
      },
    )
    .use(deliveryRoutes({ ...parts, webhooks, guarded }))
    .use(recoveryRoutes({ ...parts, webhooks, guarded }))
}
