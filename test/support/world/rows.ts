/** Rows of a server's store, from beside it, whichever engine keeps them. A test goes on when a statement has been carried out. */
import { Database, type SQLQueryBindings } from 'bun:sqlite'
import { addressOf } from '../engine.ts'
import { PostgresRows } from './postgres-rows.ts'

export interface Rows {
  run(sql: string, ...parameters: SQLQueryBindings[]): void
  all<Row>(sql: string, ...parameters: SQLQueryBindings[]): Row[]
  close(): void
}

/** Of the store that a server has at `file`, or in the database that stands for it. */
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
    // what is lost in a crash of the machine, no test would miss
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
