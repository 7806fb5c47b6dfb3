/**
 * Kysely on Bun's own SQLite. SQL that only SQLite understands lives in this folder and nowhere else.
 * `kysely-bun-sqlite` wants an older Kysely; what it would save is this file.
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

type Binding = string | number | bigint | boolean | null | Uint8Array

/** Runs one statement on a database handle; `Database.query` keeps the prepared statement by its text. */
class Connection implements DatabaseConnection {
  constructor(private readonly database: Database) {}

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const statement = this.database.query(sql)
    const values = parameters as Binding[]
    if (statement.columnNames.length > 0) return { rows: statement.all(...values) as Row[] }
    const { changes, lastInsertRowid } = statement.run(...values)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  // biome-ignore lint/correctness/useYield: Kysely asks for the method; nothing here streams from SQLite
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('SQLite answers a query at once; there is nothing to stream.')
  }
}

/** SQLite takes one writer; Kysely's transactions (the migrations) wait for each other here. */
class SqliteDriver implements Driver {
  readonly #connection: Connection
  #turn: Promise<void> = Promise.resolve()
  #done: () => void = () => {}

  constructor(database: Database) {
    this.#connection = new Connection(database)
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

  async beginTransaction(connection: DatabaseConnection) {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }
  async commitTransaction(connection: DatabaseConnection) {
    await connection.executeQuery(CompiledQuery.raw('commit'))
  }
  async rollbackTransaction(connection: DatabaseConnection) {
    await connection.executeQuery(CompiledQuery.raw('rollback'))
  }
  async releaseConnection() {
    this.#done()
  }
  async destroy() {}
}

/** The dialect over an open database handle; closing the handle is its owner's work. */
export const sqliteDialect = (database: Database): Dialect => ({
  createAdapter: () => new SqliteAdapter(),
  createDriver: () => new SqliteDriver(database),
  createIntrospector: (db: Kysely<unknown>): DatabaseIntrospector => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
})
