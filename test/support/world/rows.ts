/**
 * Direct access to the rows of a server's store, on either engine. Each statement has been executed when the call
 * returns.
 */
import { Database, type SQLQueryBindings } from 'bun:sqlite'
import { addressOf } from '../stores/engine.ts'
import { PostgresRows } from './postgres-rows.ts'

export interface Rows {
  run(sql: string, ...parameters: SQLQueryBindings[]): void
  all<Row>(sql: string, ...parameters: SQLQueryBindings[]): Row[]
  close(): void
}

/** The rows of the store at `file`, or of the database in its place. */
export function openRows(file: string): Rows {
  const address = addressOf(file)
  return address.startsWith('sqlite:') ? new FileRows(file) : new PostgresRows(address)
}

class FileRows implements Rows {
  readonly #database: Database

  constructor(file: string) {
    this.#database = new Database(file, { readwrite: true, strict: true })
    this.#database.run('pragma busy_timeout = 5000')
    this.#database.run('pragma foreign_keys = on')
    // no test would notice what a crash of the machine loses
    this.#database.run('pragma synchronous = off')
  }

  run(sql: string, ...parameters: SQLQueryBindings[]) {
    this.#database.query(sql).run(...parameters)
  }

  all<Row>(sql: string, ...parameters: SQLQueryBindings[]): Row[] {
    return this.#database.query<Row, SQLQueryBindings[]>(sql).all(...parameters)
  }

  close() {
    this.#database.close()
  }
}
