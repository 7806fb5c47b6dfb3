/** The steps that a change of a run starts, ends or updates: one statement per step, and the stream frames. */
import { insertStep, noteCheckpoint, updateStep } from '../../../storage/runs/steps.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { AgentStepRow } from '../../../storage/tables.ts'
import { withCall } from '../attempts/reports/step-costs.ts'
import { presentStep } from '../present.ts'
import type { RunChange } from '../record.ts'
import type { StepEnding } from '../reports.ts'
import type { SettledCall } from '../runner/protocol/protocol.ts'
import type { EndedModelStep } from '../statistics/costs.ts'
import { sizeOf } from '../statistics/counts.ts'
import type { Tokens } from '../statistics/usage.ts'
import type { FrameWriter } from '../stream/frames.ts'
import { markOfEnd, markOfStart } from '../stream/marks.ts'
import { outputJson } from './output-json.ts'
import { hasUsage, readExecution, readUsage, sumOfUsage, usageText } from './step-columns.ts'

/** The step of the report has ended. */
export class StepEnded extends Error {
  override readonly name = 'StepEnded'
}

export class StepLedger {
  readonly #open: Map<number, AgentStepRow>
  readonly #begun = new Map<number, AgentStepRow>()
  readonly #changed = new Map<number, AgentStepRow>()
  /** The token usage of this change. */
  readonly tokens: Tokens = { input: 0, output: 0 }
  /** The model steps that ended in this change, or were suspended; empty without prices. */
  readonly modelSteps: EndedModelStep[] = []
  /** The size of step inputs and outputs in this change. */
  storedBytes = 0
  /** The steps that this change has ended. */
  readonly ended: AgentStepRow[] = []
  /** Checkpoints of steps that had already ended. */
  readonly #checkpoints = new Map<number, number>()

  constructor(
    open: ReadonlyMap<number, AgentStepRow>,
    private readonly frames: FrameWriter,
    private readonly at: number,
    /** When the run changed before. */
    private readonly since: number,
    /** Whether the server has prices. */
    private readonly costed: boolean,
  ) {
    this.#open = new Map(open)
  }

  /** The open steps. */
  get open(): ReadonlyMap<number, AgentStepRow> {
    return this.#open
  }

  /** Numbers the step; it begins no earlier than the latest known time of its run, even if clocks of servers differ. */
  start(given: AgentStepRow) {
    const [sequence, started_at, created_at] = [this.frames.lastSequence + 1, given.started_at, given.created_at]
    const notBefore = (at: number) => Math.max(at, this.since)
    const row = { ...given, sequence, started_at: notBefore(started_at), created_at: notBefore(created_at) }
    this.#open.set(row.agent_step_id, row)
    this.#begun.set(row.agent_step_id, row)
    this.storedBytes += sizeOfStep(row)
    const pointer = { step: row.agent_step_id, ...markOfStart(row) }
    this.frames.add('step.started', row.attempt, pointer, () => presentStep(row), placeOf(row))
  }

  /** Ends a step, or suspends it if `waiting`. An ended step stays unchanged. */
  end(agentStepId: number, ending: StepEnding) {
    const step = this.#open.get(agentStepId)
    if (!step) return
    const waits = ending.status === 'waiting'
    // the usage of a model step counts once: at its suspension, if it was suspended
    const isCounted = step.kind === 'model' && step.status === 'waiting'
    // the server's measurement overrides the runner's report
    const isFixed = isCounted || isMetered(step)
    const token_usage = isFixed ? step.token_usage : (ending.token_usage ?? step.token_usage)
    const cost = isFixed ? step.cost : (ending.cost ?? null)
    const row: AgentStepRow = {
      ...step,
      ...ending,
      token_usage,
      cost,
      ended_at: waits ? null : this.at,
      updated_at: this.at,
    }
    this.#keep(row)
    this.storedBytes += sizeOfStep(row) - sizeOfStep(step)
    if (row.kind === 'model' && !isCounted) this.#addUsage(row)
    if (waits) return
    this.#open.delete(agentStepId)
    this.ended.push(row)
    const type = row.status === 'completed' ? 'step.completed' : 'step.failed'
    const pointer = { step: agentStepId, ...markOfEnd(row) }
    this.frames.add(type, row.attempt, pointer, () => presentStep(row), placeOf(row))
  }

  /**
   * Adds the measured usage of a call to the step; its parent steps include it when the step ends. Throws `StepEnded`.
   */
  meter(agentStepId: number, usage: string, cost: string | null) {
    const step = this.#open.get(agentStepId)
    if (!step) throw new StepEnded()
    if (step.kind !== 'model') return
    this.#keep({ ...withCall(step, readUsage(usage), cost), updated_at: this.at })
  }

  /** Records the checkpoint for the step and its open parent steps. */
  noteCheckpoint(agentStepId: number, checkpointId: number) {
    const step = this.#find(agentStepId)
    if (step) this.#keep({ ...step, last_checkpoint_id: checkpointId })
    else this.#checkpoints.set(agentStepId, checkpointId)
    const above = step ? this.#above(step) : [...this.#open.values()].filter(holdsOthers)
    for (const row of above) this.#keep({ ...row, last_checkpoint_id: checkpointId })
  }

