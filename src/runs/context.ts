/** Reads the statechart's context from a run's row. */
import type { RunContext } from '../../machines/run.ts'
import { runStates } from '../../machines/run-states.ts'
import { DamagedRecord } from '../../storage/errors.ts'
import type { RunRow } from '../../storage/tables.ts'

const known: ReadonlySet<string> = new Set(runStates)

/** Throws `DamagedRecord` if the context cannot be read. */
export function contextOf({ id, state, context }: Pick<RunRow, 'id' | 'state' | 'context'>): RunContext {
  if (!known.has(state)) throw new DamagedRecord(`${id} has an unknown state.`)
  try {
    const parsed: unknown = JSON.parse(context)
    if (typeof parsed === 'object' && parsed !== null && 'awaiting' in parsed) return parsed as RunContext
  } catch (cause) {
    throw new DamagedRecord(`The context of ${id} is not JSON.`, { cause })
  }
  throw new DamagedRecord(`The context of ${id} is not valid.`)
}
