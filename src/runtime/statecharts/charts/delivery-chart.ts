/** The statechart of a webhook delivery, in words. Source: contract 7, "Delivery". */
import { createDeliveryMachine } from '../../../../machines/delivery.ts'
import type { Chart } from './chart.ts'

export const deliveryChart: Chart = {
  title: 'Webhook delivery',
  about:
    'One event on its way to one endpoint. It waits in `pending` for its turn, is `in-flight` for the time of one attempt, ' +
    'and waits in `retrying` for the next one; an endpoint that takes it ends it as `delivered`. After ten attempts within ' +
    'some 75 hours it is a `dead-letter`, which the retry operation puts back into the queue. An attempt that does not ' +
    'report, because its server has died, is counted when its lease expires: an endpoint may get an event more than once, ' +
    'always with the same `webhook-id`.',
  machine: createDeliveryMachine(),
  input: { at: 0 },
  events: {
    create: {
      by: 'server',
      says: 'Something has happened that the webhook has subscribed to, or is made up for after a time in which it was disabled.',
    },
    replay: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/webhooks/{webhookId}/deliveries/{deliveryId}/replays`.',
    },
    test: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/webhooks/{webhookId}/test`.',
    },
    claimed: { by: 'server', says: 'Its turn has come, and there is a free place to send from.' },
    due: { by: 'server', says: 'The same, after the wait since the last attempt.' },
    acknowledged: { by: 'report', says: 'The endpoint has answered 2xx.' },
    refused: { by: 'report', says: 'The endpoint has answered something else, or nothing.' },
    retry: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/webhooks/{webhookId}/deliveries/{deliveryId}/retry`.',
    },
  },
  guards: {
    backOffOver: 'The delay since the last attempt is over.',
    ofThisClaim: 'The report comes from the attempt that is in flight.',
    goneForGood: 'The report comes from the attempt that is in flight, and the endpoint answered 410.',
    attemptsExhausted: 'It was the last attempt (and the report comes from it).',
  },
  deadlines: {
    leaseExpired: { limits: 'The report of an attempt.', setting: 'TROUPE_WEBHOOK_LEASE_MS' },
  },
  effects: {
    postToEndpoint: 'Posts the event to the endpoint, and reports how that went.',
    noteSuccess: 'The webhook is not failing any more.',
    noteFailure: 'The webhook is failing since its first failure in a row; after 120 hours of that it is disabled.',
    disableSubscription: 'Disables the webhook: its endpoint is gone.',
  },
}
