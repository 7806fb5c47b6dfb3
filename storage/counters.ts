/**
 * Integer ids, unique in the store. A process reserves a range of ids at a time, so that taking an id needs no query.
 * Ids that are left over when the process ends are never used.
 */
import { StaleWrite } from './errors.ts'
import { rowsOf } from './rows.ts'
import { write } from './statement.ts'
import type { Store } from './store.ts'

const counters = rowsOf('counters', 'name')

const rangeSize = 10_000

const createCounter = write((db, values: { name: string }) =>
  db
    .insertInto('counters')
    .values({ name: values.name, next: 1 })
    .onConflict((conflict) => conflict.doNothing()),
)
const readCounter = counters.only('next').find()
const advanceCounter = write(
  (db, values: { name: string; from: number; to: number }) =>
    db.updateTable('counters').set({ next: values.to }).where('name', '=', values.name).where('next', '=', values.from),
  1,
)

export class Counter {
  #next = 0
  #end = 0
  #refill: Promise<void> | undefined

  constructor(
    private readonly store: Store,
    private readonly name: string,
  ) {}

  /** The next id; a promise only if a new range has to be reserved first. */
  take(): number | Promise<number> {
    if (this.#next < this.#end) return this.#next++
    return this.#takeAfterRefill()
  }

  async #takeAfterRefill(): Promise<number> {
    while (this.#next >= this.#end) {
      this.#refill ??= this.#takeRange().finally(() => {
        this.#refill = undefined
      })
      await this.#refill
    }
    return this.#next++
  }

  async #takeRange() {
    for (;;) {
      await this.store.commit([createCounter(this.store, { name: this.name })], null)
      const from = (await this.store.first(readCounter(this.store, { name: this.name })))?.next ?? 1
      try {
        await this.store.commit([advanceCounter(this.store, { name: this.name, from, to: from + rangeSize })], null)
        this.#next = from
        this.#end = from + rangeSize
        return
      } catch (error) {
        if (!(error instanceof StaleWrite)) throw error
      }
    }
  }
}
