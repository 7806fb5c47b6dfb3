/** Copies and checks a store's file, even while a server uses it. Neither function writes to the file. */
import { Database } from 'bun:sqlite'
import { migrations } from '../migrations.ts'
import { isNoDatabase } from './failures.ts'

/** How long to wait for another process's lock. */
const busyTimeoutMs = 10_000
/** The maximum number of problems that each check reports: more are usually the same one. */
const problemsMax = 100

/** Opens the store with its write-ahead log, for work that only reads. Throws an error with its path if it is not a database. */
function onFile<Value>(path: string, work: (database: Database) => Value): Value {
  try {
    const database = new Database(path, { readwrite: true, create: false, strict: true })
    try {
      database.run(`pragma busy_timeout = ${busyTimeoutMs}`)
      return work(database)
    } finally {
      database.close()
    }
  } catch (error) {
    if (isNoDatabase(error)) throw new Error(`${path} is not a SQLite database`, { cause: error })
    throw error
  }
}

/** Writes a consistent snapshot of the store to `copy`, which must be empty or absent; synced when it returns. */
export function copyStore(path: string, copy: string): void {
  onFile(path, (database) => {
    database.prepare('vacuum into ?').run(copy)
  })
}

/** The problems of a store, one line each; empty if it is sound. */
export function problemsOf(path: string): string[] {
  return onFile(path, (database) => {
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
  })
}

/** The differences between the store's migrations and this program's. */
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
