/**
 * Conversations: the run that a key of a client names, what operations know of it, and the messages that wait in it. Source: contract 12,
 * "`threadKey`".
 */
import { type Kysely, sql } from 'kysely'
import { clustered } from '../sqlite/fragments.ts'

const statements = (db: Kysely<unknown>) => [
  sql`alter table runs add column thread_key text`,
  sql`create index runs_by_thread on runs (organization_id, thread_key, id) where thread_key is not null`,
  // the run that a key stands for now; environment_id is '' for System Agents
  sql`create table run_threads (
    organization_id text not null,
    environment_id text not null,
    agent_id text not null,
    thread_key text not null,
    run_id text not null,
    primary key (organization_id, environment_id, agent_id, thread_key)
  ) ${clustered(db)}`,
  sql`create index run_threads_of_run on run_threads (run_id, thread_key)`,
  // what operations of the run may use beside their input
  sql`create table run_contexts (
    run_id text not null primary key,
    body text not null
  )`,
  // the statechart of the run has their order
  sql`create table queued_inputs (
    run_id text not null,
    input_id bigint not null,
    body text not null,
    by_type text not null,
    by_id text not null,
    primary key (run_id, input_id)
  )`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements(db)) await statement.execute(db)
}
