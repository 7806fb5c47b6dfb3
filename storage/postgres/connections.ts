/** Connections to one PostgreSQL database; every call has a timeout. */
import { type ReservedSQL, SQL } from 'bun'
import { StoreUnavailable } from '../errors.ts'
import { isUnstorable, storeFailure } from './failures.ts'

/** PostgreSQL cancels a statement that takes longer. */
const statementMs = 10_000
/** PostgreSQL cancels a statement that waits longer for a lock. */
const lockMs = 5_000
/** The client's own timeout for a call, since a frozen server does not answer at all. */
const clientMs = 15_000
/** How long a Troupe server that freezes in the middle of a transaction keeps its locks. */
const idleMs = 4_000
/** The timeout for a new connection, in seconds. */
const connectS = 5
/** The size of the pool for reads; the writer has its own connections. */
const connectionsMax = 9

export type Parameters = readonly unknown[]
type Row = Record<string, unknown>

/** The rows that a statement returned, and the number of rows that it touched. */
export interface Answer<Found = Row> {
  rows: Found[]
  touched: number
}

/**
 * Converts values to those that SQLite returns: `bigint` to a number, since the store keeps integers below 2^53, and
 * true and false to 1 and 0.
 */
function plain(rows: Row[]): Row[] {
  for (const row of rows) {
    for (const column in row) {
      const value = row[column]
      if (typeof value === 'bigint') row[column] = Number(value)
      else if (typeof value === 'boolean') row[column] = Number(value)
    }
  }
  return rows
}

/**
 * PostgreSQL cannot store U+0000 in a text. With U+FFFD in its place a parameter matches nothing: no id has that
 * character.
 */
const asStorable = (value: unknown) => (typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value)

/** Rejects with `StoreUnavailable` if the work takes longer than `ms`, by default the client's timeout. */
export async function inTime<Value>(work: Promise<Value>, ms = clientMs): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new StoreUnavailable('The store does not answer.')), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Executes one statement. Throws PostgreSQL's errors. */
export async function ask<Found = Row>(
  on: Pick<SQL, 'unsafe'>,
  sql: string,
  parameters: Parameters = [],
): Promise<Answer<Found>> {
  const answer = await on.unsafe(sql, parameters as unknown[])
  return { rows: plain([...answer]) as Found[], touched: answer.count ?? 0 }
}

export class Connections {
  readonly #sql: SQL

  constructor(
    private readonly address: string,
    max = connectionsMax,
    onClose = () => {},
  ) {
    this.#sql = new SQL({
      url: address,
      max,
      onclose: onClose,
      bigint: true,
      connectionTimeout: connectS,
      connection: {
        application_name: 'troupe',
        statement_timeout: String(statementMs),
        lock_timeout: String(lockMs),
        idle_in_transaction_session_timeout: String(idleMs),
        search_path: 'public',
        // so that PostgreSQL notices a disconnected server within about 20 s and frees its locks
        tcp_keepalives_idle: '10',
        tcp_keepalives_interval: '3',
        tcp_keepalives_count: '3',
      },
    })
  }

  /** Executes one statement on any connection of the pool. Throws the store's errors. */
  async ask<Found = Row>(sql: string, parameters: Parameters): Promise<Answer<Found>> {
    try {
      return await inTime(ask<Found>(this.#sql, sql, parameters))
    } catch (error) {
      const storable = parameters.map(asStorable)
      if (!isUnstorable(error) || !storable.some((value, at) => value !== parameters[at])) throw storeFailure(error)
      return this.ask(sql, storable)
    }
  }

  /** Reserves a connection until it is released. Throws the store's errors. */
  async reserve(): Promise<ReservedSQL> {
    try {
      return await inTime(this.#sql.reserve())
    } catch (error) {
      throw storeFailure(error)
    }
  }

  /** Opens a connection outside the pool. `onClose` is called when it ends, for any reason. */
  alone(onClose?: () => void): Connections {
    return new Connections(this.address, 1, onClose)
  }

  async close({ timeout = 5 } = {}) {
    await this.#sql.close({ timeout })
  }
}
