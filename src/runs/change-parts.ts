/**
 * What the moves of one change of a run store besides its row: inputs, waiting messages, results of calls, checkpoints,
 * steps, and the frames of its stream.
 */
import { isRunEnd } from '../../machines/run/states.ts'
import type { QueuedInput, RunContext } from '../../machines/run.ts'
import { insertCallResult } from '../../storage/runs/call-results.ts'
import { insertCheckpoint } from '../../storage/runs/checkpoints.ts'
import { deleteQueuedInput, insertQueuedInput, putRunContext } from '../../storage/runs/conversations.ts'
import { insertRunInput } from '../../storage/runs/runs.ts'
import type { Store, Write } from '../../storage/store.ts'
import type { RunRow } from '../../storage/tables.ts'
import { presentAwaiting, presentCheckpoint } from './present.ts'
import type { Live, RunChange, RunSeed } from './record.ts'
import { isWarning, presentWarning } from './records/budget-events.ts'
import { StepLedger } from './records/step-ledger.ts'
import type { StoredInput } from './records/stored-input.ts'
import type { Report } from './reports.ts'
import type { SettledCall } from './runner/protocol/protocol.ts'
import { sizeOf } from './statistics/counts.ts'
import { endingOf, FrameWriter, presentEnding, writtenEnding } from './stream/frames.ts'

export type RunMove = RunChange['moves'][number]

/** Inputs up to this length stay in memory until they are leased. */
const keptInputMax = 2_048

/** States in which an attempt holds a machine, or is about to. */
const attemptStates = new Set(['acquiring', 'starting', 'running', 'canceling'])

const noInputs: readonly QueuedInput[] = []

interface Known {
  /** The run's row after the change, without counts. */
  columns: RunRow
  /** The attempt after the change. */
  attempt: number
  live: Live
  /** Whether the server has prices. */
  costed: boolean
}

export class ChangeParts {
  readonly writes: Write[] = []
  readonly frames: FrameWriter
  readonly steps: StepLedger
  /** The number of the last checkpoint. */
  checkpointSequence: number
  /** Stored bytes that are not counted yet, without those of steps and frames. */
  bytes: number
  /** The input of the newest chain, if it is small. */
  inputOfChain: Live['input']
  readonly #columns: RunRow
  readonly #attempt: number
  #chain: number
  #outputDigest: string | null
  #isWarned: boolean
  #queued: readonly QueuedInput[]

  constructor(
    private readonly change: RunChange,
    private readonly store: Store,
    { columns, attempt, live, costed }: Known,
  ) {
    const { before, at } = change
    this.#columns = columns
    this.#attempt = attempt
    this.frames = new FrameWriter(live.lastSequence, at)
    this.steps = new StepLedger(live.openSteps, this.frames, at, before?.at ?? 0, costed)
    this.checkpointSequence = live.lastCheckpointSequence
    this.bytes = live.waitingBytes
    this.inputOfChain = live.input
    this.#chain = before?.context.chain ?? 0
    this.#outputDigest = before?.row.row.output_digest ?? null
    this.#isWarned = before?.context.budgetWarned === true
    this.#queued = before?.context.queuedInputs ?? noInputs
  }

