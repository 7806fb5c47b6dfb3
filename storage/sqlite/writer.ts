/**
 * The group-commit writer. Units of work that arrive in one turn of the event loop share one transaction, so that a
 * hundred concurrent commands cost one fsync. When the transaction fails, its units are committed one by one, so that
 * one that fails does not fail its neighbours. Source: design 3, rule 5.
 */
import type { Database } from 'bun:sqlite'
import { StaleWrite, StoreUnavailable } from '../errors.ts'
import type { Write, WriterStatistics } from '../store.ts'
import { storeFailure } from './failures.ts'

interface Waiting {
  unit: readonly Write[]
  resolve: () => void
  reject: (reason: unknown) => void
}

/** A transaction holds the event loop; past this many units the rest waits for the next one. */
const unitsPerTransaction = 1_000

export class GroupCommitWriter {
  readonly statistics: WriterStatistics = { transactions: 0, units: 0, unitsMax: 0 }
  #waiting: Waiting[] = []
  #scheduled = false

  constructor(private readonly database: Database) {}

  /** Resolves when the unit is durable. */
  commit(unit: readonly Write[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ unit, resolve, reject })
      if (this.#scheduled) return
      this.#scheduled = true
      setImmediate(this.flush)
    })
  }

  /** Commits everything that waits, now. */
  readonly flush = () => {
    this.#scheduled = false
    while (this.#waiting.length > 0) {
      const batch =
        this.#waiting.length <= unitsPerTransaction ? this.#waiting : this.#waiting.slice(0, unitsPerTransaction)
      this.#waiting = batch === this.#waiting ? [] : this.#waiting.slice(unitsPerTransaction)
      this.#commitTogether(batch)
    }
  }

  #commitTogether(batch: Waiting[]) {
    try {
      this.#transaction(batch)
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(storeFailure(error))
      else for (const alone of batch) this.#commitTogether([alone])
      return
    }
    this.statistics.transactions += 1
    this.statistics.units += batch.length
    this.statistics.unitsMax = Math.max(this.statistics.unitsMax, batch.length)
    for (const { resolve } of batch) resolve()
  }

  #transaction(batch: readonly Waiting[]) {
    this.database.query('begin immediate').run()
    try {
      for (const { unit } of batch) for (const write of unit) this.#execute(write)
      this.database.query('commit').run()
    } catch (error) {
      // A disk that is full may have rolled back by itself; what matters is that no transaction stays open.
      if (this.database.inTransaction) this.database.query('rollback').run()
      throw error
    }
  }

  #execute({ sql, parameters, rows }: Write) {
    const { changes } = this.database.query(sql).run(...(parameters as (string | number | null)[]))
    if (rows !== undefined && changes !== rows) {
      throw new StaleWrite(`${changes} rows were touched instead of ${rows}: ${sql.slice(0, 80)}`)
    }
  }

  /** Refuses what still waits. */
  abandon() {
    const waiting = this.#waiting
    this.#waiting = []
    for (const { reject } of waiting) reject(new StoreUnavailable('The store is closing.'))
  }
}
