/** Copies and checks a store's file, even while a server uses it. Neither function writes to the file. */
import { Database } from 'bun:sqlite'
import { migrations } from '../migrations.ts'
import { isDamage, isNoDatabase, isUnopened } from './failures.ts'

/** How long to wait for another process's lock. */
const busyTimeoutMs = 10_000
/** The maximum number of problems that each check reports: more are usually the same one. */
const problemsMax = 100

/** Opens the store with its write-ahead log, for work that only reads. Throws an error with its path if it cannot. */
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
    if (isDamage(error)) throw new Error(`${path} is damaged`, { cause: error })
    if (isUnopened(error)) throw new Error(`${path} cannot be opened: may this user read it?`, { cause: error })
    throw error
  }
}

/** Writes a consistent snapshot of the store to `copy`, which must be empty or absent; synced when it returns. */
export function copyStore(path: string, copy: string): void {
  onFile(path, (database) => {
    database.prepare('vacuum into ?').run(copy)
  })
}

/** What a check of a store finds. */
export interface Findings {
  /** Damage and broken references, one line each; empty if the store is sound. */
  damage: string[]
  /** Migrations that this program does not know: the store is newer. */
  unknown: string[]
  /** Migrations that the next start of a server applies: the store is older. */
  pending: string[]
}

/** Checks the whole store. */
export function findingsOf(path: string): Findings {
  return onFile(path, (database) => {
    database.run('pragma query_only = on')
    // damage may prevent any of the checks
    const damage = [integrityProblems, brokenReferences].flatMap((check) =>
      unlessDamaged(() => check(database), [unreadable]),
    )
    const done = unlessDamaged(() => migrationsOf(database), undefined)
    if (done === undefined) damage.push(unreadable)
    else if (done.length === 0) damage.push('it is no store of Troupe: it has had no migration')
    const known = Object.keys(migrations)
    return {
      damage: [...new Set(damage)],
      unknown: done?.filter((name) => !known.includes(name)) ?? [],
      pending: done?.length ? known.filter((name) => !done.includes(name)) : [],
    }
  })
}

const unreadable = 'parts of the file cannot be read'

/** The result of the work, or `otherwise` if damage prevents it. */
function unlessDamaged<Value, Otherwise>(work: () => Value, otherwise: Otherwise): Value | Otherwise {
  try {
    return work()
  } catch (error) {
    if (isDamage(error)) return otherwise
    throw error
  }
}

const integrityProblems = (database: Database): string[] =>
  database
    .query<{ integrity_check: string }, []>(`pragma integrity_check(${problemsMax})`)
    .all()
    .map(({ integrity_check }) => integrity_check)
    .filter((line) => line !== 'ok')

const brokenReferences = (database: Database): string[] =>
  database
    .query<{ table: string; rowid: number; parent: string }, []>('pragma foreign_key_check')
    .all()
    .slice(0, problemsMax)
    .map(({ table, rowid, parent }) => `row ${rowid} of ${table} refers to a row of ${parent} that is not there`)

/** The names of the migrations that the store has had. */
function migrationsOf(database: Database): string[] {
  const tables = database.query("select 1 from sqlite_master where name = 'kysely_migration'").all()
  if (tables.length === 0) return []
  return database
    .query<{ name: string }, []>('select name from kysely_migration order by name')
    .all()
    .map(({ name }) => name)
}
