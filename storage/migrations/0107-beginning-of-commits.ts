/**
 * In PostgreSQL one statement begins a transaction of units of work: it takes the locks of the organizations, in a
 * fixed order, which rules out deadlocks, and after the lock that units without an organization take exclusively; then
 * it writes the mark of the connection.
 */
import { type Kysely, sql } from 'kysely'
import { isSqlite } from '../sqlite/fragments.ts'

// 1414680645: ASCII `TRPE`, which separates our locks from others in the database
const beginning = sql`create or replace function begin_commit(organizations text, connection text, number bigint) returns text
  language plpgsql as $$
  declare key bigint;
  begin
    if organizations is null then
      perform pg_advisory_xact_lock(1414680645, 0);
    else
      perform pg_advisory_xact_lock_shared(1414680645, 0);
      for key in select distinct hashtextextended(ids.id, 0)
        from json_array_elements_text(cast(organizations as json)) as ids(id) order by 1
      loop
        perform pg_advisory_xact_lock(key);
      end loop;
    end if;
    insert into commit_marks (id, mark, at) values (connection, number, now())
      on conflict (id) do update set mark = excluded.mark, at = excluded.at;
    return cast(pg_current_xact_id() as text);
  end $$`

export async function up(db: Kysely<unknown>): Promise<void> {
  if (!isSqlite(db)) await beginning.execute(db)
}
