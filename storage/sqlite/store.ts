/** The embedded store: one SQLite file, owned by one process. */
import { Database } from 'bun:sqlite'
import { existsSync, realpathSync } from 'node:fs'
import { Kysely } from 'kysely'
import { StoreRefused } from '../errors.ts'
import { Pace, threadMs } from '../pace.ts'
import type { BackgroundStore, Query, Store, Write } from '../store.ts'
import type { Tables } from '../tables.ts'
import { CheckPoints } from './check-points.ts'
import { sqliteDialect } from './dialect.ts'
import { diskRefusal, isLocked, storeFailure } from './failures.ts'
import { prepareFiles } from './files.ts'
import { assertOwn, markOwn } from './foreign.ts'
import { hasLongText, LongTexts } from './long-texts.ts'
import { replacementGuard } from './replaced-file.ts'
import { Statements } from './statements.ts'
import { GroupCommitWriter } from './writer.ts'

interface SqliteOptions {
  /** The path of a file, or `:memory:`. */
  path: string
  /** How long a commit waits for another process's lock before it fails, in milliseconds. */
  busyTimeoutMs?: number
  /** Whether a server may have the store open at the same time: then the store must exist, and no lock is taken. */
  beside?: boolean
  /** Receives notes for the operator, one line each. */
  notice?(line: string): void
}

/**
 * Keeps a second server from opening the file, since each would believe that it owns every lease: an open transaction
 * locks a file next to the store, whichever link leads to it. The operating system releases the lock when the process
 * ends, for whatever reason.
 */
function lockOut(path: string): Database | undefined {
  if (path === ':memory:') return undefined
  const lock = new Database(`${realPath(path)}.lock`)
  try {
    lock.run('pragma busy_timeout = 0')
    lock.run('begin exclusive')
    return lock
  } catch (cause) {
    lock.close()
    if (!isLocked(cause)) throw cause
    throw new StoreRefused(`The store ${path} is in use by another server.`, { cause })
  }
}

/** If the path is a link, SQLite's files are next to its target. */
const realPath = (path: string): string => (existsSync(path) ? realpathSync(path) : path)

/** Opens the database file and configures the connection. */
function openFile(path: string, busyTimeoutMs: number, create: boolean): Database {
  const database = new Database(path, { create, readwrite: true, strict: true })
  try {
    database.run(`pragma busy_timeout = ${busyTimeoutMs}`)
    // before it gets a write-ahead log
    assertOwn(database)
    const mode = database.prepare<{ journal_mode: string }, []>('pragma journal_mode = wal')
    const isWal = mode.get()?.journal_mode === 'wal'
    mode.finalize()
    if (!isWal && path !== ':memory:') {
      throw new StoreRefused(`The store ${path} cannot be opened: its file system has no write-ahead log.`)
    }
    // an acknowledged command survives power loss: every commit is synced
    database.run('pragma synchronous = full')
    database.run('pragma foreign_keys = on')
    database.run('pragma cache_size = -65536')
    markOwn(database)
    // SQLite waits for a lock by blocking the thread; from here on the writer waits instead
    database.run('pragma busy_timeout = 5')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Opens the file; creates it and its folder if missing. Throws `StoreRefused`. */
export function openSqlite({ path, busyTimeoutMs = 2_000, beside = false, notice }: SqliteOptions): Store {
  const finding = path === ':memory:' || beside ? undefined : prepareFiles(path)
  if (finding) notice?.(finding)
  let lock: Database | undefined
  try {
    lock = beside ? undefined : lockOut(path)
    return new SqliteStore(path, openFile(path, busyTimeoutMs, !beside), lock, busyTimeoutMs)
  } catch (error) {
    lock?.close()
    if (error instanceof StoreRefused) throw error
    const failure = storeFailure(error) as Error
    throw (
      diskRefusal(path, error) ??
      new StoreRefused(`The store ${path} cannot be opened: ${failure.message}`, { cause: error })
    )
  }
}

class SqliteStore implements Store {
  readonly engine = 'sqlite'
  readonly db: Kysely<Tables>
  readonly background: BackgroundStore
  readonly #pace = new Pace({ used: threadMs })
  readonly #statements: Statements
  readonly #writer: GroupCommitWriter
  readonly #texts: LongTexts
  /** Undefined for a store in memory, which has no log. */
  readonly #checkPoints: CheckPoints | undefined

  constructor(
    path: string,
    private readonly database: Database,
    private readonly lock: Database | undefined,
    busyTimeoutMs: number,
  ) {
    this.#statements = new Statements(database)
    this.db = new Kysely<Tables>({
      dialect: sqliteDialect(database, this.#statements, busyTimeoutMs, (text, rows) =>
        this.#texts.resolve(text, rows),
      ),
    })
    const isFile = path !== ':memory:'
    const assertWritable = isFile ? replacementGuard(path) : undefined
    this.#writer = new GroupCommitWriter(database, this.#statements, busyTimeoutMs, this.#pace, assertWritable, () =>
      this.#checkPoints?.note(),
    )
    this.background = {
      db: this.db,
      first: (query) => this.#pace.read(() => this.#first(query)),
      all: (query) => this.#pace.read(() => this.#all(query)),
      commit: (unit) => this.#writer.commitBehind(unit),
      turn: (work) => this.#pace.turn(work),
    }
    this.#texts = new LongTexts(
      this,
      (unit) => this.#writer.commit(unit),
      (query) => this.#rows(query),
    )
    this.#checkPoints = isFile ? new CheckPoints(database, realPath(path), this.#writer) : undefined
  }

  get statistics() {
    return this.#writer.statistics
  }

  async first<Row>(query: Query<Row>): Promise<Row | undefined> {
    return this.#first(query)
  }

  async all<Row>(query: Query<Row>): Promise<Row[]> {
    return this.#all(query)
  }

  #first<Row>({ sql, parameters }: Query<Row>): Row | undefined {
    try {
      const row = this.#statements.of(sql).get(...(parameters as (string | number | null)[])) as Row | null
      return row === null ? undefined : this.#texts.resolve(sql, [row])[0]
    } catch (error) {
      throw storeFailure(error)
    }
  }

  #all<Row>(query: Query<Row>): Row[] {
    return this.#texts.resolve(query.sql, this.#rows(query))
  }

  #rows<Row>({ sql, parameters }: Query<Row>): Row[] {
    try {
      return this.#statements.of(sql).all(...(parameters as (string | number | null)[])) as Row[]
    } catch (error) {
      throw storeFailure(error)
    }
  }

  commit(unit: readonly Write[]): Promise<void> {
    return hasLongText(unit) ? this.#texts.commitLong(unit) : this.#writer.commit(unit)
  }

  sweepTexts(): Promise<number> {
    return this.#texts.sweep()
  }

  async ping() {
    await this.first({ sql: 'select 1', parameters: [] })
  }

  async close() {
    await this.#checkPoints?.close()
    this.#pace.end()
    this.#writer.close()
    await this.db.destroy()
    this.#statements.finalize()
    this.#emptyLog()
    this.database.close()
    this.lock?.close()
  }

  /**
   * Checkpoints and truncates the log, so that the next start has nothing to recover, even if another process has the
   * file open.
   */
  #emptyLog() {
    try {
      this.database.run('pragma wal_checkpoint(truncate)')
    } catch {
      // nothing is lost: the next start copies it
    }
  }
}