  /** Stores the result of a call that a step waits for. */
  settleCall(toolCallId: string, outcome: SettledCall['outcome']) {
    const ending =
      'error' in outcome
        ? { status: 'failed' as const, error: JSON.stringify(outcome.error) }
        : { status: 'completed' as const, output: outputJson(outcome.result) }
    for (const step of this.#open.values()) {
      const called = readExecution(step.execution).toolCallId
      if (step.status === 'waiting' && called === toolCallId) this.end(step.agent_step_id, { ...step, ...ending })
    }
  }

  /** Ends the attempt's open steps with the attempt's outcome. */
  closeAttempt({ to, event, reason }: RunChange['moves'][number]) {
    const status = endOf(to)
    const error = status === 'failed' ? JSON.stringify(reason) : null
    for (const step of this.#innermostFirst()) {
      // If the run does not wait, calls suspended before the attempt was lost end too.
      if (step.status === 'waiting' && status === 'waiting') continue
      const root = step.parent_agent_step_id === null
      const output = root && event.output !== undefined ? outputJson(event.output) : step.output
      // Under a root step that completed, only a step that the runner failed to end can be open.
      const ending = root || status !== 'completed' ? status : 'canceled'
      this.end(step.agent_step_id, { ...step, status: ending, output, error })
    }
  }

  /** The run has left its waiting state: waiting root steps are completed, and calls without a result are abandoned. */
  closeWaiting(to: string) {
    for (const step of this.#innermostFirst()) {
      if (step.status !== 'waiting') continue
      const status = to === 'queued' && step.parent_agent_step_id === null ? 'completed' : 'canceled'
      this.end(step.agent_step_id, { ...step, status })
    }
  }

  placeOf(agentStepId: number) {
    const step = this.#find(agentStepId)
    return step ? placeOf(step) : { agentStepId, root: false }
  }

  attemptOf(agentStepId: number): number | undefined {
    return this.#find(agentStepId)?.attempt
  }

  writes(store: Store): Write[] {
    return [
      ...[...this.#begun.values()].map((row) => insertStep(store, row)),
      ...[...this.#changed.values()].map((row) => updateStep(store, row)),
      ...[...this.#checkpoints].map(([agentStepId, checkpointId]) =>
        noteCheckpoint(store, { agentStepId, checkpointId }),
      ),
    ]
  }

  #find(agentStepId: number) {
    return this.#begun.get(agentStepId) ?? this.#changed.get(agentStepId) ?? this.#open.get(agentStepId)
  }

  #innermostFirst() {
    return [...this.#open.values()].sort((a, b) => orderOfSteps(b, a))
  }

  /** A step that starts in this change is inserted in its final state. */
  #keep(row: AgentStepRow) {
    if (this.#open.has(row.agent_step_id)) this.#open.set(row.agent_step_id, row)
    if (this.#begun.has(row.agent_step_id)) this.#begun.set(row.agent_step_id, row)
    else this.#changed.set(row.agent_step_id, row)
  }

  /** Counts a model step's usage, and adds it to its parent steps. */
  #addUsage({ parent_agent_step_id, token_usage, execution, cost }: AgentStepRow) {
    const used = readUsage(token_usage)
    if (this.costed) {
      const { provider, model } = readExecution(execution)
      const { inputTokens, outputTokens } = used
      this.modelSteps.push({ provider, model, inputTokens, outputTokens, cost, steps: 1 })
    }
    this.tokens.input += used.inputTokens
    this.tokens.output += used.outputTokens
    for (const above of this.#above({ parent_agent_step_id })) {
      this.#keep({ ...above, token_usage: usageText(sumOfUsage(readUsage(above.token_usage), used)) })
    }
  }

  /** The open parent steps, innermost first. */
  #above({ parent_agent_step_id }: Pick<AgentStepRow, 'parent_agent_step_id'>): AgentStepRow[] {
    const above: AgentStepRow[] = []
    for (let id = parent_agent_step_id; id !== null; ) {
      const row = this.#open.get(id)
      if (!row) break
      above.push(row)
      id = row.parent_agent_step_id
    }
    return above
  }
}

/** Below 0: `a` began before `b`. */
export const orderOfSteps = (a: Pick<AgentStepRow, 'sequence' | 'agent_step_id'>, b: typeof a): number =>
  a.sequence - b.sequence || a.agent_step_id - b.agent_step_id

const sizeOfStep = ({ input, output, error }: AgentStepRow): number => sizeOf(input) + sizeOf(output) + sizeOf(error)

/** Whether the server measured the usage of the step's model. */
const isMetered = ({ kind, token_usage }: AgentStepRow) => kind === 'model' && hasUsage(token_usage)

/** A step with child steps: of an attempt, or of an active delegate. */
const holdsOthers = ({ kind, parent_agent_step_id, status }: AgentStepRow) =>
  parent_agent_step_id === null || (kind === 'delegate' && status === 'running')

/** The status of an attempt's open steps when the run enters this state. */
const endOf = (state: string): 'completed' | 'canceled' | 'waiting' | 'failed' => {
  if (state === 'completed' || state === 'canceled') return state
  return state.startsWith('awaiting') ? 'waiting' : 'failed'
}

const placeOf = ({ agent_step_id, parent_agent_step_id }: AgentStepRow) => ({
  agentStepId: agent_step_id,
  root: parent_agent_step_id === null,
})
