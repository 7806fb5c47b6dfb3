/** The tables that a move copies: their columns, and the primary keys that order their rows. */
import { type Kysely, type RawBuilder, sql } from 'kysely'

type Db = Kysely<unknown>

export interface MovedTable {
  name: string
  columns: readonly string[]
  /** The columns of the primary key, in key order. */
  key: readonly string[]
}

export type Row = Record<string, string | number | null>

/** Not moved: PostgreSQL stores long texts whole in their rows, and each store records its own migrations. */
const apart = new Set(['text_pieces', 'loose_texts', 'kysely_migration', 'kysely_migration_lock'])

/** The tables of an SQLite store that are moved, ordered by name. */
export async function movedTables(db: Db): Promise<MovedTable[]> {
  const { rows } = await sql<{ name: string; column: string; place: number }>`
    select tables.name as name, columns.name as "column", columns.pk as place
      from sqlite_master as tables, pragma_table_info(tables.name) as columns
      where tables.type = 'table' and tables.name not like 'sqlite%' order by tables.name, columns.cid`.execute(db)
  return [...Map.groupBy(rows, ({ name }) => name)]
    .filter(([name]) => !apart.has(name))
    .map(([name, columns]) => ({
      name,
      columns: columns.map(({ column }) => column),
      key: columns
        .filter(({ place }) => place > 0)
        .toSorted((a, b) => a.place - b.place)
        .map(({ column }) => column),
    }))
}

const list = (columns: readonly string[]): RawBuilder<unknown> => sql.join(columns.map((column) => sql.ref(column)))

/** The next rows after `last` in key order, which is the same on both engines. */
async function nextRows(
  db: Db,
  { name, columns, key }: MovedTable,
  last: Row | undefined,
  limit: number,
): Promise<Row[]> {
  const behind = last ? sql`where (${list(key)}) > (${sql.join(key.map((column) => sql.val(last[column])))})` : sql``
  const { rows } = await sql<Row>`select ${list(columns)} from ${sql.table(name)} ${behind}
    order by ${list(key)} limit ${sql.lit(limit)}`.execute(db)
  return rows
}

/** The rows of a table in pieces of a few MiB at most, unless a single row is larger. */
export async function* piecesOf(db: Db, table: MovedTable): AsyncGenerator<{ rows: Row[]; json: string }> {
  let limit = rowsAtFirst
  for (let last: Row | undefined; ; ) {
    const rows = await nextRows(db, table, last, limit)
    if (rows.length === 0) return
    last = rows.at(-1)
    const json = JSON.stringify(rows)
    yield { rows, json }
    if (rows.length < limit) return
    if (json.length > charactersMax) limit = Math.max(1, limit >> 1)
    else if (json.length < charactersMax / 4) limit = Math.min(rowsMax, limit * 2)
  }
}

const rowsAtFirst = 20
const rowsMax = 2_000
const charactersMax = 2 * 1024 * 1024
