/** Fragments of table definitions that only SQLite knows. */
import { type Kysely, type RawBuilder, SqliteAdapter, sql } from 'kysely'

/**
 * Keeps a table in the order of its primary key, without a second tree for the rows: for narrow tables that are read and
 * written by their key alone. Nothing on other engines.
 */
export const clustered = (db: Kysely<unknown>): RawBuilder<unknown> =>
  db.getExecutor().adapter instanceof SqliteAdapter ? sql`without rowid` : sql``
