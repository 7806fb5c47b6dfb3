/** Prepared statements by their text. Bun's own cache keeps the first twenty texts only. */
import type { Database, Statement } from 'bun:sqlite'

/** Texts that come from code are few; filters of lists combine to some more. */
const sizeMax = 500

export class Statements {
  readonly #prepared = new Map<string, Statement>()

  constructor(private readonly database: Database) {}

  /** The statement of this text; the one that was prepared first makes room when there are too many. */
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

  /** A handle with statements left open would keep its file. */
  finalize() {
    for (const statement of this.#prepared.values()) statement.finalize()
    this.#prepared.clear()
  }
}
