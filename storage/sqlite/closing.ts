/**
 * What comes behind the other statements of a transaction, for all of its units together: counters, one addition for each
 * row, then what looks at them, once. A unit that is committed alone does the same with its own. So a transaction of thirty
 * runs changes the row of their organization's counters once, and not thirty times.
 */
import type { Write } from '../store.ts'
import { addTo, canBeAdded, isSamePlace, placeOf, type Sums, sumsOf } from '../sums.ts'

interface Sum {
  write: Write
  sums: Sums
  /** Of those behind the first; undefined where there is one. */
  others: unknown[] | undefined
}

/** The rows that a statement adds to. */
interface Rows {
  /** The one that was added to last: of most statements it is the only one. */
  last: Sum
  /** All of them by their places, once there are two. */
  byPlace: Map<string, Sum> | undefined
}

export class Closing {
  // by text first: a text that is the same object is found by its identity, and one put together would be read as a whole
  readonly #sums = new Map<string, Rows>()
  readonly #named = new Map<string, Map<string, number>>()
  /** Those with a name; undefined for a condition that was looked at in its place. */
  readonly #once: (Write | undefined)[] = []

  /** Whether it takes the statement, which is then not to be executed in its place. */
  takes(write: Write): boolean {
    if (write.once !== undefined) return this.#takesOnce(write, write.once)
    const sums = write.together === 'sums' ? sumsOf(write.sql) : null
    if (!sums || !canBeAdded(sums, write.parameters)) return false
    const known = this.#rowOf(write, sums)
    if (!known) return true
    if (known.others) addTo(sums, known.others, write.parameters)
    else known.others = [...write.parameters]
    return true
  }

  /** The row of the statement, if an earlier one adds to it too; else the statement is noted as its first. */
  #rowOf(write: Write, sums: Sums): Sum | undefined {
    const rows = this.#sums.get(write.sql)
    if (!rows) {
      this.#sums.set(write.sql, { last: { write, sums, others: undefined }, byPlace: undefined })
      return undefined
    }
    const { last } = rows
    if (isSamePlace(sums, last.write.parameters, write.parameters)) return last
    rows.byPlace ??= new Map([[placeOf(sums, last.write.parameters), last]])
    const place = placeOf(sums, write.parameters)
    const known = rows.byPlace.get(place)
    rows.last = known ?? { write, sums, others: undefined }
    if (!known) rows.byPlace.set(place, rows.last)
    return known
  }

  #takesOnce(write: Write, name: string): boolean {
    const places = within(this.#named, write.sql)
    const known = places.get(name)
    if (known !== undefined) {
      this.#once[known] = write
      return true
    }
    // a condition holds where it stands first, and behind all units: so it did for those in between, or they go alone
    const isLookedAt = write.rows === 0
    places.set(name, this.#once.push(isLookedAt ? undefined : write) - 1)
    return !isLookedAt
  }

  /** The statements in their order. */
  writes(): Write[] {
    const all: Write[] = []
    const bounded: Write[] = []
    for (const { last, byPlace } of this.#sums.values()) {
      for (const { write, sums, others } of byPlace?.values() ?? [last]) {
        const some = sums.isBounded ? bounded : all
        if (!others) some.push(write)
        // what begins a row is not held against its bound: the first alone may be that
        else if (sums.isBounded) some.push(write, { ...write, parameters: others })
        else {
          addTo(sums, others, write.parameters)
          some.push({ ...write, parameters: others })
        }
      }
    }
    return [...all, ...bounded, ...this.#once.filter((write) => write !== undefined)]
  }
}

function within<Value>(maps: Map<string, Map<string, Value>>, key: string): Map<string, Value> {
  const known = maps.get(key)
  if (known) return known
  const made = new Map<string, Value>()
  maps.set(key, made)
  return made
}
