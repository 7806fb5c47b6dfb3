/** The schemas of webhooks. Source: requirement 2, 4.13, 6; contract 7, `Webhook`. */
import { type Static, Type } from '@sinclair/typebox'
import type { WebhookRow } from '../../../storage/tables.ts'
import { EnvironmentPath } from '../../platform/http/paths.ts'
import { Id, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'
import { timestamp, timestampOrNull } from '../../platform/http/timestamp.ts'
import { eventKinds } from '../kinds/kinds.ts'
import { deadLettersMax } from './bounds.ts'

/** `{P}/webhooks/:webhookId` */
export const WebhookPath = Type.Object({ ...EnvironmentPath.properties, webhookId: Id('whk') })
export type WebhookPath = Static<typeof WebhookPath>

const EventKinds = Type.Array(oneOf(eventKinds, { $id: 'EventKind', description: 'The kind of event.' }), {
  minItems: 1,
  maxItems: eventKinds.length,
  uniqueItems: true,
  description: 'The kinds of events that it subscribes to.',
  examples: [['run.completed', 'run.failed']],
})
const EndpointUrl = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'The URL that events are posted to: https, without user name, password and fragment.',
  examples: ['https://example.com/hooks/troupe'],
})

const CaptureResponses = Type.Boolean({
  description:
    'Whether the first KiB of each answer that refuses a delivery is kept with the attempt, visible to readers of deliveries.',
})

const properties = {
  id: Id('whk'),
  endpointUrl: EndpointUrl,
  eventTypes: EventKinds,
  enabled: Type.Boolean({
    description: 'A disabled webhook gets no new deliveries, and waiting ones wait until it is enabled.',
  }),
  disabledReason: nullable(
    oneOf(['endpoint_gone', 'failing'], {
      description:
        'Why the server disabled it: the endpoint answered 410, or all attempts failed for 120 hours, at least ten.',
    }),
  ),
  failingSince: nullable(
    Timestamp('The first failed attempt since the endpoint last accepted one; null if the last attempt succeeded.'),
  ),
  deadLetters: Type.Integer({
    minimum: 0,
    maximum: deadLettersMax,
    description: `Deliveries that are \`dead-letter\`; no more than ${deadLettersMax.toLocaleString('en')} are counted.`,
  }),
  captureResponses: CaptureResponses,
  secretVersion: Type.Integer({ minimum: 1, description: 'The version of the signing secret; a rotation adds one.' }),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
}

export const Webhook = Type.Object(properties, {
  $id: 'Webhook',
  description: "A subscription to the events of an Environment's history.",
})
export type Webhook = Static<typeof Webhook>

export const WebhookWithSecret = Type.Object(
  {
    ...properties,
    signingSecret: Type.String({
      description: '`whsec_` and 32 bytes in base64. Shown only in this answer.',
      examples: ['whsec_…'],
    }),
  },
  { $id: 'WebhookWithSecret', description: 'A webhook with its new signing secret.' },
)
export type WebhookWithSecret = Static<typeof WebhookWithSecret>

export const NewWebhook = Type.Object(
  { endpointUrl: EndpointUrl, eventTypes: EventKinds, captureResponses: Type.Optional(CaptureResponses) },
  { $id: 'NewWebhook', description: 'A new webhook.' },
)
/** `enabled`: default true; only a manifest's webhook begins disabled. */
export type NewWebhook = Static<typeof NewWebhook> & { enabled?: boolean }

export const WebhookChanges = Type.Object(
  {
    endpointUrl: Type.Optional(EndpointUrl),
    eventTypes: Type.Optional(EventKinds),
    enabled: Type.Optional(Type.Boolean({ description: 'Whether it gets deliveries.' })),
    captureResponses: Type.Optional(CaptureResponses),
  },
  { $id: 'WebhookChanges', description: 'The fields to change.' },
)
export type WebhookChanges = Static<typeof WebhookChanges>

export const presentWebhook = (row: WebhookRow, deadLetters: number): Webhook => ({
  id: row.id,
  endpointUrl: row.endpoint_url,
  eventTypes: JSON.parse(row.event_types) as Webhook['eventTypes'],
  enabled: row.enabled === 1,
  disabledReason: row.disabled_reason,
  failingSince: timestampOrNull(row.failing_since),
  deadLetters,
  captureResponses: row.capture_responses === 1,
  secretVersion: row.secret_version,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
})
