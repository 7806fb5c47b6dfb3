/** The history of Environments. Source: requirement 4.12, 6; contract 7. */
import { sql } from 'kysely'
import { query, together, write } from '../statement.ts'
import type { Store } from '../store.ts'
import type { EnvironmentEventRow } from '../tables.ts'

/**
 * Takes the Environment's next sequence number, which is rolled back if the unit of work fails. Clocks may go back, and
 * units of work may commit out of order, but the time of the history never goes back.
 */
export const takeSequence = together(
  'apart',
  write((db, values: { environmentId: string; at: number }) =>
    db
      .insertInto('environment_sequences')
      .values({ environment_id: values.environmentId, sequence: 1, at: values.at })
      .onConflict((conflict) =>
        conflict.column('environment_id').doUpdateSet(({ eb, ref }) => ({
          sequence: eb(ref('environment_sequences.sequence'), '+', 1),
          at: sql<number>`case when environment_sequences.at < excluded.at then excluded.at else environment_sequences.at end`,
        })),
      ),
  ),
)

/** The condition for an event that is recorded only if a webhook subscribes to it. */
interface SubscriptionCondition {
  type: string
  organizationId: string
  /** If given, the event is recorded only if the audit log has this event. */
  auditId: string | null
}

const isSubscribed = ({
  environmentId,
  type,
  organizationId,
  auditId,
}: SubscriptionCondition & { environmentId: string }) =>
  sql<boolean>`exists (select 1 from webhook_event_types where environment_id = ${environmentId} and type = ${type})
    and (cast(${auditId} as text) is null
      or exists (select 1 from audit_events where organization_id = ${organizationId} and id = ${auditId}))`

/** The same, if a webhook of the Environment subscribes to the event; otherwise no number is taken. */
export const takeSequenceIfSubscribed = together(
  'apart',
  write((db, values: { environmentId: string; at: number } & SubscriptionCondition) =>
    db
      .insertInto('environment_sequences')
      .columns(['environment_id', 'sequence', 'at'])
      .expression(
        db
          .selectNoFrom(({ val, lit }) => [
            val(values.environmentId).as('environment_id'),
            lit(1).as('sequence'),
            val(values.at).as('at'),
          ])
          .where(isSubscribed(values)),
      )
      .onConflict((conflict) =>
        conflict.column('environment_id').doUpdateSet(({ eb, ref }) => ({
          sequence: eb(ref('environment_sequences.sequence'), '+', 1),
          at: sql<number>`case when environment_sequences.at < excluded.at then excluded.at else environment_sequences.at end`,
        })),
      ),
  ),
)

/** An event without its sequence number: `head` is its JSON up to the number, `tail` the rest. */
interface NumberlessEvent extends Pick<EnvironmentEventRow, 'environment_id' | 'id' | 'type'> {
  head: string
  tail: string
  /** The span of its subject; null without a trace. */
  trace: string | null
}

/** The event with the sequence number that was taken last. */
const numbered = (db: Store['db'], row: NumberlessEvent) =>
  db
    .selectFrom('environment_sequences')
    .select(({ val }) => [
      'environment_id',
      'sequence',
      val(row.id).as('id'),
      val(row.type).as('type'),
      sql<string>`cast(${row.head} as text) || cast(sequence as text) || cast(${row.tail} as text)`.as('body'),
      'at',
      val(row.trace).as('trace'),
    ])
    .where('environment_id', '=', row.environment_id)

/** Follows `takeSequence` in the same unit of work, and uses its number. */
export const insertEvent = together(
  'apart',
  write(
    (db, row: NumberlessEvent) =>
      db
        .insertInto('environment_events')
        .columns(['environment_id', 'sequence', 'id', 'type', 'body', 'at', 'trace'])
        .expression(numbered(db, row)),
    1,
  ),
)

/** Follows `takeSequenceIfSubscribed`, under the same condition. */
export const insertEventIfSubscribed = together(
  'apart',
  write((db, row: NumberlessEvent & SubscriptionCondition) =>
    db
      .insertInto('environment_events')
      .columns(['environment_id', 'sequence', 'id', 'type', 'body', 'at', 'trace'])
      .expression(
        numbered(db, row).where(
          isSubscribed({
            environmentId: row.environment_id,
            type: row.type,
            organizationId: row.organizationId,
            auditId: row.auditId,
          }),
        ),
      ),
  ),
)

/**
 * The last sequence number and the generation of the Environment's history; no row if the Environment does not exist or
 * belongs elsewhere.
 */
export const findHistory = query((db, values: { organizationId: string; projectId: string; environmentId: string }) =>
  db
    .selectFrom('environments')
    .leftJoin('environment_sequences', 'environment_sequences.environment_id', 'environments.id')
    .select(({ fn, selectFrom, val }) => [
      fn.coalesce('environment_sequences.sequence', val(0)).as('head'),
      selectFrom('history').select('generation').$asScalar().$notNull().as('generation'),
    ])
    .where('environments.id', '=', values.environmentId)
    .where('environments.project_id', '=', values.projectId)
    .where('environments.organization_id', '=', values.organizationId),
)

/** The events with numbers above `after`, up to and including `upTo`, in order. */
export const listEvents = query((db, values: { environmentId: string; after: number; upTo: number; limit: number }) =>
  db
    .selectFrom('environment_events')
    .select(['sequence', 'at', 'body'])
    .where('environment_id', '=', values.environmentId)
    .where('sequence', '>', values.after)
    .where('sequence', '<=', values.upTo)
    .orderBy('sequence')
    .limit(values.limit),
)

/** The number and time of the event with this number, or of the next existing one. */
export const findEventFrom = query((db, values: { environmentId: string; sequence: number }) =>
  db
    .selectFrom('environment_events')
    .select(['sequence', 'at'])
    .where('environment_id', '=', values.environmentId)
    .where('sequence', '>=', values.sequence)
    .orderBy('sequence')
    .limit(1),
)

/** The oldest event of the next Environment with events, after this one. */
export const findOldestEventBehind = query((db, values: { after: string }) =>
  db
    .selectFrom('environment_events')
    .select(['environment_id', 'sequence', 'at'])
    .where('environment_id', '>', values.after)
    .orderBy('environment_id')
    .orderBy('sequence')
    .limit(1),
)

export const deleteEventsBefore = write((db, values: { environmentId: string; sequence: number }) =>
  db
    .deleteFrom('environment_events')
    .where('environment_id', '=', values.environmentId)
    .where('sequence', '<', values.sequence),
)
