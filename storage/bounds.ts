/**
 * How many rows a tenant can make at one place, whatever the plan: bounds that nobody meets who does not try. A guard
 * belongs behind the row that it counts, in the same unit of work, and fails it with `LimitReached`.
 */
import { type RawBuilder, sql } from 'kysely'
import { LimitReached } from './errors.ts'
import type { Store, Write } from './store.ts'

/** Of each sort: where they belong, which an index finds them by, and how many there may be. */
const bounds = {
  definitions: { table: 'definitions', owner: 'project_id', limit: 1_000 },
  definitionRevisions: { table: 'definition_revisions', owner: 'definition_id', limit: 10_000 },
  agentRevisions: { table: 'agent_revisions', owner: 'agent_id', limit: 10_000 },
  releases: { table: 'releases', owner: 'project_id', limit: 10_000 },
  configurationRevisions: { table: 'configuration_revisions', owner: 'environment_id', limit: 10_000 },
  deployments: { table: 'deployments', owner: 'environment_id', limit: 10_000 },
  accessGrants: { table: 'access_grants', owner: 'project_id', limit: 1_000 },
  userGroups: { table: 'user_groups', owner: 'organization_id', limit: 1_000 },
} as const
export type Bounded = keyof typeof bounds

/** The guard of what a Project, an Environment, an Agent, a Definition or the organization has of this. */
export function withinBound(store: { db: Store['db'] }, name: Bounded, organizationId: string, ownerId: string): Write {
  const { table, owner, limit } = bounds[name]
  const count: RawBuilder<number> = sql`(select count(*) from ${sql.table(table)} where ${sql.ref(owner)} = ${ownerId})`
  const { sql: text, parameters } = store.db
    .updateTable('organizations')
    .set({ status: sql<'active'>`status` })
    .where('id', '=', organizationId)
    .where(sql<boolean>`${count} <= ${limit}`)
    .compile()
  return {
    sql: text,
    parameters,
    rows: 1,
    refusal: () => new LimitReached(`There are ${limit} ${name}.`, { name, limit }),
  }
}
