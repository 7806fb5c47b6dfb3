/**
 * Moves a store from SQLite into an empty database in PostgreSQL, piece by piece, and compares what has arrived with what has
 * left: how many rows each table has, and a digest over them. A move that is interrupted leaves a database that no server
 * serves from; the next one begins again. The store that is moved is only read.
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

export interface Moved {
  tables: number
  rows: number
  /** SHA-256 over all rows of all tables, by their names. */
  digest: string
  /** Texts in which PostgreSQL's U+FFFD stands for U+0000, which it cannot store. */
  replaced: number
}

export interface MoveOptions {
  /** The file of a store that no server has open. */
  path: string
  /** `postgres://…` */
  to: string
  /** Hears what is being done. */
  progress?(doing: string): void
  signal?: AbortSignal
}

interface Sum {
  rows: number
  digest: string
}

/** PostgreSQL stores no U+0000 in a text. */
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

/** Of what a table has, and who else hears its pieces. */
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

/** Throws `StoreRefused` where one of the two is not fit for it, or what has arrived is not what has left. */
export async function moveStore({ path, to, progress = () => {}, signal }: MoveOptions): Promise<Moved> {
  if (!/^postgres(?:ql)?:/.test(to)) throw new StoreRefused('A store is moved to PostgreSQL: name it as postgres://….')
  // with the lock of a server, so that none writes meanwhile
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
      // hardly ever, so that the text is made twice only then
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
