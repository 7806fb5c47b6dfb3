/** Writes the statechart's context to a run's row, and reads it. */
import type { RunContext } from '../../machines/run.ts'
import { runStates } from '../../machines/run-states.ts'
import { DamagedRecord } from '../../storage/errors.ts'
import type { RunRow } from '../../storage/tables.ts'

const known: ReadonlySet<string> = new Set(runStates)

/** Values that a row leaves out: most runs have most of them, at least at their end. */
const absent = {
  lease: null,
  settled: null,
  activeMs: 0,
  activeSince: null,
  awaiting: [],
  stopRequested: false,
  cause: null,
  stopReason: null,
  startedAt: null,
  endedAt: null,
  contentRemoved: false,
  callCanceled: false,
} satisfies Partial<RunContext>
const absentFields = JSON.stringify(absent).slice(0, -1)

const isAbsent = (field: string, value: unknown): boolean =>
  field === 'awaiting' ? (value as unknown[]).length === 0 : field in absent && value === absent[field as never]

/** The context as it is stored. */
export function contextText(context: RunContext): string {
  const stored: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(context)) if (!isAbsent(field, value)) stored[field] = value
  return JSON.stringify(stored)
}

/** The JSON of the whole context. Rows of earlier versions have all fields: of two with the same name the last one counts. */
export const wholeContext = (text: string): string =>
  text.startsWith('{"') ? `${absentFields},${text.slice(1)}` : text

/** Throws `DamagedRecord` if the context cannot be read. */
export function contextOf({ id, state, context }: Pick<RunRow, 'id' | 'state' | 'context'>): RunContext {
  if (!known.has(state)) throw new DamagedRecord(`${id} has an unknown state.`)
  try {
    const parsed: unknown = JSON.parse(wholeContext(context))
    if (typeof parsed === 'object' && parsed !== null && 'attempt' in parsed) return parsed as RunContext
  } catch (cause) {
    throw new DamagedRecord(`The context of ${id} is not JSON.`, { cause })
  }
  throw new DamagedRecord(`The context of ${id} is not valid.`)
}
