/**
 * The Kysely dialect for Bun's SQLite driver. SQLite-only SQL stays in this folder. `kysely-bun-sqlite` could replace
 * this file, but requires an older Kysely.
 */
import type { Database } from 'bun:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { isLocked, storeFailure } from './failures.ts'
import type { Statements } from './statements.ts'

type Binding = string | number | bigint | boolean | null | Uint8Array

/** Replaces references with their long texts. */
type Resolve = <Row>(sql: string, rows: Row[]) => Row[]

/** Executes one statement on a database handle. */
class Connection implements DatabaseConnection {
  constructor(
    private readonly statements: Statements,
    private readonly resolve: Resolve,
  ) {}

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      const statement = this.statements.of(sql)
      const values = parameters as Binding[]
      if (statement.columnNames.length > 0) return { rows: this.resolve(sql, statement.all(...values) as Row[]) }
      const { changes, lastInsertRowid } = statement.run(...values)
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
    } catch (error) {
      throw storeFailure(error)
    }
  }

  // biome-ignore lint/correctness/useYield: Kysely asks for the method; nothing here streams from SQLite
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('SQLite answers a query at once; there is nothing to stream.')
  }
}

const askAgainMs = 10

/** SQLite allows one writer; Kysely's transactions (the migrations) wait for each other here. */
class SqliteDriver implements Driver {
  readonly #connection: Connection
  #turn: Promise<void> = Promise.resolve()
  #done: () => void = () => {}

  constructor(
    private readonly database: Database,
    private readonly statements: Statements,
    private readonly busyTimeoutMs: number,
    resolve: Resolve,
  ) {
    this.#connection = new Connection(statements, resolve)
  }

  async init() {}

  async acquireConnection() {
    const before = this.#turn
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#turn = promise
    await before
    this.#done = resolve
    return this.#connection
  }

  async beginTransaction() {
    const patience = performance.now() + this.busyTimeoutMs
    for (;;) {
      try {
        this.statements.of('begin immediate').run()
        return
      } catch (error) {
        if (!isLocked(error) || performance.now() >= patience) throw storeFailure(error)
        await Bun.sleep(askAgainMs)
      }
    }
  }
  async commitTransaction(connection: DatabaseConnection) {
    await connection.executeQuery(CompiledQuery.raw('commit'))
  }
  async rollbackTransaction(connection: DatabaseConnection) {
    // SQLite may have rolled back by itself, for instance on a full disk
    if (this.database.inTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'))
  }
  async releaseConnection() {
    this.#done()
  }
  async destroy() {}
}

/** Kysely's adapter would migrate without a transaction, but SQLite can roll back `create table`. */
class Adapter extends SqliteAdapter {
  override get supportsTransactionalDdl() {
    return true
  }
}

/** The dialect for an open database handle. The caller, who opened the handle, also closes it. */
export const sqliteDialect = (
  database: Database,
  statements: Statements,
  busyTimeoutMs: number,
  resolve: Resolve,
): Dialect => ({
  createAdapter: () => new Adapter(),
  createDriver: () => new SqliteDriver(database, statements, busyTimeoutMs, resolve),
  createIntrospector: (db: Kysely<unknown>): DatabaseIntrospector => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
})
