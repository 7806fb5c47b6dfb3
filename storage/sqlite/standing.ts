/** A store's file as a whole, while a server may be at work on it: copied, and checked. Neither writes to it. */
import { Database } from 'bun:sqlite'
import { migrations } from '../migrations.ts'

/** How long another process's lock is waited for. */
const busyTimeoutMs = 10_000
/** More is one trouble told often. */
const problemsMax = 100

/** What is in the log of the store, too; the file itself is written to by nothing here. */
function openAlone(path: string): Database {
  const database = new Database(path, { readwrite: true, create: false, strict: true })
  database.run(`pragma busy_timeout = ${busyTimeoutMs}`)
  return database
}

/** Writes the store as it is at one moment into `copy`, which is empty or not there; synced when it returns. */
export function copyStore(path: string, copy: string): void {
  const database = openAlone(path)
  try {
    database.prepare('vacuum into ?').run(copy)
  } finally {
    database.close()
  }
}

/** What is wrong with a store, a line each; nothing when it is sound. */
export function problemsOf(path: string): string[] {
  const database = openAlone(path)
  try {
    database.run('pragma query_only = on')
    const found = database
      .query<{ integrity_check: string }, []>(`pragma integrity_check(${problemsMax})`)
      .all()
      .map(({ integrity_check }) => integrity_check)
      .filter((line) => line !== 'ok')
    const references = database
      .query<{ table: string; rowid: number; parent: string }, []>('pragma foreign_key_check')
      .all()
      .slice(0, problemsMax)
      .map(({ table, rowid, parent }) => `row ${rowid} of ${table} refers to a row of ${parent} that is not there`)
    return [...found, ...references, ...migrationProblems(database)]
  } finally {
    database.close()
  }
}

/** How the migrations of the store differ from this program's. */
function migrationProblems(database: Database): string[] {
  const known = Object.keys(migrations)
  const tables = database.query("select 1 from sqlite_master where name = 'kysely_migration'").all()
  if (tables.length === 0) return ['it is no store of Troupe: it has had no migration']
  const done = database
    .query<{ name: string }, []>('select name from kysely_migration')
    .all()
    .map(({ name }) => name)
  return [
    ...done
      .filter((name) => !known.includes(name))
      .map((name) => `it has had ${name}, which this program does not know`),
    ...known
      .filter((name) => !done.includes(name))
      .map((name) => `it lacks ${name}, which a start of the server brings`),
  ]
}
