/**
 * What needs somebody, found by an index each: runs that wait for people, calls whose outcome nobody knows, webhooks that
 * fail, and what of credentials and Connections has ended or is about to.
 */
import { type Kysely, sql } from 'kysely'
import { clustered } from '../sqlite/fragments.ts'

const statements = (db: Kysely<unknown>) => [
  // a row for as long as the run waits for somebody: its state alone does not tell whether it waits for another Agent
  sql`create table waiting_runs (
    run_id           text    primary key references runs (id) on delete cascade,
    organization_id  text    not null,
    project_id       text,
    environment_id   text,
    agent_id         text    not null,
    place            text    not null,                                  -- the Environment, or the organization
    tool             text    not null,                                  -- the first call that somebody is to answer
    since            bigint  not null
  ) ${clustered(db)}`,
  sql`create index waiting_runs_of_place on waiting_runs (place, since, run_id)`,
  // a step's outcome is resolved with its workflow; the state in other words than those of the index of all in a state,
  // which would be taken for it
  sql`create index operation_invocations_unresolved on operation_invocations
    (environment_id, coalesce(state_since, updated_at), id) where state || '' = 'unknown' and workflow_run_id is null`,
  sql`create index webhooks_in_trouble on webhooks (environment_id, id)
    where deleted_at is null and (failing_since is not null or disabled_reason is not null)`,
  sql`create index provider_credentials_ending on provider_credentials (organization_id, expires_at, id)
    where status = 'active' and expires_at is not null`,
  sql`create index connections_disabled on connections (environment_id, id)
    where status = 'disabled' and status_reason is not null`,
]

interface Waiting {
  id: string
  organization_id: string
  project_id: string | null
  environment_id: string | null
  agent_id: string
  context: string
  updated_at: number
}
interface Awaiting {
  awaiting?: { toolName: string; invocationId?: string }[]
}

const pageSize = 500

/** Those that wait already. */
async function noteWaiting(db: Kysely<unknown>): Promise<void> {
  for (let after = ''; ; ) {
    const { rows } =
      await sql<Waiting>`select id, organization_id, project_id, environment_id, agent_id, context, updated_at
      from runs where state in ('awaitingToolResult', 'awaitingDelegateResult') and id > ${after}
      order by id limit ${pageSize}`.execute(db)
    for (const run of rows) {
      const { awaiting = [] } = JSON.parse(run.context) as Awaiting
      const first = awaiting.find(({ invocationId }) => invocationId === undefined)
      if (!first) continue
      const place = run.environment_id ?? run.organization_id
      await sql`insert into waiting_runs
        (run_id, organization_id, project_id, environment_id, agent_id, place, tool, since) values
        (${run.id}, ${run.organization_id}, ${run.project_id}, ${run.environment_id}, ${run.agent_id}, ${place},
         ${first.toolName}, ${run.updated_at})`.execute(db)
    }
    const last = rows.at(-1)
    if (!last || rows.length < pageSize) return
    after = last.id
  }
}

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements(db)) await statement.execute(db)
  await noteWaiting(db)
}
