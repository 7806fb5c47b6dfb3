/** The Kysely dialect for Bun's PostgreSQL client. */
import type { ReservedSQL } from 'bun'
import {
  type AggregateFunctionNode,
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type RawNode,
} from 'kysely'
import { postgresNode } from '../by-engine.ts'
import { ask, type Connections } from './connections.ts'
import { storeFailure } from './failures.ts'
import { asPostgres } from './schema.ts'

class Connection implements DatabaseConnection {
  constructor(readonly reserved: ReservedSQL) {}

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      let result: QueryResult<Row> = { rows: [] }
      for (const text of asPostgres(sql)) {
        const { rows, touched } = await ask<Row>(this.reserved, text, parameters)
        result = { rows, numAffectedRows: BigInt(touched) }
      }
      return result
    } catch (error) {
      throw storeFailure(error)
    }
  }

  // biome-ignore lint/correctness/useYield: Kysely requires the method; nothing streams
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Streaming is not supported: lists are read page by page.')
  }
}

class PostgresDriver implements Driver {
  constructor(private readonly connections: Connections) {}

  async init() {}
  async acquireConnection() {
    return new Connection(await this.connections.reserve())
  }
  async beginTransaction(connection: Connection) {
    await connection.executeQuery(CompiledQuery.raw('begin'))
    // a migration may take long, and other servers wait for it
    for (const bound of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'])
      await connection.executeQuery(CompiledQuery.raw(`set local ${bound} = 0`))
  }
  async commitTransaction(connection: Connection) {
    await connection.executeQuery(CompiledQuery.raw('commit'))
  }
  async rollbackTransaction(connection: Connection) {
    await connection.executeQuery(CompiledQuery.raw('rollback'))
  }
  async releaseConnection({ reserved }: Connection) {
    await reserved.release()
  }
  async destroy() {}
}

/**
 * Compiles the PostgreSQL variant of SQL that differs by engine. Casts sums to `bigint`, because PostgreSQL returns a
 * sum of `bigint` as text.
 */
class Compiler extends PostgresQueryCompiler {
  protected override visitRaw(node: RawNode) {
    super.visitRaw(postgresNode(node))
  }

  protected override visitAggregateFunction(node: AggregateFunctionNode) {
    const isSum = node.func === 'sum'
    if (isSum) this.append('cast(')
    super.visitAggregateFunction(node)
    if (isSum) this.append(' as bigint)')
  }
}

export const postgresDialect = (connections: Connections): Dialect => ({
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new PostgresDriver(connections),
  createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
  createQueryCompiler: () => new Compiler(),
})
