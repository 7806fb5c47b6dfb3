/** Queued runs, runs whose attempt holds a machine, and the progress of their calls. */
import { type ExpressionBuilder, expressionBuilder, sql } from 'kysely'
import { inSlots } from '../by-engine.ts'
import { rowsOf } from '../rows.ts'
import type { OfSlots } from '../slots.ts'
import { query, write } from '../statement.ts'
import type { Tables } from '../tables.ts'

// Literals, not parameters: a partial index serves a query only if the query text implies the index's condition.
const isQueued = sql<boolean>`state = 'queued'`
const isAttempted = sql<boolean>`state in ('acquiring', 'starting', 'running', 'canceling')`

/** The first organization after the given one with a queued run, and when its first queued run can be leased. */
export const nextQueuedOrganization = query((db, values: { after: string }) =>
  db
    .selectFrom('runs')
    .select(['organization_id', 'available_at'])
    .where(isQueued)
    .where('organization_id', '>', values.after)
    .orderBy('organization_id')
    .orderBy('available_at')
    .limit(1),
)

/** The oldest runs of one organization that can be leased now. */
export const queuedOf = query((db, values: { organizationId: string; now: number; limit: number }) =>
  db
    .selectFrom('runs')
    .select('id')
    .where(isQueued)
    .where('organization_id', '=', values.organizationId)
    .where('available_at', '<=', values.now)
    .orderBy('available_at')
    .orderBy('id')
    .limit(values.limit),
)

/** When the organization's next run in back-off can be leased. */
export const nextAvailable = query((db, values: { organizationId: string; now: number }) =>
  db
    .selectFrom('runs')
    .select('available_at')
    .where(isQueued)
    .where('organization_id', '=', values.organizationId)
    .where('available_at', '>', values.now)
    .orderBy('available_at')
    .limit(1),
)

/** Runs whose attempt holds, or should hold, a machine. */
export const listAttempted = query((db, values: OfSlots & { after: string; limit: number }) =>
  db
    .selectFrom('runs')
    .select(['id', 'state', 'context'])
    .where(isAttempted)
    .where('id', '>', values.after)
    .where(inSlots('id', values.slots))
    .orderBy('id')
    .limit(values.limit),
)

const firstQueued = (runs: ExpressionBuilder<Tables, never>) =>
  runs
    .selectFrom('runs')
    .select(({ fn }) => fn.min<string | null>('organization_id').as('id'))
    .where(isQueued)

/** When the longest-waiting queued run can be leased; one index lookup for each organization with queued runs. */
export const oldestQueued = query((db, _values: object) =>
  db
    .withRecursive('waiting(id)', (waiting) =>
      firstQueued(expressionBuilder<Tables, never>()).unionAll(
        waiting
          .selectFrom('waiting')
          .select((place) =>
            firstQueued(place as unknown as ExpressionBuilder<Tables, never>)
              .where(sql<boolean>`organization_id > waiting.id`)
              .as('id'),
          )
          .where('waiting.id', 'is not', null),
      ),
    )
    .selectFrom('waiting')
    .select(
      sql<
        number | null
      >`min((select min(available_at) from runs where ${isQueued} and organization_id = waiting.id))`.as(
        'available_at',
      ),
    ),
)

/** Records progress of a call that the attempt waits for; its runner may report to a server other than the call's. */
export const noteProgress = write((db, values: { id: string; at: number }) =>
  db.updateTable('runs').set({ progress_at: values.at }).where('id', '=', values.id),
)

export const findProgress = rowsOf('runs', 'id').only('progress_at').find()
