/**
 * Lines of the audit log that stand for several refusals, and where the id of a request comes from. Lines stay as they
 * are, but for the count of a refusal, which grows. Source: contract 0, "Refusals".
 */
import { type Kysely, sql } from 'kysely'
import { immutableBut, mutable } from '../sqlite/fragments.ts'

const statements = (db: Kysely<unknown>) => [
  sql`alter table audit_events add column count bigint not null default 1 check (count >= 1)`,
  // unknown of lines that are older than this
  sql`alter table audit_events add column request_id_from text check (request_id_from in ('server', 'client'))`,
  mutable(db, 'audit_events'),
  immutableBut('audit_events', {
    columns: [
      ...['organization_id', 'id', 'actor_type', 'actor_id', 'ip', 'operation', 'resource_type', 'resource_id'],
      ...['outcome', 'request_id', 'changed', 'at', 'request_id_from'],
    ],
    counts: 'count',
  }),
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements(db).flat()) await statement.execute(db)
}
