/**
 * How many actors of each kind are in which state in each Environment, counted by the store itself; since when each is in its
 * state, by an index; and how long those that left a state had been in it. Source: contract 13, "Fleet".
 */
import { type Kysely, sql } from 'kysely'
import { clustered } from '../sqlite/fragments.ts'

/** A place is an Environment, or the organization for what is in none. */
const environment = { place: 'environment_id' }
const organization = { place: 'organization_id' }

interface Counted {
  table: string
  place: string
  where?: string
  /** A place has one of them at most, which is found by its key. */
  isAlone?: true
}
/** The table of each kind of actor. A later migration that adds a kind repeats this for its table. */
const counted: Record<string, Counted> = {
  run: { table: 'runs', place: 'coalesce(environment_id, organization_id)' },
  'operation-invocation': { table: 'operation_invocations', ...environment },
  environment: { table: 'environments', place: 'id', isAlone: true },
  deployment: { table: 'deployments', ...environment },
  integration: { table: 'integrations', ...organization },
  delivery: { table: 'deliveries', ...environment },
  'webhook-recovery': { table: 'webhook_recoveries', ...environment },
  'agent-job': { table: 'agent_jobs', ...environment },
  // a run for a user is shown to whoever names that user
  'workflow-run': { table: 'workflow_runs', ...environment, where: 'actor_user_id is null' },
  // the receipt of an organization outlives all who could look at it
  deletion: { table: 'deletions', ...organization, where: "target <> 'organization'" },
  entity: { table: 'entities', ...environment },
  subscription: { table: 'subscriptions', ...organization, isAlone: true },
}

function triggersOf(kind: string, { table, place, where }: Counted) {
  const row = (which: 'old' | 'new', text: string) =>
    text.replace(/\b(environment_id|organization_id|actor_user_id|target|id)\b/g, `${which}.$1`)
  const count = (which: 'old' | 'new', by: string) =>
    `update actor_counts set count = count ${by} where place = ${row(which, place)} and kind = '${kind}' and state = ${which}.state`
  // No upsert: what a statement with OR says of conflicts holds for its triggers too.
  const born = `insert into actor_counts (place, kind, state, count)
        select ${row('new', place)}, '${kind}', new.state, 0 where not exists
        (select 1 from actor_counts where place = ${row('new', place)} and kind = '${kind}' and state = new.state)`
  const only = (which: 'old' | 'new') => (where ? row(which, where) : undefined)
  const when = (...conditions: (string | undefined)[]) => {
    const given = conditions.filter((condition) => condition !== undefined)
    return given.length > 0 ? `when ${given.join(' and ')}` : ''
  }
  return [
    `create trigger ${table}_come_to_place after insert on ${table} ${when(only('new'))}
      begin ${born}; ${count('new', '+ 1')}; end`,
    `create trigger ${table}_move_in_place after update of state on ${table} ${when('old.state <> new.state', only('new'))}
      begin ${count('old', '- 1')}; ${born}; ${count('new', '+ 1')}; end`,
    `create trigger ${table}_leave_place after delete on ${table} ${when(only('old'))}
      begin ${count('old', '- 1')}; end`,
  ]
}

const statementsFor = ([kind, { table, place, where, isAlone }]: [string, Counted]) => [
  // null: it is in the state that it was in before the last change; of a new one, since it was created
  `alter table ${table} add column state_since bigint`,
  ...(isAlone
    ? []
    : [
        `create index ${table}_by_time_in_state on ${table} (${place}, state, coalesce(state_since, updated_at), id)
          ${where ? `where ${where}` : ''}`,
      ]),
  `insert into actor_counts (place, kind, state, count)
    select ${place}, '${kind}', state, count(*) from ${table} ${where ? `where ${where}` : ''} group by 1, 3`,
  ...triggersOf(kind, { table, place, ...(where !== undefined && { where }) }),
]

/** What is known of a place goes with it. */
const forgotten = ['organizations', 'projects', 'environments'].map(
  (table) => `create trigger ${table}_forget_places after delete on ${table}
    begin delete from actor_counts where place = old.id; delete from state_stays where place = old.id; end`,
)

const statements = (db: Kysely<unknown>) => [
  sql`create table actor_counts (
    place  text   not null,                                             -- an Environment, or an organization
    kind   text   not null,
    state  text   not null,
    count  bigint not null,
    primary key (place, kind, state)
  ) ${clustered(db)}`,
  sql`create table state_stays (
    place         text   not null,                                      -- an Environment, a Project or an organization
    kind          text   not null,
    state         text   not null,
    milliseconds  text   not null,                                      -- JSON: of the last thousand that left it, in order
    primary key (place, kind, state)
  ) ${clustered(db)}`,
  ...Object.entries(counted)
    .flatMap(statementsFor)
    .map((text) => sql.raw(text)),
  // the index by time in a state begins with the Environment too
  sql`drop index webhook_recoveries_of_environment`,
  ...forgotten.map((text) => sql.raw(text)),
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements(db)) await statement.execute(db)
}
