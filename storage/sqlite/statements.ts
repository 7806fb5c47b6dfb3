/** Caches prepared statements by their text. Bun's own cache keeps only the first twenty texts. */
import type { Database, Statement } from 'bun:sqlite'

/** The maximum number of statements: the code has few texts, and combinations of list filters add some. */
const sizeMax = 500

export class Statements {
  readonly #prepared = new Map<string, Statement>()

  constructor(private readonly database: Database) {}

  /** The statement for this text. If the cache is full, the oldest statement is discarded. */
  of(sql: string): Statement {
    const known = this.#prepared.get(sql)
    if (known) return known
    const statement = this.database.prepare(sql)
    for (const [text, oldest] of this.#prepared) {
      if (this.#prepared.size < sizeMax) break
      this.#prepared.delete(text)
      oldest.finalize()
    }
    this.#prepared.set(sql, statement)
    return statement
  }

  /** Finalizes all statements: open ones would keep the file open. */
  finalize() {
    for (const statement of this.#prepared.values()) statement.finalize()
    this.#prepared.clear()
  }
}
