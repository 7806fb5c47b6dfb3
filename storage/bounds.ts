/**
 * Fixed limits on the rows that a tenant can create under one parent, whatever its plan; ordinary use does not reach
 * them. The guard follows the insert that it counts, in the same unit of work, and fails the unit with `LimitReached`.
 */
import { type RawBuilder, sql } from 'kysely'
import { everybody, type Store, type Write } from './store.ts'

interface Bound {
  table: string
  /** The column of the parent; an index begins with it. */
  owner: string
  /** The SQL condition of the counted rows, which holds for nearly all or is that of a partial index; default: all. */
  only?: string
  /** The column with the count, if the table has counts instead of the rows themselves. */
  counter?: string
  /** The column that numbers an owner's rows 1, 2, 3 …, behind it in an index, if none of them is removed alone. */
  numbered?: string
  /** The limit. */
  limit: number
}

export const bounds = {
  definitions: { table: 'definitions', owner: 'project_id', only: "status = 'active'", limit: 1_000 },
  // These stay for good, so years of continuous delivery must fit.
  definitionRevisions: { table: 'definition_revisions', owner: 'definition_id', numbered: 'number', limit: 100_000 },
  agentRevisions: { table: 'agent_revisions', owner: 'agent_id', numbered: 'number', limit: 100_000 },
  releases: { table: 'releases', owner: 'project_id', numbered: 'number', limit: 100_000 },
  configurationRevisions: {
    table: 'configuration_revisions',
    owner: 'environment_id',
    numbered: 'number',
    limit: 100_000,
  },
  applies: { table: 'actor_counts', owner: 'place', only: "kind = 'apply'", counter: 'count', limit: 100_000 },
  deployments: { table: 'actor_counts', owner: 'place', only: "kind = 'deployment'", counter: 'count', limit: 100_000 },
  variableVersions: { table: 'variable_versions', owner: 'variable_id', numbered: 'version', limit: 10_000 },
  organizationVariableVersions: {
    table: 'organization_variable_versions',
    owner: 'variable_id',
    numbered: 'version',
    limit: 10_000,
  },
  connectionVersions: { table: 'connection_versions', owner: 'connection_id', numbered: 'number', limit: 10_000 },
  accessGrants: { table: 'access_grants', owner: 'project_id', limit: 1_000 },
  userGroups: { table: 'user_groups', owner: 'organization_id', limit: 1_000 },
  organizations: { table: 'memberships', owner: 'user_id', only: "role = 'owner'", limit: 100 },
  members: { table: 'memberships', owner: 'organization_id', limit: 10_000 },
  invitations: { table: 'invitations', owner: 'organization_id', limit: 1_000 },
  liveWorkflowRuns: {
    table: 'workflow_runs',
    owner: 'organization_id',
    only: "state in ('running', 'waiting', 'unknown', 'canceling')",
    limit: 10_000,
  },
  keptWorkflowEvents: { table: 'workflow_events', owner: 'environment_id', only: 'is_kept = 1', limit: 2_000 },
  pendingApprovals: {
    table: 'operation_invocations',
    owner: 'environment_id',
    only: "state = 'pending_approval'",
    limit: 10_000,
  },
  queuedWorkerCalls: {
    table: 'actor_counts',
    owner: 'place',
    only: "kind = 'worker-call' and state = 'queued'",
    counter: 'count',
    limit: 100_000,
  },
  entities: { table: 'entity_counts', owner: 'environment_id', counter: 'entities', limit: 100_000 },
} as const satisfies Record<string, Bound>
export type Bounded = keyof typeof bounds

/** The limit that was reached: one of the organization's plan, or one of the server. */
export interface ReachedLimit {
  name: 'projects' | 'agents' | 'liveRuns' | 'storedBytes' | Bounded
  limit: number
}

/** A unit of work would exceed a limit. */
export class LimitReached extends Error {
  override readonly name = 'LimitReached'
  constructor(
    message: string,
    /** The limit; undefined for the budget of a period. */
    readonly reached?: ReachedLimit,
  ) {
    super(message)
  }
}

function counted({ counter, numbered }: Bound) {
  if (numbered !== undefined) return sql`max(${sql.ref(numbered)})`
  return counter === undefined ? sql`count(*)` : sql`coalesce(sum(${sql.ref(counter)}), 0)`
}

/** Builds the guard for a limit per Project, Environment, Agent, Definition, variable, Connection, user or organization. */
export function withinBound(store: { db: Store['db'] }, name: Bounded, organizationId: string, ownerId: string): Write {
  const bound: Bound = bounds[name]
  const { table, owner, only = 'true', limit } = bound
  const count: RawBuilder<number> = sql`(select ${counted(bound)} from ${sql.table(table)}
    where ${sql.ref(owner)} = ${ownerId} and ${sql.raw(only)})`
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
    // the same user may be creating another organization in another lane
    ...(name === 'organizations' && { of: everybody }),
    refusal: () => new LimitReached(`There are ${limit} ${name}.`, { name, limit }),
  }
}
