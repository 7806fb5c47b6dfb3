/**
 * The statements that store a change of a run: its row, what each of its moves stores (`change-parts.ts`), entries in the
 * Environment's history, and counts. Pure except for the statements it creates.
 */
import { isRunEnd } from '../../machines/run/states.ts'
import { openThread } from '../../storage/runs/conversations.ts'
import { admitRun, admitTurn, groupSizeMax, insertRunEvents, updateRun } from '../../storage/runs/runs.ts'
import type { Store } from '../../storage/store.ts'
import type { RunEventsRow, RunRow } from '../../storage/tables.ts'
import type { Applied } from '../runtime/kind.ts'
import { ChangeParts, type RunMove } from './change-parts.ts'
import { contextText } from './context.ts'
import type { Live, RunChange, RunRecord, RunSeed } from './record.ts'
import { recordEvents } from './records/history.ts'
import { timesAlong } from './statistics/chain-times.ts'
import { countCosts } from './statistics/costs.ts'
import { countChangeOf, sizeOf } from './statistics/counts.ts'
import { tallyEndings } from './statistics/endings.ts'
import { countChange, type MeteredPeriod, nothingReserved, type Reserved, tallyOf } from './statistics/usage.ts'
import type { StoredFrame } from './stream/frames.ts'
import { writeFrames } from './stream/stored-frames.ts'
import type { Earlier, RunTraces } from './traces/run-traces.ts'
import { waitingAlong } from './waiting.ts'

/** Inputs other than the change itself. */
interface Known {
  live: Live
  /** The billing period of the change; undefined if usage is not counted. */
  period: MeteredPeriod | undefined
  /** The statechart's version. */
  version: string
  /** null: traces are disabled. */
  traces?: Pick<RunTraces, 'writes'> | null
  /** The usage of earlier attempts, if the traces need it. */
  earlier?: readonly Earlier[] | undefined
  /** Whether the server has prices. */
  costed: boolean
  /** Whether other servers change runs too. */
  isShared: boolean
}

export function project(
  change: RunChange,
  store: Store,
  { live, period, version, traces, earlier, costed, isShared }: Known,
): Applied<RunRecord> {
  const tally = tallyOf(change)
  const row = nextRow(change, version, tally.reserved)
  const parts = new ChangeParts(change, store, { ...row, live, costed })
  for (const move of change.moves) parts.add(move)
  const { steps, frames } = parts

  const times = timesAlong(change, live.times)
  const groups = groupsOf(row.columns.id, frames.stored)
  const bytes = parts.bytes + steps.storedBytes + groups.reduce((sum, group) => sum + sizeOf(group.frames), 0)
  const counted = period
    ? countChangeOf(change, row.columns, bytes, store, isShared)
    : { columns: row.columns, waitingBytes: 0, writes: [] }
  const { columns } = counted
  const unit = [
    ...(change.before === null
      ? [
          ...admitRun(store, columns, change.timer ?? null, change.seed as RunSeed),
          ...openThread(store, columns, (change.seed as RunSeed).replaces ?? null),
        ]
      : change.version !== change.before.version
        ? [updateRun(store, { ...columns, from: change.before.version }, change.timer)]
        : []),
    ...(change.moves.some(isBegunByClient) ? admitTurn(store, columns) : []),
    ...parts.writes,
    ...steps.writes(store),
    ...groups.map((group) => insertRunEvents(store, group)),
    ...recordEvents(change, columns, store, [live.times, ...times]),
    ...tallyEndings(change, columns, store, times),
    ...waitingAlong(change, columns, store),
    ...counted.writes,
    ...(traces?.writes(change, columns, steps.ended, earlier) ?? []),
    ...countCosts(store, columns, steps.modelSteps, { at: change.at, periodStart: period?.start }),
    ...(period
      ? countChange(store, columns, {
          before: change.before?.row.row ?? nothingReserved,
          tally,
          tokens: steps.tokens,
          period,
          at: change.at,
        })
      : []),
  ]
  return {
    row: {
      row: columns,
      live: {
        lastSequence: frames.lastSequence,
        lastCheckpointSequence: parts.checkpointSequence,
        waitingBytes: counted.waitingBytes,
        openSteps: steps.open,
        times: times.at(-1) ?? live.times,
        input: change.state === 'queued' ? parts.inputOfChain : undefined,
      },
    },
    writes: unit,
    news: frames.frames,
  }
}

/** Whether an ended run begins another turn, other than with a message that was accepted while the run was active. */
const isBegunByClient = ({ event, from, to }: RunMove) =>
  event.type === 'continue' && event.inputId === undefined && from !== null && isRunEnd(from) && !isRunEnd(to)

function nextRow(change: RunChange, machineVersion: string, reserved: Reserved): { columns: RunRow; attempt: number } {
  const { before, state, context, version, moves, at } = change
  const last = moves.at(-1)
  const known = before?.row.row ?? (change.seed as RunSeed).row
  const completion = moves.findLast(({ event }) => event.outputDigest !== undefined)
  const rebinding = moves.findLast(({ event }) => event.binding !== undefined)
  if (before && version === before.version) return { columns: before.row.row, attempt: context.attempt }
  const columns: RunRow = {
    ...known,
    state,
    version,
    machine_version: machineVersion,
    context: contextText(context),
    binding: rebinding?.event.binding ?? known.binding,
    output_digest: completion?.event.outputDigest ?? known.output_digest,
    available_at: context.availableAt,
    content_removed_at: before?.row.row.content_removed_at ?? null,
    ...reserved,
    counted_bytes: before ? before.row.row.counted_bytes : 0,
    last_activity_kind: last?.event.type ?? 'create',
    last_activity_at: at,
    updated_at: at,
  }
  return { columns, attempt: context.attempt }
}

function groupsOf(runId: string, frames: readonly StoredFrame[]): RunEventsRow[] {
  const groups: RunEventsRow[] = []
  for (let start = 0; start < frames.length; start += groupSizeMax) {
    const group = frames.length <= groupSizeMax ? frames : frames.slice(start, start + groupSizeMax)
    const [first] = group[0] as StoredFrame
    const [last] = group.at(-1) as StoredFrame
    groups.push({ run_id: runId, first_sequence: first, last_sequence: last, frames: writeFrames(group) })
  }
  return groups
}
