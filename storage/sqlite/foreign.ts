/** Looks into a file of SQLite before anything is written to it or beside it. */
import { constants, Database } from 'bun:sqlite'
import { existsSync, realpathSync, statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { StoreRefused } from '../errors.ts'

/**
 * `Trpe` in SQLite's header: a store that has it is known without its schema, which takes SQLite five milliseconds to read
 * anew for each connection.
 */
const mark = 0x54727065

function isMarked(database: Database): boolean {
  const statement = database.prepare<{ application_id: number }, []>('pragma application_id')
  const found = statement.get()
  statement.finalize()
  return found?.application_id === mark
}

/** Marks the store. SQLite opens a file without write permission as read-only, and reports that only here. */
export function markOwn(database: Database): void {
  const isThere = isMarked(database)
  database.run('begin immediate')
  database.run(`pragma application_id = ${mark}`)
  database.run(isThere ? 'rollback' : 'commit')
}

/**
 * Throws `StoreRefused` for the database of another program. One statement, because another process may make the tables
 * of a new store right now.
 */
export function assertOwn(database: Database): void {
  if (isMarked(database)) return
  const statement = database.prepare<{ name: string }, []>(`
    select name from sqlite_master
    where type = 'table' and substr(name, 1, 7) not in ('sqlite_', 'kysely_')
      and not exists (select 1 from sqlite_master where name = 'kysely_migration')
    limit 1`)
  const found = statement.get()
  statement.finalize()
  if (!found) return
  throw new StoreRefused(
    `The store is the database of another program: it has a table ${found.name}. Name another path in TROUPE_STORE.`,
  )
}

const hasContent = (path: string) => existsSync(path) && statSync(path).size > 0

/**
 * Opens a database so that SQLite creates no files beside it. It does so only for a file that it may consider
 * immutable: then it ignores a log and a journal, and has to read them if there are any.
 */
function openUntouched(path: string): Database {
  if (hasContent(`${path}-wal`) || hasContent(`${path}-journal`)) return new Database(path, { readonly: true })
  const { SQLITE_OPEN_READONLY, SQLITE_OPEN_URI } = constants
  return new Database(`${pathToFileURL(path)}?immutable=1`, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
}

/** What `look` finds; undefined if it fails other than by `StoreRefused`: that is left to the opening of the store. */
function lookInto<Found>(path: string, look: (database: Database) => Found): Found | undefined {
  let database: Database | undefined
  try {
    // if the path is a link, SQLite's files are next to its target
    database = openUntouched(realpathSync(path))
    return look(database)
  } catch (error) {
    if (error instanceof StoreRefused) throw error
    return undefined
  } finally {
    database?.close()
  }
}

/** Like `assertOwn`, for a file. */
export function assertOwnFile(path: string): void {
  lookInto(path, assertOwn)
}

/** Whether the file is a store whose secrets are encrypted with a master key. */
export function hasCanary(path: string): boolean {
  if (!hasContent(path)) return false
  const count = (database: Database) => database.query<{ id: number }, []>('select id from canary').all().length
  return (lookInto(path, count) ?? 0) > 0
}
