/**
 * Calls of operations that run in processes of the user: which queue each waits in, and which worker has it. Source:
 * contract 11, "Workers".
 */
import { type Kysely, sql } from 'kysely'

/** As `0038-fleet.ts` counts the other kinds. */
const count = (which: 'old' | 'new', by: string) =>
  `update actor_counts set count = count ${by} where place = ${which}.environment_id and kind = 'worker-call' and state = ${which}.state`
const born = `insert into actor_counts (place, kind, state, count)
  select new.environment_id, 'worker-call', new.state, 0 where not exists
  (select 1 from actor_counts where place = new.environment_id and kind = 'worker-call' and state = new.state)`

const statements = [
  sql`create table worker_calls (
    id               text    primary key references operation_invocations (id) on delete cascade,
    organization_id  text    not null,
    project_id       text    not null,
    environment_id   text    not null references environments (id) on delete cascade,
    agent_id         text    not null,                                  -- on whose behalf
    queue            text    not null,
    operation        text    not null,                                  -- <definition>.<operation>
    worker           text,                                              -- what the worker with the latest lease calls itself
    state            text    not null check (state in ('queued', 'leased', 'retrying', 'succeeded', 'failed', 'unknown', 'canceled')),
    version          integer not null check (version > 0),              -- of the snapshot: compare-and-swap
    machine_version  text    not null,
    context          text    not null,                                  -- JSON: what the statechart decides on
    output           text,                                              -- JSON
    error            text,                                              -- JSON: code and message
    created_at       bigint  not null,
    updated_at       bigint  not null,
    state_since      bigint,
    check (output is null or state = 'succeeded')
  )`,
  sql`create index worker_calls_queued on worker_calls (environment_id, queue, id) where state = 'queued'`,
  sql`create index worker_calls_of_agent on worker_calls (agent_id, id)`,
  sql`create index worker_calls_by_time_in_state on worker_calls (environment_id, state, coalesce(state_since, updated_at), id)`,
  ...[
    `create trigger worker_calls_come_to_place after insert on worker_calls
      begin ${born}; ${count('new', '+ 1')}; end`,
    `create trigger worker_calls_move_in_place after update of state on worker_calls when old.state <> new.state
      begin ${count('old', '- 1')}; ${born}; ${count('new', '+ 1')}; end`,
    `create trigger worker_calls_leave_place after delete on worker_calls
      begin ${count('old', '- 1')}; end`,
  ].map((text) => sql.raw(text)),
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
