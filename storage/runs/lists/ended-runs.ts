/**
 * Runs in the order in which they ended, by the index that says since when each is in its state: a run that has ended stays in
 * the state in which it did. Source: contract 9, "Decided since".
 */
import { sql } from 'kysely'
import { query } from '../../statement.ts'

// the words that the index has it in
const place = sql<string>`coalesce(environment_id, organization_id)`
const endedAt = sql<number>`coalesce(state_since, updated_at)`

interface EndedRuns {
  /** An Environment, or the organization for runs in none. */
  place: string
  organizationId: string
  state: string
  /** Ended at this instant or later, and before the other. */
  from: number
  to: number
  /** The last run shown: those behind it. */
  at: number
  id: string
  limit: number
}

const listOf = (order: 'asc' | 'desc') =>
  query((db, values: EndedRuns) =>
    db
      .selectFrom('runs')
      .select(['id', endedAt.as('updated_at')])
      .where(place, '=', values.place)
      .where('organization_id', '=', values.organizationId)
      .where('state', '=', values.state)
      .where(endedAt, '>=', values.from)
      .where(endedAt, '<', values.to)
      .where(endedAt, order === 'asc' ? '>=' : '<=', values.at)
      .where(({ or, eb }) =>
        or([eb(endedAt, order === 'asc' ? '>' : '<', values.at), eb('id', order === 'asc' ? '>' : '<', values.id)]),
      )
      .orderBy(endedAt, order)
      .orderBy('id', order)
      .limit(values.limit),
  )

/** When each ended is its `updated_at`. */
export const listEndedRuns = { asc: listOf('asc'), desc: listOf('desc') }
