/** The operations of the wing `events`. */
import type { Ids } from '../furnish.ts'
import { environment, everybody, ofEnvironment, type Row } from './rows.ts'

const webhook = (ids: Ids) => ({ ...environment(ids), webhookId: ids.webhook })
const delivery = (ids: Ids) => ({ ...webhook(ids), deliveryId: ids.delivery })
const ofWebhook: Row = { level: 'environment', path: webhook }
const ofDelivery: Row = { level: 'environment', path: delivery }
const deliveryActor: Row = { level: 'actor', path: ({ delivery: id }) => ({ id }) }
const recovery = (ids: Ids) => ({ ...webhook(ids), recoveryId: ids.recovery })
const ofRecovery: Row = { level: 'environment', path: recovery }
const recoveryActor: Row = { level: 'actor', path: ({ recovery: id }) => ({ id }) }

export const events: Record<string, Row> = {
  listEvents: ofEnvironment,
  rebaselineEvents: ofEnvironment,
  listWebhooks: ofEnvironment,
  createWebhook: {
    ...ofEnvironment,
    body: () => ({ endpointUrl: 'https://hooks.example.com/', eventTypes: ['run.created'] }),
  },
  getWebhook: ofWebhook,
  updateWebhook: { ...ofWebhook, body: () => ({}) },
  deleteWebhook: { ...ofWebhook, destroys: true },
  rotateWebhookSecret: ofWebhook,
  listWebhookDeliveries: ofWebhook,
  getWebhookDeliveryStatistics: { level: 'tallied' },
  // without a key, and not in dead-letter: 400 and 409 for authorized callers
  replayWebhookDelivery: ofDelivery,
  retryWebhookDelivery: ofDelivery,
  getWebhookDelivery: ofDelivery,
  testWebhook: ofWebhook,
  recoverWebhook: { ...ofWebhook, body: () => ({ since: '2026-01-01T00:00:00.000Z' }) },
  listWebhookRecoveries: ofWebhook,
  getWebhookRecovery: ofRecovery,
  cancelWebhookRecovery: ofRecovery,
  getWebhookRecoveryActor: recoveryActor,
  streamWebhookRecoveryActor: { ...recoveryActor, endless: true },
  previewWebhookRecoveryEvent: { ...recoveryActor, body: () => ({ event: 'cancel' }) },
  verifyWebhookRecoveryActor: recoveryActor,
  listEventTypes: { level: 'catalogue' },
  getDeliveryActor: deliveryActor,
  streamDeliveryActor: { ...deliveryActor, endless: true },
  previewDeliveryEvent: { ...deliveryActor, body: () => ({ event: 'retry' }) },
  verifyDeliveryActor: deliveryActor,
  receiveStripeEvent: everybody,
}
