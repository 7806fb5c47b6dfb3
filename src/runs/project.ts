/**
 * The statements that store a change of a run: its row, inputs and results, reported steps and checkpoints, stream
 * frames, entries in the Environment's history, and counts. Pure except for the statements it creates.
 */
import type { QueuedInput, RunContext } from '../../machines/run.ts'
import { isRunEnd } from '../../machines/run-states.ts'
import { insertCallResult } from '../../storage/runs/call-results.ts'
import { insertCheckpoint } from '../../storage/runs/checkpoints.ts'
import { deleteQueuedInput, insertQueuedInput, openThread, putRunContext } from '../../storage/runs/conversations.ts'
import {
  admitRun,
  admitTurn,
  groupSizeMax,
  insertRunEvents,
  insertRunInput,
  updateRun,
} from '../../storage/runs/runs.ts'
import type { Store, Write } from '../../storage/store.ts'
import type { RunEventsRow, RunRow } from '../../storage/tables.ts'
import type { Applied } from '../runtime/kind.ts'
import { contextText } from './context.ts'
import { presentAwaiting, presentCheckpoint } from './present.ts'
import type { Live, RunChange, RunRecord, RunSeed } from './record.ts'
import { isWarning, presentWarning } from './records/budget-events.ts'
import { recordEvents } from './records/history.ts'
import { StepLedger } from './records/step-ledger.ts'
import type { StoredInput } from './records/stored-input.ts'
import type { Report } from './reports.ts'
import type { SettledCall } from './runner/protocol/protocol.ts'
import { timesAlong } from './statistics/chain-times.ts'
import { countCosts } from './statistics/costs.ts'
import { countChangeOf, sizeOf } from './statistics/counts.ts'
import { tallyEndings } from './statistics/endings.ts'
import { countChange, type MeteredPeriod, nothingReserved, type Reserved, tallyOf } from './statistics/usage.ts'
import { endingOf, FrameWriter, presentEnding, type StoredFrame, writtenEnding } from './stream/frames.ts'
import { writeFrames } from './stream/stored-frames.ts'
import type { Earlier, RunTraces } from './traces/run-traces.ts'
import { waitingAlong } from './waiting.ts'

type RunMove = RunChange['moves'][number]

/** Inputs up to this length stay in memory until they are leased. */
const keptInputMax = 2_048

