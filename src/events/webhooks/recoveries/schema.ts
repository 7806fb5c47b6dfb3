/** The schemas of recoveries. Source: contract 7, "Decided since". */
import { type Static, Type } from '@sinclair/typebox'
import { type RecoveryContext, recoverables, recoveryStates } from '../../../../machines/webhook-recovery.ts'
import type { WebhookRecoveryRow } from '../../../../storage/tables.ts'
import { Id, nullable, oneOf, Timestamp } from '../../../platform/http/schema.ts'
import { timestamp, timestampOrNull } from '../../../platform/http/timestamp.ts'
import { WebhookPath } from '../schema.ts'

/** `{P}/webhooks/:webhookId/recoveries/:recoveryId` */
export const RecoveryPath = Type.Object({ ...WebhookPath.properties, recoveryId: Id('whr') })
export type RecoveryPath = Static<typeof RecoveryPath>

const States = Type.Array(oneOf(recoverables), {
  minItems: 1,
  uniqueItems: true,
  description: '`dead-letter`: deliveries that were given up. `missed`: events from while the webhook was disabled.',
})

export const NewRecovery = Type.Object(
  {
    since: Timestamp('Only events from this time on.'),
    states: Type.Optional(States),
  },
  { $id: 'NewWebhookRecovery', additionalProperties: false, description: 'A new recovery.' },
)
export type NewRecovery = Static<typeof NewRecovery>

export const Recovery = Type.Object(
  {
    id: Id('whr'),
    webhookId: Id('whk'),
    state: oneOf(recoveryStates, {
      description: 'The state of its statechart: `GET /api/v1/machines/webhook-recovery`.',
    }),
    since: Timestamp(),
    progress: Type.Object(
      {
        retried: Type.Integer({ minimum: 0, description: 'Dead letters that were retried.' }),
        made: Type.Integer({ minimum: 0, description: 'Deliveries created from missed events.' }),
        left: Type.Array(oneOf(recoverables), { description: 'The unprocessed work.' }),
      },
      { description: 'The progress of the recovery.' },
    ),
    error: nullable(Type.Object({ code: Type.String(), message: Type.String() }, { description: 'Why it failed.' })),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
    endedAt: nullable(Timestamp()),
  },
  { $id: 'WebhookRecovery', description: 'A recovery of dead letters and missed events, in the background.' },
)
export type Recovery = Static<typeof Recovery>

export function presentRecovery(row: WebhookRecoveryRow): Recovery {
  const { left, retried, made, cause, endedAt } = JSON.parse(row.context) as RecoveryContext
  return {
    id: row.id,
    webhookId: row.webhook_id,
    state: row.state as Recovery['state'],
    since: timestamp(row.since),
    progress: { retried, made, left },
    error: cause,
    createdAt: timestamp(row.created_at),
    updatedAt: timestamp(row.updated_at),
    endedAt: timestampOrNull(endedAt),
  }
}
