/** The tables that a move copies: their columns, and the primary keys that order their rows. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { marker } from '../sqlite/long-texts.ts'

type Db = Kysely<unknown>

export interface MovedTable {
  name: string
  columns: readonly string[]
  /** Those that contain texts. */
  texts: readonly string[]
  /** The columns of the primary key, in key order. */
  key: readonly string[]
}

export type Row = Record<string, string | number | null>

/** Greater than every reference. */
const afterMarker = String.fromCharCode(marker.charCodeAt(0) + 1)

/** Not moved: PostgreSQL stores long texts whole in their rows, and each store records its own migrations. */
const apart = new Set(['text_pieces', 'loose_texts', 'kysely_migration', 'kysely_migration_lock'])

/** The tables of an SQLite store that are moved, ordered by name. */
export async function movedTables(db: Db): Promise<MovedTable[]> {
  const { rows } = await sql<{ name: string; column: string; type: string; place: number }>`
    select tables.name as name, columns.name as "column", lower(columns.type) as type, columns.pk as place
      from sqlite_master as tables, pragma_table_info(tables.name) as columns
      where tables.type = 'table' and tables.name not like 'sqlite%' order by tables.name, columns.cid`.execute(db)
  return [...Map.groupBy(rows, ({ name }) => name)]
    .filter(([name]) => !apart.has(name))
    .map(([name, columns]) => ({
      name,
      columns: columns.map(({ column }) => column),
      texts: columns.filter(({ type }) => type === 'text').map(({ column }) => column),
      key: columns
        .filter(({ place }) => place > 0)
        .toSorted((a, b) => a.place - b.place)
        .map(({ column }) => column),
    }))
}

const list = (columns: readonly string[]): RawBuilder<unknown> => sql.join(columns.map((column) => sql.ref(column)))

/** The part of a statement that reads the next rows after `last` in key order, which is the same on both engines. */
const next = ({ name, key }: MovedTable, last: Row | undefined, limit: number): RawBuilder<unknown> => {
  const behind = last ? sql`where (${list(key)}) > (${sql.join(key.map((column) => sql.val(last[column])))})` : sql``
  return sql`from ${sql.table(name)} ${behind} order by ${list(key)} limit ${sql.lit(limit)}`
}

/** The sizes of the next rows in bytes, of which only the lengths are read. */
async function nextSizes(db: Db, table: MovedTable, last: Row | undefined): Promise<number[]> {
  const sizes = table.texts.map((column) => {
    const text = sql.ref(column)
    // a text that SQLite stores apart has a reference in its place
    return sql`coalesce(octet_length(${text}), 0)
      + case when ${text} >= ${marker} and ${text} < ${afterMarker} then ${sql.lit(bytesMax)} else 0 end`
  })
  const size = sizes.length === 0 ? sql.lit(0) : sql.join(sizes, sql` + `)
  const { rows } = await sql<{ size: number }>`select ${size} as size ${next(table, last, rowsMax)}`.execute(db)
  return rows.map(({ size }) => Number(size))
}

/** The numbers of rows of these sizes that are a few MiB together, at least one each. */
function countsOf(sizes: readonly number[]): number[] {
  const counts: number[] = []
  let [count, bytes] = [0, 0]
  for (const size of sizes) {
    if (count > 0 && bytes + size > bytesMax) {
      counts.push(count)
      ;[count, bytes] = [0, 0]
    }
    count += 1
    bytes += size
  }
  return count > 0 ? [...counts, count] : counts
}

/** The rows of a table in pieces of a few MiB at most, unless a single row is larger. */
export async function* piecesOf(db: Db, table: MovedTable): AsyncGenerator<{ rows: Row[]; json: string }> {
  for (let last: Row | undefined; ; ) {
    const counts = countsOf(await nextSizes(db, table, last))
    if (counts.length === 0) return
    for (const count of counts) {
      const { rows } = await sql<Row>`select ${list(table.columns)} ${next(table, last, count)}`.execute(db)
      last = rows.at(-1)
      yield { rows, json: JSON.stringify(rows) }
    }
  }
}

const rowsMax = 2_000
const bytesMax = 2 * 1024 * 1024
