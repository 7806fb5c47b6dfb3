/**
 * Counts and lists runs, a bounded stretch at a time: those of a deletion before it removes any, and those that ended
 * long ago.
 * Source: contract 2, "Deletion".
 */
import { sql } from 'kysely'
import { query, write } from '../statement.ts'
import type { Store } from '../store.ts'
import { noMessageWaits } from './conversations.ts'
import { type DeletionTarget, ofTarget, type Place, perTarget, rowsOfRun } from './run-removal.ts'

/** The run after which to count; with its Environment if that precedes the run in the index. */
interface After {
  environmentId: string
  runId: string
}

const countSome = perTarget((target) =>
  query((db, values: Place & After & { limit: number }) =>
    db
      .selectFrom(
        db
          .selectFrom('runs')
          // sorts correctly because all ids have the same length
          .select((target === 'agent' ? sql<string>`environment_id || '/' || id` : sql<string>`id`).as('place'))
          .where(ofTarget(target, values))
          .where(
            target === 'agent'
              ? sql<boolean>`(environment_id, id) > (${values.environmentId}, ${values.runId})`
              : sql<boolean>`id > ${values.runId}`,
          )
          .$if(target === 'agent', (rows) => rows.orderBy('environment_id'))
          .orderBy('id')
          .limit(values.limit)
          .as('some'),
      )
      .select(({ fn }) => [fn.countAll<number>().as('count'), fn.max('some.place').as('last')]),
  ),
)

/** The number of runs after the place `after`, up to `limit`, and the place of the last one; '' is before all. */
export async function countRunsBehind(
  store: Pick<Store, 'db' | 'first'>,
  deletion: DeletionTarget,
  after: string,
  limit: number,
): Promise<{ count: number; last: string | null }> {
  const [runId = '', environmentId = ''] = after.split('/').reverse()
  const counted = await store.first(countSome(store, deletion.target, { ...deletion, environmentId, runId, limit }))
  return counted ?? { count: 0, last: null }
}

// A literal, not a parameter: the partial index serves only if the query text implies its condition.
const hasEnded = sql<boolean>`runs.state in ('completed', 'failed', 'canceled', 'expired')`

/** Runs that ended before a time, the longest ended first; without those with pending effects or waiting messages. */
export const listLongEnded = query((db, values: { until: number; limit: number }) =>
  db
    .selectFrom('runs')
    .select(['id', 'updated_at', rowsOfRun.as('rows')])
    .where(hasEnded)
    .where('updated_at', '<', values.until)
    .where(noMessageWaits)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('effects')
            .select('effects.id')
            .whereRef('effects.actor_id', '=', 'runs.id')
            .where('kind', '=', 'run'),
        ),
      ),
    )
    .orderBy('updated_at')
    .limit(values.limit),
)

/** Fails the unit of work with `StaleWrite` if the run has changed since then. */
export const assertLongEnded = write(
  (db, values: { id: string; until: number }) =>
    db
      .updateTable('runs')
      .set(({ ref }) => ({ updated_at: ref('updated_at') }))
      .where('id', '=', values.id)
      .where('updated_at', '<', values.until),
  1,
)
