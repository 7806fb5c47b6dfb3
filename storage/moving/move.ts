/**
 * Moves a store from SQLite into an empty PostgreSQL database, in pieces, and compares the row count and a digest of
 * each table on both sides. An interrupted move leaves a database that no server accepts; the next move starts again.
 * The source is only read.
 */
import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import { StoreRefused } from '../errors.ts'
import { assertMigrated } from '../migrations.ts'
import { openPostgres } from '../postgres/store.ts'
import { openSqlite } from '../sqlite/store.ts'
import type { Store } from '../store.ts'
import { type MovedTable, movedTables, piecesOf, type Row } from './tables.ts'
import { Target } from './target.ts'

type Db = Kysely<unknown>

interface Moved {
  tables: number
  rows: number
  /** SHA-256 over all rows of all tables, in the order of the table names. */
  digest: string
  /** The number of texts in which U+0000, which PostgreSQL cannot store, was replaced with U+FFFD. */
  replaced: number
}

interface MoveOptions {
  /** The file of a store that no server has open. */
  path: string
  /** `postgres://…` */
  to: string
  /** Receives the progress. */
  progress?(doing: string): void
  signal?: AbortSignal
}

interface Sum {
  rows: number
  digest: string
}

/** Replaces U+0000, which PostgreSQL cannot store, in the texts of a row. Returns the number of texts changed. */
function storable(row: Row): number {
  let replaced = 0
  for (const column in row) {
    const value = row[column]
    if (typeof value !== 'string' || !value.includes('\0')) continue
    row[column] = value.replaceAll('\0', '\ufffd')
    replaced += 1
  }
  return replaced
}

/** Counts a table's rows and computes their digest. Calls `each` with every piece before hashing it. */
async function sumOf(
  db: Db,
  table: MovedTable,
  signal: AbortSignal | undefined,
  each: (piece: { rows: Row[]; json: string }) => Promise<void> = async () => {},
): Promise<Sum> {
  const hash = createHash('sha256')
  let count = 0
  for await (const piece of piecesOf(db, table)) {
    signal?.throwIfAborted()
    await each(piece)
    for (const row of piece.rows) hash.update(`${JSON.stringify(table.columns.map((column) => row[column]))}\n`)
    count += piece.rows.length
  }
  return { rows: count, digest: hash.digest('hex') }
}

/** Throws `StoreRefused` if one of the stores is unsuitable, or if the two differ afterwards. */
export async function moveStore({ path, to, progress = () => {}, signal }: MoveOptions): Promise<Moved> {
  if (!/^postgres(?:ql)?:/.test(to)) throw new StoreRefused('A store is moved to PostgreSQL: name it as postgres://….')
  // takes a server's lock, so that no server writes meanwhile
  const source = openSqlite({ path })
  try {
    await assertMigrated(source)
    const arriving = await openPostgres(to, { waitMs: 0 })
    try {
      return await move(source, arriving, progress, signal)
    } finally {
      await arriving.close()
    }
  } finally {
    await source.close()
  }
}

async function move(
  source: Store,
  arriving: Store,
  progress: (doing: string) => void,
  signal: AbortSignal | undefined,
): Promise<Moved> {
  const from = source.db as unknown as Db
  const tables = await movedTables(from)
  const target = new Target(arriving)
  progress('Making the tables')
  await target.prepare()
  const left = new Map<string, Sum>()
  let replaced = 0
  for (const table of tables) {
    progress(`Copying ${table.name}`)
    await target.empty(table)
    const sum = await sumOf(from, table, signal, async ({ rows, json }) => {
      // rare, so the JSON is built a second time only here
      const found = json.includes('\\u0000') ? rows.reduce((count, row) => count + storable(row), 0) : 0
      replaced += found
      await target.insert(table, found > 0 ? JSON.stringify(rows) : json)
    })
    left.set(table.name, sum)
  }
  progress('Checking references')
  await target.finish()
  const whole = createHash('sha256')
  let rows = 0
  for (const table of tables) {
    progress(`Comparing ${table.name}`)
    const sent = left.get(table.name) as Sum
    const arrived = await sumOf(target.db, table, signal)
    if (arrived.rows !== sent.rows || arrived.digest !== sent.digest) {
      throw new StoreRefused(
        `What arrived in ${table.name} is not what has left: ${arrived.rows} rows instead of ${sent.rows}, or others.`,
      )
    }
    whole.update(`${table.name} ${sent.rows} ${sent.digest}\n`)
    rows += sent.rows
  }
  await target.release()
  return { tables: tables.length, rows, digest: `sha256:${whole.digest('hex')}`, replaced }
}
