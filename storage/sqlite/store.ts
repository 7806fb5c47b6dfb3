/** The embedded store: one SQLite file, owned by one process. */
import { Database } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { Kysely } from 'kysely'
import { StoreRefused } from '../errors.ts'
import type { Query, Store, Write } from '../store.ts'
import type { Tables } from '../tables.ts'
import { sqliteDialect } from './dialect.ts'
import { storeFailure } from './failures.ts'
import { GroupCommitWriter } from './writer.ts'

export interface SqliteOptions {
  /** A file's path, or `:memory:`. */
  path: string
  /** How long a statement waits for another process's lock before it fails, in milliseconds. */
  busyTimeoutMs?: number
}

/**
 * Two servers on one file would each believe to own every lease. A lock on a file beside the store, held by an open
 * transaction, keeps the second one out; the operating system frees it with the process, however that ends.
 */
function lockOut(path: string): Database | undefined {
  if (path === ':memory:') return undefined
  const lock = new Database(`${path}.lock`)
  try {
    lock.run('pragma busy_timeout = 0')
    lock.run('begin exclusive')
    return lock
  } catch (cause) {
    lock.close()
    throw new StoreRefused(`The store ${path} is in use by another server.`, { cause })
  }
}

/** Opens the file, creating it and its folder where missing. Throws `StoreRefused`. */
export function openSqlite({ path, busyTimeoutMs = 2_000 }: SqliteOptions): Store {
  if (path !== ':memory:') {
    try {
      mkdirSync(dirname(path), { recursive: true })
    } catch (cause) {
      throw new StoreRefused(`The folder of the store ${path} cannot be created: ${(cause as Error).message}`, { cause })
    }
  }
  let database: Database
  let lock: Database | undefined
  try {
    lock = lockOut(path)
    database = new Database(path, { create: true, readwrite: true, strict: true })
    database.run(`pragma busy_timeout = ${busyTimeoutMs}`)
    database.run('pragma journal_mode = wal')
    // An acknowledged command survives power loss: every commit is synced.
    database.run('pragma synchronous = full')
    database.run('pragma foreign_keys = on')
    database.run('pragma cache_size = -65536')
    database.run('pragma wal_autocheckpoint = 4000')
  } catch (error) {
    lock?.close()
    if (error instanceof StoreRefused) throw error
    const failure = storeFailure(error) as Error
    throw new StoreRefused(`The store ${path} cannot be opened: ${failure.message}`, { cause: error })
  }
  return new SqliteStore(database, lock)
}

class SqliteStore implements Store {
  readonly engine = 'sqlite'
  readonly db: Kysely<Tables>
  readonly #writer: GroupCommitWriter

  constructor(
    private readonly database: Database,
    private readonly lock: Database | undefined,
  ) {
    this.db = new Kysely<Tables>({ dialect: sqliteDialect(database) })
    this.#writer = new GroupCommitWriter(database)
  }

  get statistics() {
    return this.#writer.statistics
  }

  async first<Row>({ sql, parameters }: Query<Row>): Promise<Row | undefined> {
    try {
      return (this.database.query(sql).get(...(parameters as (string | number | null)[])) as Row | null) ?? undefined
    } catch (error) {
      throw storeFailure(error)
    }
  }

  async all<Row>({ sql, parameters }: Query<Row>): Promise<Row[]> {
    try {
      return this.database.query(sql).all(...(parameters as (string | number | null)[])) as Row[]
    } catch (error) {
      throw storeFailure(error)
    }
  }

  commit(unit: readonly Write[]): Promise<void> {
    return this.#writer.commit(unit)
  }

  async ping() {
    await this.first({ sql: 'select 1', parameters: [] })
  }

  async close() {
    this.#writer.flush()
    this.#writer.abandon()
    await this.db.destroy()
    this.database.close()
    this.lock?.close()
  }
}
