/**
 * Guards for the limits of an organization's plan. Each comes after the inserts that it counts, in the same unit of
 * work, and fails the unit with `LimitReached` if there are too many rows. Source: contract 1, "Quotas".
 */
import { sql } from 'kysely'
import { LimitReached } from '../bounds.ts'
import { query, write } from '../statement.ts'
import type { Store, Write } from '../store.ts'

type Counted = 'projects' | 'agents'

const count = (table: Counted) =>
  query((db, values: { organizationId: string }) =>
    db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('organization_id', '=', values.organizationId),
  )

/** Counts along the organization's index, which has no more rows of the organization than its limit. */
const guard = (table: Counted) => {
  const within = write(
    (db, values: { organizationId: string; limit: number }) =>
      db
        .updateTable('organizations')
        .set({ status: sql<'active'>`status` })
        .where('id', '=', values.organizationId)
        .where(
          ({ selectFrom, fn }) =>
            selectFrom(table)
              .select(fn.countAll<number>().as('count'))
              .where(`${table}.organization_id`, '=', values.organizationId),
          '<=',
          values.limit,
        ),
    1,
  )
  return (store: { db: Store['db'] }, organizationId: string, limit: number | null): Write[] =>
    limit === null
      ? []
      : [
          {
            ...within(store, { organizationId, limit }),
            refusal: () => new LimitReached(`There are ${limit} ${table}.`, { name: table, limit }),
          },
        ]
}

export const projectsWithin = guard('projects')
export const agentsWithin = guard('agents')
export const countProjects = count('projects')
/** Agents of the organization's Projects. */
export const countAgents = count('agents')
