/** The route of delivery statistics. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { doc } from '../../../platform/http/doc.ts'
import type { Guarded } from '../../../platform/http/guard/guarded.ts'
import { dataOf, Id, idFilter } from '../../../platform/http/schema.ts'
import { DeliveryStatistics, type DeliveryStatisticsParts, environmentsMax } from './statistics.ts'

const StatisticsQuery = Type.Object({
  projectId: idFilter('prj', 'Deliveries of this Project.'),
  environmentId: idFilter('env', 'Deliveries of this Environment.'),
})

const DeadLetters = (description: string) => Type.Integer({ minimum: 0, description })

const WebhookDeliveryStatistics = Type.Object(
  {
    deadLetters: DeadLetters('Deliveries that are `dead-letter`, in all Environments.'),
    environments: Type.Array(
      Type.Object(
        {
          projectId: Id('prj'),
          environmentId: Id('env'),
          deadLetters: Type.Integer({ minimum: 1, description: 'The dead letters of its webhooks.' }),
        },
        { $id: 'EnvironmentDeadLetters' },
      ),
      {
        maxItems: environmentsMax,
        description: `The ${environmentsMax} Environments with the most dead letters, the most first.`,
      },
    ),
  },
  { $id: 'WebhookDeliveryStatistics', description: 'The number of dead letters by Environment.' },
)

export function deliveryStatisticsRoutes({ guarded, ...parts }: DeliveryStatisticsParts & { guarded: Guarded }) {
  const statistics = new DeliveryStatistics(parts)
  return new Elysia({ name: 'webhook-delivery-statistics', prefix: '/api/v1/webhook-deliveries', tags: ['Webhooks'] })
    .use(guarded)
    .get('/statistics', async ({ caller, query }) => ({ data: await statistics.of(caller, query) }), {
      permission: 'analytics:read',
      query: StatisticsQuery,
      response: { 200: dataOf(WebhookDeliveryStatistics) },
      detail: doc(
        'getWebhookDeliveryStatistics',
        'Get delivery statistics',
        'Counts the dead letters within the scope of the credential: one that is retried, expires, or is deleted with its ' +
          'webhook no longer counts. Every dead letter is counted, however many there are. A key that is bound to ' +
          'an Agent is refused, because deliveries do not belong to Agents.',
      ),
    })
}
