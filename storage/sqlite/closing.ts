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
  /** The further statements; undefined if there is only one. */
  others: unknown[] | undefined
}

/** The rows that a statement's text adds to. */
interface Rows {
  /** The latest one: for most statements it is the only one. */
  last: Sum
  /** All of them by key, if there are several. */
  byPlace: Map<string, Sum> | undefined
}

export class Closing {
  // by text first: an identical string object is found by its identity, while a concatenated key would be read completely
  readonly #sums = new Map<string, Rows>()
  readonly #named = new Map<string, Map<string, number>>()
  /** Conditions with a name; undefined for one that was checked in its place. */
  readonly #once: (Write | undefined)[] = []

  /** Whether it takes the statement over, which is then not executed in its place. */
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

  /** The row of the statement, if an earlier statement adds to it, too; otherwise notes the statement as the first. */
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
    // a condition that holds at its first place and after all units also held in between; otherwise the units are committed alone
    const isLookedAt = write.rows === 0
    places.set(name, this.#once.push(isLookedAt ? undefined : write) - 1)
    return !isLookedAt
  }

  /** The statements in order. */
  writes(): Write[] {
    const all: Write[] = []
    const bounded: Write[] = []
    for (const { last, byPlace } of this.#sums.values()) {
      for (const { write, sums, others } of byPlace?.values() ?? [last]) {
        const some = sums.isBounded ? bounded : all
        if (!others) some.push(write)
        // a statement that creates a row is not checked against the bound: only the first may create it
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
