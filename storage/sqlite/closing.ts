/**
 * What comes behind the other statements of a transaction, for all of its units together: counters, one addition for each
 * row, then what looks at them, once. A unit that is committed alone does the same with its own. So a transaction of thirty
 * runs changes the row of their organization's counters once, and not thirty times.
 */
import type { Write } from '../store.ts'
import { addTo, canBeAdded, placeOf, type Sums, sumsOf } from '../sums.ts'

interface Sum {
  write: Write
  sums: Sums
  /** Of those behind the first; undefined where there is one. */
  others: unknown[] | undefined
}

export class Closing {
  readonly #sums = new Map<string, Sum>()
  /** Undefined for a condition that was looked at in its place. */
  readonly #once = new Map<string, Write | undefined>()

  /** Whether it takes the statement, which is then not to be executed in its place. */
  takes(write: Write): boolean {
    if (write.once !== undefined) {
      const name = `${write.once}\n${write.sql}`
      // a condition holds where it stands first, and behind all units: so it did for those in between, or they go alone
      const isFirst = write.rows === 0 && !this.#once.has(name)
      this.#once.set(name, isFirst ? undefined : write)
      return !isFirst
    }
    const sums = write.together === 'sums' ? sumsOf(write.sql) : null
    if (!sums || !canBeAdded(sums, write.parameters)) return false
    const place = placeOf(sums, write.parameters) + write.sql
    const known = this.#sums.get(place)
    if (!known) this.#sums.set(place, { write, sums, others: undefined })
    else if (known.others) addTo(sums, known.others, write.parameters)
    else known.others = [...write.parameters]
    return true
  }

  /** The statements in their order. */
  writes(): Write[] {
    const all: Write[] = []
    const bounded: Write[] = []
    for (const { write, sums, others } of this.#sums.values()) {
      const some = sums.isBounded ? bounded : all
      if (!others) some.push(write)
      // what begins a row is not held against its bound: the first alone may be that
      else if (sums.isBounded) some.push(write, { ...write, parameters: others })
      else {
        addTo(sums, others, write.parameters)
        some.push({ ...write, parameters: others })
      }
    }
    return [...all, ...bounded, ...[...this.#once.values()].filter((write) => write !== undefined)]
  }
}
