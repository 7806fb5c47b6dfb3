/**
 * Counts actors by kind, place and state, and finds those that have been in a state longest. Triggers maintain the
 * counts in the unit of work that changes a row, whatever changes it. Source: contract 13, "Fleet".
 */
import { type RawBuilder, sql } from 'kysely'
import { lastOfBoth } from '../by-engine.ts'
import { rowsOf, untyped } from '../rows.ts'
import { query, write } from '../statement.ts'
import type { Store } from '../store.ts'

interface KindTable {
  table: string
  /** The place of an actor, an Environment or the organization: exactly the expression in the index. */
  place: RawBuilder<string>
  /** The kind of place that actors of this kind have; a run can be outside Environments. */
  of: 'environment' | 'organization' | 'either'
  /** The column with the actor's id. */
  id?: string
  /** The rows that are shown: the condition of the partial index. */
  where?: RawBuilder<boolean>
}

const inEnvironment = (table: string): KindTable => ({ table, place: sql`environment_id`, of: 'environment' })
const inOrganization = (table: string): KindTable => ({ table, place: sql`organization_id`, of: 'organization' })

const tables = {
  run: { table: 'runs', place: sql`coalesce(environment_id, organization_id)`, of: 'either' },
  'operation-invocation': inEnvironment('operation_invocations'),
  environment: { table: 'environments', place: sql`id`, of: 'environment' },
  deployment: inEnvironment('deployments'),
  integration: inOrganization('integrations'),
  delivery: inEnvironment('deliveries'),
  'webhook-recovery': inEnvironment('webhook_recoveries'),
  'agent-job': inEnvironment('agent_jobs'),
  'workflow-run': { ...inEnvironment('workflow_runs'), where: sql<boolean>`actor_user_id is null` },
  deletion: { ...inOrganization('deletions'), where: sql<boolean>`target <> 'organization'` },
  entity: inEnvironment('entities'),
  subscription: { ...inOrganization('subscriptions'), id: 'organization_id' },
  'worker-call': inEnvironment('worker_calls'),
  apply: inEnvironment('applies'),
  alert: { table: 'alert_rules', place: sql`coalesce(environment_id, organization_id)`, of: 'either' },
  'bulk-action': { table: 'bulk_actions', place: sql`coalesce(environment_id, organization_id)`, of: 'either' },
} satisfies Record<string, KindTable>

/** The kinds of actors that are counted. */
export type FleetKind = keyof typeof tables
export const fleetKinds = Object.keys(tables) as FleetKind[]

/** Whether actors of the kind belong to an Environment, to the organization as a whole, or to either. */
export const placeOfKind = (kind: FleetKind): KindTable['of'] => tables[kind].of

/** The table of a kind of actor, and the column of its ids. */
export const tableOfKind = (kind: FleetKind): { table: string; id: string } => {
  const { table, id = 'id' }: KindTable = tables[kind]
  return { table, id }
}

/** An actor, and when it entered its state, in epoch milliseconds. */
export interface ActorInState {
  id: string
  since: number
  project_id: string | null
  environment_id: string | null
}

interface InState {
  place: string
  state: string
  /** The position of the last actor shown: the list continues after it, oldest first. */
  after: { since: number; id: string }
  /** Only actors that entered the state by this time. */
  until: number
  limit: number
}

// exactly the expression in the index
const since = sql<number>`coalesce(state_since, updated_at)`

const placesOf = (kind: FleetKind, { id = 'id' }: KindTable) => {
  const none = sql<string | null>`null`
  if (placeOfKind(kind) === 'organization') return [none.as('project_id'), none.as('environment_id')]
  const environment = kind === 'environment' ? sql<string | null>`${sql.ref(id)}` : sql<string | null>`environment_id`
  return [sql<string | null>`project_id`.as('project_id'), environment.as('environment_id')]
}

const listOf = (kind: FleetKind, given: KindTable) =>
  query((db, values: { place: string; state: string; since: number; id: string; until: number; limit: number }) => {
    const id = sql<string>`${sql.ref(given.id ?? 'id')}`
    return untyped(db)
      .selectFrom(given.table)
      .select([id.as('id'), since.as('since'), ...placesOf(kind, given)])
      .where(given.place, '=', values.place)
      .where('state', '=', values.state)
      .where(since, '>=', values.since)
      .where(since, '<=', values.until)
      .where(({ or, eb }) => or([eb(since, '>', values.since), eb(id, '>', values.id)]))
      .$if(given.where !== undefined, (list) => list.where(given.where as RawBuilder<boolean>))
      .orderBy(since)
      .orderBy(id)
      .limit(values.limit)
      .$castTo<ActorInState>()
  })

const lists = Object.fromEntries(
  Object.entries(tables).map(([kind, table]) => [kind, listOf(kind as FleetKind, table)]),
) as Record<FleetKind, ReturnType<typeof listOf>>

/** The actors at a place that have been in a state longest, oldest first. */
export const listInState = (store: Store, kind: FleetKind, { after, ...values }: InState): Promise<ActorInState[]> =>
  store.all(lists[kind](store, { ...values, ...after }))

/** The position before all actors. */
export const first: InState['after'] = { since: Number.MIN_SAFE_INTEGER, id: '' }

/** The number of actors of a kind in a state at a place; never zero. */
export interface Counted {
  place: string
  state: string
  count: number
}

/** Counts in an Environment, or in an organization for actors outside Environments. */
export const countsAt = query((db, values: { kind: string; place: string }) =>
  db
    .selectFrom('actor_counts')
    .select(['place', 'state', 'count'])
    .where('place', '=', values.place)
    .where('kind', '=', values.kind)
    .where('count', '>', 0),
)

const countsBelow = (column: 'project_id' | 'organization_id') =>
  query((db, values: { kind: string; id: string }) =>
    db
      .selectFrom('environments')
      .innerJoin('actor_counts', 'actor_counts.place', 'environments.id')
      .select(['actor_counts.place', 'actor_counts.state', 'actor_counts.count'])
      .where(`environments.${column}`, '=', values.id)
      .where('actor_counts.kind', '=', values.kind)
      .where('actor_counts.count', '>', 0),
  )

/** Counts in the Environments of a Project. */
export const countsInProject = countsBelow('project_id')
/** Counts in the Environments of an organization. */
export const countsInOrganization = countsBelow('organization_id')

/** How long actors had been in each state when they left it, as JSON. */
export const listStays = rowsOf('state_stays', 'kind', 'place', 'state')
  .only('state', 'milliseconds')
  .find('place', 'kind')

const placesThatAre = (place: string) =>
  sql<boolean>`(exists (select 1 from organizations where id = ${place}) or exists (select 1 from projects where id = ${place})
    or exists (select 1 from environments where id = ${place}))`

/** The most durations kept for each place, kind and state. */
export const staysMax = 1_000

/** Appends to the stored durations, whichever server stored them. Stores nothing for a place that no longer exists. */
export const keepStays = write((db, values: { kind: string; place: string; state: string; milliseconds: string }) =>
  db
    .insertInto('state_stays')
    .columns(['place', 'kind', 'state', 'milliseconds'])
    .expression(
      sql`select ${values.place}, ${values.kind}, ${values.state}, ${values.milliseconds} where ${placesThatAre(values.place)}`,
    )
    .onConflict((conflict) =>
      conflict.columns(['place', 'kind', 'state']).doUpdateSet({
        milliseconds: lastOfBoth('state_stays.milliseconds', 'excluded.milliseconds', staysMax),
      }),
    ),
)
