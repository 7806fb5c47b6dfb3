/**
 * The ranges of an Environment's history that a webhook missed while it was disabled; a recovery delivers them. Source:
 * contract 7.
 */
import { type Kysely, sql } from 'kysely'
import { query, write } from '../statement.ts'
import type { Tables, WebhookPauseRow } from '../tables.ts'

/** The position from which the webhook misses events, if it is disabled. */
const pauseOf = (db: Kysely<Tables>, webhookId: string) =>
  db
    .selectFrom('webhooks')
    .select(({ selectFrom, fn, val }) => [
      'webhooks.id as webhook_id',
      fn
        .coalesce(
          selectFrom('webhook_pointers')
            .select('webhook_pointers.sequence')
            .whereRef('webhook_pointers.environment_id', '=', 'webhooks.environment_id')
            .$asScalar(),
          val(0),
        )
        .as('from_sequence'),
    ])
    .where('webhooks.id', '=', webhookId)
    .where('webhooks.enabled', '=', 0)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('webhook_pauses')
            .select('webhook_pauses.webhook_id')
            .whereRef('webhook_pauses.webhook_id', '=', 'webhooks.id')
            .where('webhook_pauses.to_sequence', 'is', null),
        ),
      ),
    )

/**
 * Begins a range. Follows a statement that may disable the webhook; no effect if it is enabled or was disabled already.
 */
export const beginPause = write((db, values: { webhookId: string }) =>
  db
    .insertInto('webhook_pauses')
    .columns(['webhook_id', 'from_sequence'])
    .expression(pauseOf(db, values.webhookId))
    .onConflict((conflict) => conflict.columns(['webhook_id', 'from_sequence']).doUpdateSet({ to_sequence: null })),
)

/** Ends the range: the webhook receives events again. */
export const endPause = write((db, values: { environmentId: string; webhookId: string }) =>
  db
    .updateTable('webhook_pauses')
    .set({
      to_sequence: sql<number>`coalesce((select sequence from environment_sequences
        where environment_id = ${values.environmentId}), 0)`,
    })
    .where('webhook_id', '=', values.webhookId)
    .where('to_sequence', 'is', null),
)

/** The next ended range that extends beyond this sequence number. */
export const nextPause = query((db, values: { webhookId: string; after: number }) =>
  db
    .selectFrom('webhook_pauses')
    .select(['from_sequence', 'to_sequence'])
    .where('webhook_id', '=', values.webhookId)
    .where('to_sequence', '>', values.after)
    .orderBy('from_sequence')
    .limit(1)
    .$castTo<Pick<WebhookPauseRow, 'from_sequence'> & { to_sequence: number }>(),
)
