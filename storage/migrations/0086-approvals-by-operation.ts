/** What each approval is for, so that approvals are listed by operation; with an index for each combination of filters. */
import { type Kysely, sql } from 'kysely'

const statements = [
  sql`alter table operation_approvals add column operation text not null default ''`,
  sql`update operation_approvals set operation = coalesce((
    select operation_invocations.operation from operation_invocations where operation_invocations.id = operation_approvals.invocation_id
  ), '')`,
  sql`create index operation_approvals_by_operation on operation_approvals (environment_id, operation, id)`,
  sql`create index operation_approvals_by_operation_and_status on operation_approvals (environment_id, operation, status, id)`,
  sql`create index operation_approvals_by_agent_and_operation on operation_approvals (environment_id, agent_id, operation, id)`,
  sql`create index operation_approvals_by_all on operation_approvals (environment_id, agent_id, operation, status, id)`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await statement.execute(db)
}
