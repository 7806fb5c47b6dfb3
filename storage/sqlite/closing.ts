/**
 * Collects the statements that run at the end of a transaction, for all of its units together: first the counters, one
 * addition per row, then the statements that check them, once each. A unit that is committed alone does the same with
 * its own. So a transaction of thirty runs updates their organization's row of counters once, not thirty times.
 */
import type { Write } from '../store.ts'
import { addTo, canBeAdded, isSamePlace, placeOf, type Sums, sumsOf } from '../sums.ts'

interface Sum {
  write: Write
  sums: Sums
  /** The sum of the later statements; undefined if there is only one statement. */
  others: unknown[] | undefined
}

/** The rows that statements with the same text add to. */
interface Rows {
  /** The row that was added to last; for most texts it is the only one. */
  last: Sum
  /** All rows by key, once there are several. */
  byPlace: Map<string, Sum> | undefined
}

export class Closing {
  // by text first: the same string object is found by identity, while a concatenated key would have to be read in full
  readonly #sums = new Map<string, Rows>()
  readonly #named = new Map<string, Map<string, number>>()
  /** The statements with `once`; undefined for one that was executed in place. */
  readonly #once: (Write | undefined)[] = []

  /** Returns true if it defers the statement to the end; otherwise the caller executes the statement in place. */
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

  /**
   * The entry for the statement's row, if an earlier statement adds to it; otherwise records this statement as the
   * first.
   */
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
    // a check (`rows` is 0) runs in its first place, and again at the end if it is repeated: if it holds at both, it
    // held in between; otherwise the units are committed alone
    const isLookedAt = write.rows === 0
    places.set(name, this.#once.push(isLookedAt ? undefined : write) - 1)
    return !isLookedAt
  }

  /** The deferred statements in the order of their execution. */
  writes(): Write[] {
    const all: Write[] = []
    const bounded: Write[] = []
    for (const { last, byPlace } of this.#sums.values()) {
      for (const { write, sums, others } of byPlace?.values() ?? [last]) {
        const some = sums.isBounded ? bounded : all
        if (!others) some.push(write)
        // an insert is not checked against the bound, so only the first statement may create the row
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
