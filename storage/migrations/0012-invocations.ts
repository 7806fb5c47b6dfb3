/**
 * Invocations of operations, and the approvals that some of them wait for. An invocation names where it comes from, and is
 * the only one from there. Source: requirement 5.8, 6; contract 6, `OperationInvocation`, `OperationApproval`.
 */
import { type Kysely, sql } from 'kysely'

const statements = [
  sql`create table operation_invocations (
    id               text    primary key,                               -- opi_…
    organization_id  text    not null,
    project_id       text    not null,
    environment_id   text    not null references environments (id) on delete cascade,
    deployment_id    text    not null,                                  -- whose bundle it is performed by
    agent_id         text    not null,                                  -- on whose behalf
    operation        text    not null,                                  -- <definition>.<operation>
    agent_run_id     text,
    tool_call_id     text,
    run_chain        integer,                                           -- the chain of the run that called
    workflow_run_id  text,
    step_id          text,
    attempt          integer,
    user_id          text,                                              -- whose idempotency_key it is
    idempotency_key  text,
    request_digest   text,
    depth            integer not null check (depth >= 0),               -- invocations above it
    state            text    not null check (state in ('pending_approval', 'running', 'succeeded', 'failed', 'rejected', 'unknown')),
    version          integer not null check (version > 0),              -- of the snapshot: compare-and-swap
    machine_version  text    not null,
    context          text    not null,                                  -- JSON: what the statechart decides on
    performer        text,                                              -- the process that performs it
    approval_id      text,                                              -- apr_…; null: it needs none
    input            text    not null,                                  -- JSON
    output           text,                                              -- JSON
    error            text,                                              -- JSON: code and message
    created_by_type  text    not null,
    created_by_id    text    not null,
    created_at       bigint  not null,
    updated_at       bigint  not null,
    check ((agent_run_id is null) = (tool_call_id is null)),
    check ((workflow_run_id is null) = (step_id is null)),
    check ((idempotency_key is null) = (request_digest is null)),
    check (agent_run_id is null or workflow_run_id is null),
    check (state <> 'pending_approval' or approval_id is not null),
    check (output is null or state = 'succeeded')
  )`,
  sql`create unique index operation_invocations_of_call on operation_invocations (agent_run_id, tool_call_id) where agent_run_id is not null`,
  sql`create unique index operation_invocations_of_step on operation_invocations (workflow_run_id, step_id, attempt) where workflow_run_id is not null`,
  sql`create unique index operation_invocations_of_key on operation_invocations (environment_id, user_id, idempotency_key) where idempotency_key is not null`,
  sql`create index operation_invocations_of_environment on operation_invocations (environment_id, id)`,
  sql`create index operation_invocations_by_state on operation_invocations (environment_id, state, id)`,
  sql`create index operation_invocations_by_operation on operation_invocations (environment_id, operation, id)`,
  sql`create index operation_invocations_of_agent on operation_invocations (agent_id, id)`,
  sql`create index operation_invocations_running on operation_invocations (id) where state = 'running'`,
  sql`create index operation_invocations_pending on operation_invocations (id) where state = 'pending_approval'`,
  sql`create table operation_approvals (
    id               text    primary key,                               -- apr_…
    organization_id  text    not null,
    environment_id   text    not null,
    invocation_id    text    not null unique references operation_invocations (id) on delete cascade,
    agent_id         text    not null,
    status           text    not null check (status in ('pending', 'approved', 'rejected', 'expired', 'canceled')),
    decided_by_type  text,
    decided_by_id    text,
    decided_at       bigint,
    note             text,
    expires_at       bigint  not null,
    created_at       bigint  not null,
    check ((status = 'pending') = (decided_at is null)),
    check ((decided_by_type is null) = (decided_by_id is null)),
    check ((status in ('approved', 'rejected')) = (decided_by_id is not null))
  )`,
  sql`create index operation_approvals_of_environment on operation_approvals (environment_id, id)`,
  sql`create index operation_approvals_by_status on operation_approvals (environment_id, status, id)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
