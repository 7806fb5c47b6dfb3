/** The schemas of deliveries. Source: contract 7, `Delivery`, `Attempt`. */
import { type Static, Type } from '@sinclair/typebox'
import {
  attemptErrorClasses,
  type DeliveryContext,
  type DeliveryState,
  deliveryStates,
} from '../../../machines/delivery.ts'
import type { DeliveryRow } from '../../../storage/tables.ts'
import { pageQuery } from '../../platform/http/pagination.ts'
import { Id, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'
import { timestamp, timestampOrNull } from '../../platform/http/timestamp.ts'
import { type RecordedKind, recordedKinds } from '../kinds/kinds.ts'
import { WebhookPath } from '../webhooks/schema.ts'
import type { KeptAttempt } from './kept-attempt.ts'

/** `{P}/webhooks/:webhookId/deliveries/:deliveryId` */
export const DeliveryPath = Type.Object({ ...WebhookPath.properties, deliveryId: Id('dlv') })
export type DeliveryPath = Static<typeof DeliveryPath>

export const DeliveryQuery = Type.Object({
  ...pageQuery.properties,
  state: Type.Optional(oneOf(deliveryStates, { description: 'Only deliveries in this state.' })),
  eventType: Type.Optional(oneOf(recordedKinds, { $id: 'RecordedEventKind', description: 'The kind of event.' })),
  since: Type.Optional(Timestamp('Only deliveries created at this time or later.')),
  until: Type.Optional(Timestamp('Only deliveries created before this time.')),
})
export type DeliveryQuery = Static<typeof DeliveryQuery>

const Attempt = Type.Object(
  {
    number: Type.Integer({ minimum: 1, description: '1, 2, 3 … since creation or the last retry.' }),
    status: nullable(Type.Integer({ description: 'The status of the answer; null without an answer.' })),
    errorClass: nullable(oneOf(attemptErrorClasses, { description: 'null if the endpoint accepted it.' })),
    durationMs: Type.Integer({ minimum: 0 }),
    at: Timestamp('When the attempt started.'),
    response: Type.Optional(
      Type.String({
        description:
          'The first KiB of the body of a refusal, if the webhook has `captureResponses`; invalid UTF-8 is replaced.',
      }),
    ),
  },
  {
    $id: 'DeliveryAttempt',
    description: 'One attempt of a delivery.',
  },
)

export const Delivery = Type.Object(
  {
    deliveryId: Id('dlv'),
    webhookId: Id('whk'),
    eventId: Id('evt', 'The event; also the `webhook-id` of every attempt and replay.'),
    eventType: oneOf(recordedKinds, { $id: 'RecordedEventKind', description: 'The kind of event.' }),
    state: oneOf(deliveryStates, { description: 'The state of its statechart: `GET /api/v1/machines/delivery`.' }),
    attempts: Type.Integer({ minimum: 0, description: 'Attempts since creation or the last retry.' }),
    nextAttemptAt: nullable(Timestamp('The next attempt while `retrying`.')),
    replayOf: nullable(Id('dlv', 'The delivery that this one replays.')),
    lastAttempt: nullable(Attempt),
    attemptHistory: Type.Array(Attempt, { maxItems: 20, description: 'The last 20 attempts, latest last.' }),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
    deliveredAt: nullable(Timestamp()),
    expiresAt: Timestamp('When it is removed, together with its event.'),
  },
  { $id: 'WebhookDelivery', description: 'The delivery of one event to one webhook.' },
)
export type Delivery = Static<typeof Delivery>

const presentAttempt = ({ at, ...attempt }: KeptAttempt) => ({ ...attempt, at: timestamp(at) })

export function presentDelivery(row: DeliveryRow, retentionMs: number): Delivery {
  const { nextAttemptAt } = JSON.parse(row.context) as DeliveryContext
  const attemptHistory = (JSON.parse(row.attempt_history) as KeptAttempt[]).map(presentAttempt)
  return {
    deliveryId: row.id,
    webhookId: row.webhook_id,
    eventId: row.event_id,
    eventType: row.event_type as RecordedKind,
    state: row.state as DeliveryState,
    attempts: row.attempts,
    nextAttemptAt: timestampOrNull(nextAttemptAt),
    replayOf: row.replay_of,
    lastAttempt: attemptHistory.at(-1) ?? null,
    attemptHistory,
    createdAt: timestamp(row.created_at),
    updatedAt: timestamp(row.updated_at),
    deliveredAt: timestampOrNull(row.delivered_at),
    expiresAt: timestamp(row.event_at + retentionMs),
  }
}
