/**
 * How many actors of a kind are in which state where, and which have been in it for long. The counts are the store's own:
 * triggers keep them in the unit of work that changes a row, whatever changes it. Source: contract 13, "Fleet".
 */
import { type RawBuilder, sql } from 'kysely'
import { lastOfBoth } from '../by-engine.ts'
import { untyped } from '../rows.ts'
import { query, write } from '../statement.ts'
import type { Store } from '../store.ts'

interface KindTable {
  table: string
  /** What says where an actor is: an Environment, or the organization. The index has it in these words. */
  place: RawBuilder<string>
  /** What the place of all actors of the kind is; a run may be in no Environment. */
  of: 'environment' | 'organization' | 'either'
  /** The column with the actor's id. */
  id?: string
  /** Which rows are shown; the index has no others. */
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

/** Whether actors of the kind are in an Environment, of the organization as a whole, or some here and some there. */
export const placeOfKind = (kind: FleetKind): KindTable['of'] => tables[kind].of

/** Where the actors of a kind are stored, and the column of their ids. */
export const tableOfKind = (kind: FleetKind): { table: string; id: string } => {
  const { table, id = 'id' }: KindTable = tables[kind]
  return { table, id }
}

/** An actor, and since when it has been in its state, in epoch milliseconds. */
export interface ActorInState {
  id: string
  since: number
  project_id: string | null
  environment_id: string | null
}

interface InState {
  place: string
  state: string
  /** The last that was shown: those behind it, the oldest first. */
  after: { since: number; id: string }
  /** Those that entered the state by then. */
  until: number
  limit: number
}

// the words that the index has it in
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

/** The actors of a place that have been in a state for longest. */
export const listInState = (store: Store, kind: FleetKind, { after, ...values }: InState): Promise<ActorInState[]> =>
  store.all(lists[kind](store, { ...values, ...after }))

/** Before any. */
export const first: InState['after'] = { since: Number.MIN_SAFE_INTEGER, id: '' }

/** How many actors of a kind are in a state at a place: some, or there is no row. */
export interface Counted {
  place: string
  state: string
  count: number
}

/** In an Environment, or, of what is in none, in an organization. */
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

/** In the Environments of a Project. */
export const countsInProject = countsBelow('project_id')
/** In the Environments of an organization. */
export const countsInOrganization = countsBelow('organization_id')

/** How long those that left a state had been in it, in JSON. */
export const listStays = query((db, values: { kind: string; place: string }) =>
  db
    .selectFrom('state_stays')
    .select(['state', 'milliseconds'])
    .where('place', '=', values.place)
    .where('kind', '=', values.kind),
)

const placesThatAre = (place: string) =>
  sql<boolean>`(exists (select 1 from organizations where id = ${place}) or exists (select 1 from projects where id = ${place})
    or exists (select 1 from environments where id = ${place}))`

/** The minimum number of values for a percentile. */
export const staysMax = 1_000

/** Adds to those that are kept, whichever server has kept them. Nothing is kept of a place that is gone. */
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
