/** Writes the statechart's context to a run's row, and reads it. */
import { runStates } from '../../machines/run/states.ts'
import type { RunContext } from '../../machines/run.ts'
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

/** The context as it is stored: without the fields above that have these values. */
export const contextText = (context: RunContext): string =>
  JSON.stringify({
    ...context,
    lease: context.lease ?? undefined,
    settled: context.settled ?? undefined,
    activeMs: context.activeMs || undefined,
    activeSince: context.activeSince ?? undefined,
    awaiting: context.awaiting.length > 0 ? context.awaiting : undefined,
    stopRequested: context.stopRequested || undefined,
    cause: context.cause ?? undefined,
    stopReason: context.stopReason ?? undefined,
    startedAt: context.startedAt ?? undefined,
    endedAt: context.endedAt ?? undefined,
    contentRemoved: context.contentRemoved || undefined,
    callCanceled: context.callCanceled || undefined,
  } satisfies Record<keyof typeof absent, unknown>)

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