  /** Moves are added in their order: it is that of the frames. */
  add(move: RunMove): void {
    const { event, from, to, context } = move
    // a model step that the budget does not allow does not begin
    if (event.type !== 'progressed' || from === to) for (const report of event.reports ?? []) this.#report(report)
    this.#outputDigest = event.outputDigest ?? this.#outputDigest
    if (from !== null && attemptStates.has(from) && !attemptStates.has(to)) this.steps.closeAttempt(move)
    if (move.sequence !== null) this.frames.addTransition(move)
    if (event.rootStep) this.steps.start(event.rootStep)
    if (context.chain > this.#chain) this.#openChain(move, context.chain)
    this.#queue(move, context.queuedInputs ?? noInputs)
    for (const call of settledBy(move)) this.#settle(call)
    if (from !== to && from?.startsWith('awaiting')) this.steps.closeWaiting(to)
    this.#announce(move, context)
  }

  #report(given: Report): void {
    const { steps, frames } = this
    if (given.report === 'stepStarted') steps.start(given.row)
    else if (given.report === 'stepEnded') steps.end(given.agentStepId, given.ending)
    else if (given.report === 'metered') steps.meter(given.agentStepId, given.token_usage, given.cost)
    else if (given.report === 'checkpointed') {
      this.checkpointSequence += 1
      const checkpoint = { ...given.row, sequence: this.checkpointSequence }
      this.writes.push(insertCheckpoint(this.store, checkpoint))
      this.bytes += sizeOf(checkpoint.messages) + sizeOf(checkpoint.remainder)
      steps.noteCheckpoint(checkpoint.agent_step_id, checkpoint.checkpoint_id)
      const pointer = { checkpoint: checkpoint.checkpoint_id }
      const place = steps.placeOf(checkpoint.agent_step_id)
      frames.add('checkpoint.created', checkpoint.attempt, pointer, () => presentCheckpoint(checkpoint), place)
    } else {
      for (const { type, agentStepId, data } of given.deltas) {
        if (!steps.open.has(agentStepId)) continue
        const attempt = steps.attemptOf(agentStepId) ?? this.#attempt
        frames.add(type, attempt, { data }, () => data, steps.placeOf(agentStepId))
      }
    }
  }

  /** Stores the input of a start or a continue. */
  #openChain({ event }: RunMove, chain: number): void {
    const { input } = event.input ? event : (this.change.seed as RunSeed)
    const { context, ...applied } = input as StoredInput
    const run_id = this.#columns.id
    if (context) {
      const body = JSON.stringify(context)
      this.writes.push(putRunContext(this.store, { run_id, body }))
      this.bytes += sizeOf(body)
    }
    const body = JSON.stringify(applied)
    this.writes.push(insertRunInput(this.store, { run_id, chain, body, created_at: this.change.at }))
    // a suspended step was already counted
    if (event.type !== 'continue' || event.inputId === undefined) this.bytes += sizeOf(body)
    this.#chain = chain
    this.inputOfChain = body.length <= keptInputMax ? { chain, body } : undefined
  }

  /** Stores messages that wait from now on, and removes those that wait no longer. */
  #queue({ event, by }: RunMove, waiting: readonly QueuedInput[]): void {
    if (waiting.length === 0 && this.#queued.length === 0) return
    const { id } = this.#columns
    for (const { inputId } of missingIn(this.#queued, waiting)) {
      const body = event.queued ?? ''
      this.writes.push(
        insertQueuedInput(this.store, { run_id: id, input_id: inputId, body, by_type: by.type, by_id: by.id }),
      )
      this.bytes += sizeOf(body)
    }
    for (const { inputId } of missingIn(waiting, this.#queued)) {
      this.writes.push(deleteQueuedInput(this.store, { runId: id, inputId }))
    }
    this.#queued = waiting
  }

  /** Stores the result of a call, and ends its step. */
  #settle({ toolCallId, outcome: settled }: SettledCall): void {
    const outcome = JSON.stringify(settled)
    const { id: run_id } = this.#columns
    this.writes.push(
      insertCallResult(this.store, { run_id, tool_call_id: toolCallId, outcome, created_at: this.change.at }),
    )
    this.bytes += sizeOf(outcome)
    this.steps.settleCall(toolCallId, settled)
  }

  /** Frames that follow from the state: the run waits, has used most of its budget, or has ended. */
  #announce({ event, from, to, attempt }: RunMove, context: RunContext): void {
    // an approved call asks for nothing any more
    if ((from !== to || event.type === 'callApproved') && to.startsWith('awaiting')) {
      const data = presentAwaiting(context.awaiting)
      this.frames.add('input.requested', attempt, { data }, () => data)
    }
    if (isWarning(context, this.#isWarned)) {
      this.#isWarned = true
      const data = presentWarning(context)
      this.frames.add('budget.warning', attempt, { data }, () => data)
    }
    if (from !== to && isRunEnd(to)) {
      // later changes in the same unit of work continue from this value
      const now = { ...this.#columns, output_digest: this.#outputDigest, last_activity_kind: event.type }
      const ending = endingOf(now, to, context)
      const stored = { ending: writtenEnding(ending, this.change.at) }
      this.frames.add('end', attempt, stored, () => presentEnding(this.#columns, ending))
    }
  }
}

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
