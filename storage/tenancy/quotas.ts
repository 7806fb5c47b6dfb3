/**
 * Guards of what an organization may have by its plan. Each belongs behind the rows that it counts, in the same unit of
 * work, and fails it with `LimitReached` where they are too many. Source: contract 1, "Quotas".
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

/** Counted along the index of the organization, which has no more of them than its limit. */
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
