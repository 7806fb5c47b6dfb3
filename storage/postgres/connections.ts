/** Connections to one PostgreSQL database, each call with a bound on its time. */
import { type ReservedSQL, SQL } from 'bun'
import { StoreUnavailable } from '../errors.ts'
import { isUnstorable, storeFailure } from './failures.ts'

/** A statement that takes longer is given up by the server, */
const statementMs = 10_000
/** and so is one that waits longer for a lock. */
const lockMs = 5_000
/** Past this a call fails here, whatever becomes of the server: one that is frozen does not answer at all. */
export const clientMs = 15_000
/** A server that stops in the middle of a transaction keeps its locks for so long. */
const idleMs = 4_000
/** In seconds. */
const connectS = 5
/** For reads; the writer has one of its own. */
const connectionsMax = 9

export type Parameters = readonly unknown[]
type Row = Record<string, unknown>

/** The rows that a statement gave, and how many it has touched. */
export interface Answer<Found = Row> {
  rows: Found[]
  touched: number
}

/** As SQLite gives them: whole numbers, which the store keeps below 2^53, and 1 and 0 for true and false. */
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

/** No text here has U+0000, so that none is found by such a text, nor by what stands for it: no id has that character. */
const asStorable = (value: unknown) => (typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value)

/** Rejects with `StoreUnavailable` when the answer takes longer than the server has for it. */
export async function inTime<Value>(work: Promise<Value>, ms = clientMs): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new StoreUnavailable('The store does not answer.')), ms)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

/** One statement. Throws as PostgreSQL does. */
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
        // a server that was cut off is noticed within some 20 s, and its locks are free
        tcp_keepalives_idle: '10',
        tcp_keepalives_interval: '3',
        tcp_keepalives_count: '3',
      },
    })
  }

  /** Any connection, for one statement. Throws in the words of the store. */
  async ask<Found = Row>(sql: string, parameters: Parameters): Promise<Answer<Found>> {
    try {
      return await inTime(ask<Found>(this.#sql, sql, parameters))
    } catch (error) {
      const storable = parameters.map(asStorable)
      if (!isUnstorable(error) || !storable.some((value, at) => value !== parameters[at])) throw storeFailure(error)
      return this.ask(sql, storable)
    }
  }

  /** One connection, until it is released. Throws in the words of the store. */
  async reserve(): Promise<ReservedSQL> {
    try {
      return await inTime(this.#sql.reserve())
    } catch (error) {
      throw storeFailure(error)
    }
  }

  /** A connection beside these, which ends when it is closed. `onClose`: it has ended, in whatever way. */
  alone(onClose?: () => void): Connections {
    return new Connections(this.address, 1, onClose)
  }

  async close({ timeout = 5 } = {}) {
    await this.#sql.close({ timeout })
  }
}
