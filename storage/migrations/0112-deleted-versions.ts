/**
 * Variables can be deleted like Definitions and Connections: marked first, while their versions are removed. The marked
 * ones of each kind are found by an index that has no others.
 */
import { type Kysely, sql } from 'kysely'
import { isSqlite } from '../sqlite/fragments.ts'

const check = "check (status in ('active', 'disabled', 'deleting'))"

/** SQLite changes a check in no other way than with its column; its rows are few beside those of versions. */
const withDeleting = (table: string, isOnSqlite: boolean) =>
  isOnSqlite
    ? [
        `alter table ${table} rename column status to earlier_status`,
        `alter table ${table} add column status text not null default 'active' ${check}`,
        `update ${table} set status = earlier_status where earlier_status <> 'active'`,
        `alter table ${table} drop column earlier_status`,
      ]
    : [`alter table ${table} drop constraint ${table}_status_check, add constraint ${table}_status_check ${check}`]

const deleted = (table: string) => `create index ${table}_deleted on ${table} (status) where status = 'deleting'`

export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    ...['variables', 'organization_variables'].flatMap((table) => withDeleting(table, isSqlite(db))),
    ...['variables', 'connections', 'organization_variables'].map(deleted),
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
