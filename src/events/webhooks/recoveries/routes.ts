/** The routes of recoveries. Source: contract 7, "Decided since". */
import { Elysia } from 'elysia'
import { doc } from '../../../platform/http/doc.ts'
import type { Naming } from '../../../platform/http/guard/find.ts'
import type { Guarded } from '../../../platform/http/guard/guarded.ts'
import { pageQuery } from '../../../platform/http/pagination.ts'
import { dataOf, pageOf } from '../../../platform/http/schema.ts'
import { WebhookPath } from '../schema.ts'
import { NewRecovery, Recovery, RecoveryPath } from './schema.ts'
import { Recoveries, type RecoveryParts } from './service.ts'

const resource = 'webhookRecovery'

export function recoveryRoutes({ guarded, ...parts }: RecoveryParts & { guarded: Guarded }) {
  const recoveries = new Recoveries(parts)
  const findWebhook = ({ caller, params }: Naming<typeof WebhookPath>) => parts.webhooks.find(caller, params)
  const find = ({ caller, params }: Naming<typeof RecoveryPath>) => recoveries.find(caller, params)
  return new Elysia({ name: 'webhooks/recoveries', prefix: '/:webhookId', tags: ['Webhooks'] })
    .use(guarded)
    .post(
      '/recover',
      async ({ caller, params, body, record, set }) => {
        set.status = 202
        return { data: await recoveries.begin(caller, params, body, record) }
      },
      {
        permission: 'webhooks:retry-dead',
        resource,
        params: WebhookPath,
        find: findWebhook,
        body: NewRecovery,
        response: { 202: dataOf(Recovery) },
        errors: ['invalid_transition', 'recovery_in_progress'],
        detail: doc(
          'recoverWebhook',
          'Recover missed events of a webhook',
          'Puts all dead letters back in the queue, and creates deliveries of the events from while the webhook was ' +
            'disabled. Runs in the background, one at a time for each webhook. The webhook must be enabled.',
        ),
      },
    )
    .get('/recoveries', ({ caller, params, query }) => recoveries.list(caller, params, query), {
      permission: 'webhooks:list',
      params: WebhookPath,
      find: findWebhook,
      query: pageQuery,
      response: { 200: pageOf(Recovery) },
      detail: doc('listWebhookRecoveries', 'List recoveries of a webhook', 'Newest first.'),
    })
    .get('/recoveries/:recoveryId', async ({ caller, params }) => ({ data: await recoveries.get(caller, params) }), {
      permission: 'webhooks:list',
      params: RecoveryPath,
      find,
      response: { 200: dataOf(Recovery) },
      detail: doc('getWebhookRecovery', 'Get a recovery'),
    })
    .post(
      '/recoveries/:recoveryId/cancel',
      async ({ caller, params, record }) => ({ data: await recoveries.cancel(caller, params, record) }),
      {
        permission: 'webhooks:retry-dead',
        resource,
        params: RecoveryPath,
        find,
        response: { 200: dataOf(Recovery) },
        errors: ['invalid_transition'],
        detail: doc(
          'cancelWebhookRecovery',
          'Cancel a recovery',
          'Deliveries that were put back in the queue stay there.',
        ),
      },
    )
}
