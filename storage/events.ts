/** The history of Environments. Source: requirement 6; contract 7. */
import { sql } from 'kysely'
import { write } from './statement.ts'
import type { EnvironmentEventRow } from './tables.ts'

/** Takes the Environment's next number; it is given back with everything else when the unit of work fails. */
export const takeSequence = write((db, values: { environmentId: string }) =>
  db
    .insertInto('environment_sequences')
    .values({ environment_id: values.environmentId, sequence: 1 })
    .onConflict((conflict) =>
      conflict.column('environment_id').doUpdateSet(({ eb, ref }) => ({
        sequence: eb(ref('environment_sequences.sequence'), '+', 1),
      })),
    ),
)

/** An event without the number that it has not got yet: `head` is its JSON up to the number, `tail` the rest. */
export interface NumberlessEvent extends Pick<EnvironmentEventRow, 'environment_id' | 'id' | 'type' | 'at'> {
  head: string
  tail: string
}

/** Follows `takeSequence` in the same unit of work: the number that was taken last is the event's. */
export const insertEvent = write(
  (db, row: NumberlessEvent) =>
    db
      .insertInto('environment_events')
      .columns(['environment_id', 'sequence', 'id', 'type', 'body', 'at'])
      .expression(
        db
          .selectFrom('environment_sequences')
          .select(({ val }) => [
            'environment_id',
            'sequence',
            val(row.id).as('id'),
            val(row.type).as('type'),
            sql<string>`cast(${row.head} as text) || cast(sequence as text) || cast(${row.tail} as text)`.as('body'),
            val(row.at).as('at'),
          ])
          .where('environment_id', '=', row.environment_id),
      ),
  1,
)
