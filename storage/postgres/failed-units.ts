/** Finds the units of work at fault when a transaction of several fails. */
import { StaleWrite } from '../errors.ts'
import type { Write } from '../store.ts'
import { isOfOneUnit, storeFailure } from './failures.ts'
import type { Step } from './steps.ts'

/** Units of a transaction failed; the others may succeed without them. */
export class UnitsFailed extends Error {
  override readonly name = 'UnitsFailed'

  constructor(
    /** The failed units, by their indexes in the batch. */
    readonly failures: ReadonlyMap<number, unknown>,
    /** The units of a statement that failed for some of them. */
    readonly suspects: readonly number[],
    /** The unit at which PostgreSQL aborted the transaction; what happens after it is unknown. */
    readonly abortedAt: number | undefined,
  ) {
    super('Units of work failed.')
  }
}

type Settled = PromiseSettledResult<{ touched: number }>

/**
 * The number of rows that each step touched. Throws `UnitsFailed`, or an error that concerns all units. A unit that
 * fails beside others may do so because of one of them, which is not committed yet and may never be.
 */
export function touchedRows(steps: readonly Step[], results: readonly Settled[]): number[] {
  const failures = new Map<number, unknown>()
  const suspects: number[] = []
  const all: number[] = []
  const blame = ({ write, once, places }: Step, failure: unknown) => {
    // a merged statement tells only that one of its units is at fault, unless it is the same for all of them
    if (!write && !once) suspects.push(...places)
    else for (const place of places) if (!failures.has(place)) failures.set(place, failure)
  }
  let abortedAt: number | undefined
  for (const [at, step] of steps.entries()) {
    const result = results[at] as Settled
    if (result.status === 'rejected') {
      if (!isOfOneUnit(result.reason)) throw result.reason
      blame(step, storeFailure(result.reason))
      abortedAt = step.write && step.places[0]
      break
    }
    const { touched } = result.value
    all.push(touched)
    if (step.rows !== undefined && touched !== step.rows) blame(step, refusalOf(step, touched))
  }
  if (failures.size > 0 || suspects.length > 0) throw new UnitsFailed(failures, suspects, abortedAt)
  return all
}

function refusalOf({ write, once }: Step, touched: number): Error | undefined {
  const of: Write | undefined = write ?? once
  return (
    of &&
    (of.refusal?.() ?? new StaleWrite(`${touched} rows were touched instead of ${of.rows}: ${of.sql.slice(0, 80)}`))
  )
}
