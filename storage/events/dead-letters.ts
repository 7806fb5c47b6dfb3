/** Dead letters, counted along their own index, a bounded range at a time. */
import { sql } from 'kysely'
import { type CountScope, type CountScopeColumns, perScope } from '../count-scope.ts'
import { query } from '../statement.ts'
import type { Store } from '../store.ts'
import type { DeliveryRow } from '../tables.ts'

const keys = ['project_id', 'environment_id', 'webhook_id', 'id'] as const

/** A position in the index, within an organization. */
type DeadLetterKey = Pick<DeliveryRow, (typeof keys)[number]>

/** The first position. */
export const firstDeadLetter: DeadLetterKey = { project_id: '', environment_id: '', webhook_id: '', id: '' }

interface DeadLetterStretch extends CountScope {
  after: DeadLetterKey
  /** Deliveries of events from this time or earlier have expired. */
  eventsUntil: number
  limit: number
}

type Values = Omit<DeadLetterStretch, 'after'> & { [Name in keyof DeadLetterKey as `after_${Name}`]: string }

/** Looks up the Project of an Environment if it is not given, because the index begins with it. */
const narrowing = (columns: CountScopeColumns, values: Values) => {
  const isAlone = columns.includes('environment_id') && !columns.includes('project_id')
  const project = sql`(
    select project_id from environments where id = ${values.environment_id} and organization_id = ${values.organizationId}
  )`
  return [
    ...(isAlone ? [sql<boolean>`project_id = ${project}`] : []),
    ...columns.map((column) => sql<boolean>`${sql.ref(column)} = ${values[column]}`),
  ]
}

/** The condition for rows after this position; the scope fixes the first columns of the index. */
const isBehind = (columns: CountScopeColumns, values: Values) => {
  const fixed = columns.includes('environment_id') ? 2 : columns.length
  const open = keys.slice(fixed)
  const from = open.map((key) => sql`${values[`after_${key}`]}`)
  return sql<boolean>`(${sql.join(open.map((key) => sql.ref(key)))}) > (${sql.join(from)})`
}

const stretchOf = perScope((columns) =>
  query((db, values: Values) =>
    db
      .selectFrom((deliveries) =>
        deliveries
          .selectFrom('deliveries')
          .select([...keys, 'event_at'])
          // A literal: a partial index serves a query only if the text implies the index's condition.
          .where(sql<boolean>`state = 'dead-letter'`)
          .where('organization_id', '=', values.organizationId)
          .where(({ and }) => and(narrowing(columns, values)))
          .where(isBehind(columns, values))
          .orderBy('project_id')
          .orderBy('environment_id')
          .orderBy('webhook_id')
          .orderBy('id')
          .limit(values.limit)
          .as('walked'),
      )
      .select(['project_id', 'environment_id', 'webhook_id'])
      .select(({ fn, exists, selectFrom }) => [
        fn.max<string>('id').as('id'),
        fn.countAll<number>().as('walked'),
        fn.countAll<number>().filterWhere('event_at', '>', values.eventsUntil).as('kept'),
        exists(
          selectFrom('webhooks')
            .select('webhooks.id')
            .whereRef('webhooks.id', '=', 'walked.webhook_id')
            .where('webhooks.deleted_at', 'is', null),
        ).as('isThere'),
      ])
      .groupBy(['project_id', 'environment_id', 'webhook_id'])
      .orderBy('project_id')
      .orderBy('environment_id')
      .orderBy('webhook_id'),
  ),
)

/** Number of the webhook's dead letters of events after `eventsUntil`, counted up to `limit`. */
export const countDeadLetters = query(
  (
    db,
    values: {
      organizationId: string
      projectId: string
      environmentId: string
      webhookId: string
      eventsUntil: number
      limit: number
    },
  ) =>
    db
      .selectFrom((deliveries) =>
        deliveries
          .selectFrom('deliveries')
          .select('id')
          .where(sql<boolean>`state = 'dead-letter'`)
          .where('organization_id', '=', values.organizationId)
          .where('project_id', '=', values.projectId)
          .where('environment_id', '=', values.environmentId)
          .where('webhook_id', '=', values.webhookId)
          .where('event_at', '>', values.eventsUntil)
          .limit(values.limit)
          .as('counted'),
      )
      .select(({ fn }) => fn.countAll<number>().as('count')),
)

/**
 * The next dead letters, grouped by webhook: the number read, the last id, the number that has not expired, and whether
 * the webhook exists. In index order, so that the last row is the position to continue from.
 */
export const walkDeadLetters = (store: Store, { after, ...values }: DeadLetterStretch) =>
  stretchOf(values)(store, {
    ...values,
    after_project_id: after.project_id,
    after_environment_id: after.environment_id,
    after_webhook_id: after.webhook_id,
    after_id: after.id,
  })
