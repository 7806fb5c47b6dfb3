/**
 * In PostgreSQL each count by state has a row for every connection that commits, by its process id: with only one, all
 * commits of all organizations would wait for each other, each until the one before is on the disk. A part may be
 * negative, for a row may move over several connections; the count is the sum. A store in SQLite has one connection.
 */
import { type Kysely, sql } from 'kysely'
import { isSqlite } from '../sqlite/fragments.ts'

const kinds = ['runs', 'deliveries', 'operation_invocations']

// fewer parts than process ids, so that the rows stay few; those of one server's connections are neighbors
const add = (kind: string, by: 1 | -1, row: 'old' | 'new') => `insert into state_counts (kind, state, part, count)
  values ('${kind}', ${row}.state, pg_backend_pid() % 64, ${by})
  on conflict (kind, state, part) do update set count = state_counts.count + excluded.count; `

const trigger = (name: string, body: string) =>
  sql.raw(
    `create or replace function ${name}() returns trigger language plpgsql as $$ begin ${body}return null; end $$`,
  )

const statements = [
  sql`alter table state_counts add column part bigint not null default 0`,
  sql`alter table state_counts drop constraint state_counts_pkey, add primary key (kind, state, part)`,
  ...kinds.flatMap((kind) => [
    trigger(`${kind}_that_come`, add(kind, 1, 'new')),
    trigger(`${kind}_that_move`, add(kind, -1, 'old') + add(kind, 1, 'new')),
    trigger(`${kind}_that_go`, add(kind, -1, 'old')),
  ]),
]

export async function up(db: Kysely<unknown>): Promise<void> {
  if (isSqlite(db)) return
  for (const statement of statements) await statement.execute(db)
}