/** States in which an attempt holds a machine, or is about to. */
const attemptStates = new Set(['acquiring', 'starting', 'running', 'canceling'])

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
  const frames = new FrameWriter(live.lastSequence, change.at)
  const steps = new StepLedger(live.openSteps, frames, change.at, change.before?.at ?? 0, costed)
  const writes: Write[] = []
  let checkpointSequence = live.lastCheckpointSequence
  let chain = change.before?.context.chain ?? 0
  let bytes = live.waitingBytes
  let digest = change.before?.row.row.output_digest ?? null
  let isWarned = change.before?.context.budgetWarned === true
  let queued = change.before?.context.queuedInputs ?? noInputs
  let inputOfChain = live.input

  const report = (given: Report) => {
    if (given.report === 'stepStarted') steps.start(given.row)
    else if (given.report === 'stepEnded') steps.end(given.agentStepId, given.ending)
    else if (given.report === 'metered') steps.meter(given.agentStepId, given.token_usage, given.cost)
    else if (given.report === 'checkpointed') {
      checkpointSequence += 1
      const checkpoint = { ...given.row, sequence: checkpointSequence }
      writes.push(insertCheckpoint(store, checkpoint))
      bytes += sizeOf(checkpoint.messages) + sizeOf(checkpoint.remainder)
      steps.noteCheckpoint(checkpoint.agent_step_id, checkpoint.checkpoint_id)
      const pointer = { checkpoint: checkpoint.checkpoint_id }
      const place = steps.placeOf(checkpoint.agent_step_id)
      frames.add('checkpoint.created', checkpoint.attempt, pointer, () => presentCheckpoint(checkpoint), place)
    } else {
      for (const { type, agentStepId, data } of given.deltas) {
        if (!steps.open.has(agentStepId)) continue
        const attempt = steps.attemptOf(agentStepId) ?? row.attempt
        frames.add(type, attempt, { data }, () => data, steps.placeOf(agentStepId))
      }
    }
  }

  for (const move of change.moves) {
    const { event, from, to } = move
    const context = move.context as unknown as RunContext
    // a model step that the budget does not allow does not begin
    if (event.type !== 'progressed' || from === to) for (const given of event.reports ?? []) report(given)
    digest = event.outputDigest ?? digest
    if (from !== null && attemptStates.has(from) && !attemptStates.has(to)) steps.closeAttempt(move)
    if (move.sequence !== null) frames.addTransition(move)
    if (event.rootStep) steps.start(event.rootStep)
    if (context.chain > chain) {
      const { input } = event.input ? event : (change.seed as RunSeed)
      const { context: given, ...applied } = input as StoredInput
      const body = JSON.stringify(applied)
      if (given) {
        const body = JSON.stringify(given)
        writes.push(putRunContext(store, { run_id: row.columns.id, body }))
        bytes += sizeOf(body)
      }
      writes.push(insertRunInput(store, { run_id: row.columns.id, chain: context.chain, body, created_at: change.at }))
      // a suspended step was already counted
      if (event.type !== 'continue' || event.inputId === undefined) bytes += sizeOf(body)
      chain = context.chain
      inputOfChain = body.length <= keptInputMax ? { chain, body } : undefined
    }
    const waiting = context.queuedInputs ?? noInputs
    if (waiting.length > 0 || queued.length > 0) {
      for (const { inputId } of missingIn(queued, waiting)) {
        const body = event.queued ?? ''
        const { type: by_type, id: by_id } = move.by
        writes.push(insertQueuedInput(store, { run_id: row.columns.id, input_id: inputId, body, by_type, by_id }))
        bytes += sizeOf(body)
      }
      for (const { inputId } of missingIn(waiting, queued)) {
        writes.push(deleteQueuedInput(store, { runId: row.columns.id, inputId }))
      }
      queued = waiting
    }
    for (const { toolCallId, outcome: settled } of settledBy(move)) {
      const outcome = JSON.stringify(settled)
      writes.push(
        insertCallResult(store, {
          run_id: row.columns.id,
          tool_call_id: toolCallId,
          outcome,
          created_at: change.at,
        }),
      )
      bytes += sizeOf(outcome)
      steps.settleCall(toolCallId, settled)
    }
    if (from !== to && from?.startsWith('awaiting')) steps.closeWaiting(to)
    if (from !== to && to.startsWith('awaiting')) {
      const data = presentAwaiting(context.awaiting)
      frames.add('input.requested', move.attempt, { data }, () => data)
    }
    if (isWarning(context, isWarned)) {
      isWarned = true
      const data = presentWarning(context)
      frames.add('budget.warning', move.attempt, { data }, () => data)
    }
    if (from !== to && isRunEnd(to)) {
      // later changes in the same unit of work continue from this value
      const now = { ...row.columns, output_digest: digest, last_activity_kind: event.type }
      const ending = endingOf(now, to, context)
      const stored = { ending: writtenEnding(ending, change.at) }
      frames.add('end', move.attempt, stored, () => presentEnding(row.columns, ending))
    }
  }

  const times = timesAlong(change, live.times)
  const groups = groupsOf(row.columns.id, frames.stored)
  bytes += steps.storedBytes + groups.reduce((sum, group) => sum + sizeOf(group.frames), 0)
  const counted = period
    ? countChangeOf(change, row.columns, bytes, store, isShared)
    : { columns: row.columns, waitingBytes: 0, writes: [] }
  const { columns } = counted
  const unit = [
    ...(change.before === null
      ? [
          ...admitRun(store, columns, change.timer ?? null),
          ...openThread(store, columns, (change.seed as RunSeed).replaces ?? null),
        ]
      : change.version !== change.before.version
        ? [updateRun(store, { ...columns, from: change.before.version }, change.timer)]
        : []),
    ...(change.moves.some(isBegunByClient) ? admitTurn(store, columns) : []),
    ...writes,
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
        lastCheckpointSequence: checkpointSequence,
        waitingBytes: counted.waitingBytes,
        openSteps: steps.open,
        times: times.at(-1) ?? live.times,
        input: change.state === 'queued' ? inputOfChain : undefined,
      },
    },
    writes: unit,
    news: frames.frames,
  }
}

const noInputs: readonly QueuedInput[] = []

/** Whether an ended run begins another turn, other than with a message that was accepted while the run was active. */
const isBegunByClient = ({ event, from, to }: RunMove) =>
  event.type === 'continue' && event.inputId === undefined && from !== null && isRunEnd(from) && !isRunEnd(to)

/** The waiting messages that are in the second list and not in the first. */
const missingIn = (some: readonly QueuedInput[], others: readonly QueuedInput[]) =>
  others.filter(({ inputId }) => !some.some((each) => each.inputId === inputId))

/** Calls settled from outside: by a continue, an external delegate, or the end of an approved call. */
function settledBy({ event }: RunMove): readonly SettledCall[] {
  if (event.type === 'delegateResult' || event.type === 'toolResult') {
    const { toolCallId, result, failure } = event
    return [{ toolCallId, outcome: failure ? { error: failure } : { result: result ?? null } }]
  }
  return event.results ?? []
}

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
