/**
 * Counts an organization's active runs and the bytes stored for its runs: the UTF-8 text of inputs, stream, steps,
 * checkpoints and call results. Bytes of an active run are added up and counted from time to time, so that small
 * changes stay cheap. Source: contract 1, "Quotas".
 */
import { isRunEnd } from '../../../machines/run/states.ts'
import {
  addCountedBytes,
  countRuns,
  countRunsWithin,
  type RunCountsDelta,
  storedWithin,
} from '../../../storage/runs/run-counts.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { RunRow } from '../../../storage/tables.ts'
import type { RunChange, RunLimits, RunSeed } from '../record.ts'

/** The maximum of uncounted bytes in memory, which a crash, or a change at another server, may lose. */
const waitingBytesMax = 64 * 1024

/** The size of stored text in bytes. */
export const sizeOf = (text: string | null): number => (text === null ? 0 : Buffer.byteLength(text))

interface Counted {
  /** The run's row with its counted bytes. */
  columns: RunRow
  /** Bytes stored and not yet counted. */
  waitingBytes: number
  writes: Write[]
}

const lives = (state: string): boolean => !isRunEnd(state)

/** The organization's limits, for a start or a continue that sets them. */
function limitsOf({ before, seed, moves }: RunChange): RunLimits | undefined {
  if (before === null) return (seed as RunSeed).reservation?.limits
  return moves.find(({ event }) => event.reservation)?.event.reservation?.limits
}

/**
 * Whether the next change may come from another server, which does not know what was not counted here: from any, unless
 * the runner in this process works on the run.
 */
const passesOn = ({ context, moves }: RunChange): boolean =>
  context.lease?.runner?.tokenId !== null || moves.some(({ event }) => event.queued !== undefined)

/** `bytes`: the uncounted bytes including this change. `isShared`: whether other servers change runs too. */
export function countChangeOf(change: RunChange, row: RunRow, bytes: number, store: Store, isShared: boolean): Counted {
  const { before, state, version } = change
  const { organization_id, counted_bytes, id } = row
  const liveRuns = Number(lives(state)) - Number(before !== null && lives(before.state))
  // an older run without counts is counted as a whole once it has ended
  const isDue =
    liveRuns !== 0 ||
    state.startsWith('awaiting') ||
    bytes >= waitingBytesMax ||
    (isShared && bytes > 0 && passesOn(change))
  const storedBytes = isDue && counted_bytes !== null ? bytes : 0
  const delta = { organization_id, live_runs: liveRuns, stored_bytes: storedBytes }
  const writes = countDelta(store, delta, limitsOf(change))
  if (counted_bytes === null) return { columns: row, waitingBytes: 0, writes }
  if (storedBytes === 0) return { columns: row, waitingBytes: bytes, writes }
  if (before?.version === version) writes.push(addCountedBytes(store, { id, bytes: storedBytes }))
  return { columns: { ...row, counted_bytes: counted_bytes + storedBytes }, waitingBytes: 0, writes }
}

function countDelta(store: Store, delta: RunCountsDelta, limits: RunLimits | undefined): Write[] {
  const { organization_id, live_runs, stored_bytes } = delta
  const { liveRuns = null, storedBytes = null } = limits ?? {}
  const writes: Write[] = []
  if (live_runs > 0 && liveRuns !== null) writes.push(countRunsWithin(store, delta, liveRuns))
  else if (live_runs !== 0 || stored_bytes !== 0) writes.push(countRuns(store, delta))
  if (storedBytes !== null) writes.push(storedWithin(store, organization_id, storedBytes))
  return writes
}
