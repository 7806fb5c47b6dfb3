/**
 * An index for each combination of filters that lists are served with, so that a page reads what it shows, also when nothing
 * matches; and how many runs, deliveries and invocations are in each state, counted by the store itself. Source: contract 9, "Decided since".
 */
import { type Kysely, sql } from 'kysely'
import { clustered } from '../sqlite/fragments.ts'

/** States that a run stays in, or stays in for long: what enters them is indexed once, not with every move. */
const settled =
  "state in ('awaitingToolResult', 'awaitingDelegateResult', 'completed', 'failed', 'canceled', 'expired')"

const runIndexes = [
  sql`drop index runs_by_agent`,
  sql`create index runs_by_agent on runs (organization_id, agent_id, environment_id, id)`,
  sql`create index runs_of_agent_by_state on runs (organization_id, agent_id, environment_id, state, id) where ${sql.raw(settled)}`,
  sql`create index runs_of_environment_by_state on runs (environment_id, state, id) where environment_id is not null and ${sql.raw(settled)}`,
  sql`create index runs_of_environment_by_update on runs (environment_id, updated_at, id) where environment_id is not null`,
  sql`create index runs_of_environment_by_creator on runs (environment_id, created_by_id, id) where environment_id is not null`,
  sql`create index runs_of_job_by_state on runs (agent_job_id, state, id) where agent_job_id is not null and ${sql.raw(settled)}`,
]

const otherIndexes = [
  sql`create index workflow_runs_of_actor on workflow_runs (environment_id, actor_user_id, id)`,
  sql`create index workflow_runs_of_actor_by_state on workflow_runs (environment_id, actor_user_id, state, id)`,
  sql`create index workflow_runs_of_actor_by_agent on workflow_runs (environment_id, actor_user_id, agent_id, id)`,
  sql`create index workflow_runs_of_actor_by_agent_and_state on workflow_runs (environment_id, actor_user_id, agent_id, state, id)`,
  sql`create index operation_invocations_of_run on operation_invocations (agent_run_id, id) where agent_run_id is not null`,
  sql`create index operation_invocations_by_operation_and_state on operation_invocations (environment_id, operation, state, id)`,
  sql`create index operation_invocations_by_agent on operation_invocations (environment_id, agent_id, id)`,
  sql`create index operation_invocations_by_agent_and_state on operation_invocations (environment_id, agent_id, state, id)`,
  sql`create index operation_invocations_by_agent_and_operation on operation_invocations (environment_id, agent_id, operation, id)`,
  sql`create index operation_invocations_by_all on operation_invocations (environment_id, agent_id, operation, state, id)`,
  sql`create index operation_approvals_by_agent on operation_approvals (environment_id, agent_id, id)`,
  sql`create index operation_approvals_by_agent_and_status on operation_approvals (environment_id, agent_id, status, id)`,
]

/** Those that nothing asks for only cost what is written; who has invited is looked up when somebody goes. */
const mended = [
  sql`drop index data_keys_of_master_key`,
  sql`drop index deployments_of_release`,
  sql`drop index workflow_runs_of_project`,
  sql`create index invitations_by_inviter on invitations (invited_by)`,
]

/** A later migration that adds a state adds its row. */
const counted = {
  runs: [
    ...['queued', 'acquiring', 'starting', 'running', 'awaitingToolResult', 'awaitingDelegateResult', 'canceling'],
    ...['completed', 'failed', 'canceled', 'expired'],
  ],
  deliveries: ['pending', 'in-flight', 'retrying', 'delivered', 'dead-letter'],
  operation_invocations: ['pending_approval', 'running', 'succeeded', 'failed', 'rejected', 'unknown'],
}

const words = (names: readonly string[]) => sql.raw(names.map((name) => `'${name}'`).join(', '))

// No upsert: with one in a trigger, SQLite copies what the statement changes before it changes it.
const add = (kind: string, by: 1 | -1, row: 'old' | 'new') =>
  sql.raw(`update state_counts set count = count + ${by} where kind = '${kind}' and state = ${row}.state`)

const counts = (db: Kysely<unknown>) => [
  sql`create table state_counts (
    kind   text   not null check (kind in (${words(Object.keys(counted))})),
    state  text   not null,
    count  bigint not null,
    primary key (kind, state)
  ) ${clustered(db)}`,
  ...Object.entries(counted).flatMap(([kind, states]) => [
    ...states.map(
      (state) => sql`insert into state_counts (kind, state, count) values (${words([kind])}, ${words([state])}, 0)`,
    ),
    sql.raw(`update state_counts set count = found.count
      from (select state, count(*) as count from ${kind} group by state) as found
      where kind = '${kind}' and state_counts.state = found.state`),
    sql`create trigger ${sql.raw(`${kind}_that_come`)} after insert on ${sql.raw(kind)}
      begin ${add(kind, 1, 'new')}; end`,
    sql`create trigger ${sql.raw(`${kind}_that_move`)} after update of state on ${sql.raw(kind)} when old.state <> new.state
      begin ${add(kind, -1, 'old')}; ${add(kind, 1, 'new')}; end`,
    sql`create trigger ${sql.raw(`${kind}_that_go`)} after delete on ${sql.raw(kind)}
      begin ${add(kind, -1, 'old')}; end`,
  ]),
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...runIndexes, ...otherIndexes, ...mended, ...counts(db)]) await statement.execute(db)
}
