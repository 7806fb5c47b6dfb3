/**
 * The calls of a conversation that have no result yet: taken up from an earlier attempt, made one by one, or left to be
 * answered from outside. Source: contract 5, "on resumption every open tool call is closed".
 */
import type { PendingInput } from '../../machines/run.ts'
import type { CallOutcome, Conversation } from './conversation.ts'
import { type Interruption, interrupted } from './interruption.ts'
import type { Log } from './log.ts'
import { closings } from './messages.ts'
import type { Assignment, CheckpointReport, CompletionReport, OpenCall } from './protocol.ts'
import type { Reports } from './reports.ts'
import { execute, refusalOf, toolError } from './tools/call.ts'
import type { OfferedTool, Toolbox } from './tools/toolbox.ts'

/** A call whose result comes from outside. */
interface AwaitedCall {
  call: OpenCall
  kind: 'tool' | 'delegate'
}

const nameCharactersMax = 200

export class OpenCalls {
  /** Begun by an earlier attempt, outcome unknown. */
  readonly #interruptedCalls: ReadonlySet<string>

  constructor(
    private readonly assignment: Assignment,
    private readonly conversation: Conversation,
    private readonly toolbox: Toolbox,
    private readonly reports: Reports,
    private readonly interruption: Interruption,
    private readonly log: Log,
  ) {
    this.#interruptedCalls = new Set(assignment.interruptedCalls)
  }

  /** Closes what an earlier attempt or the user has settled, and applies the input of a new chain. */
  async takeUp(): Promise<void> {
    const conversation = this.conversation
    const settled = new Map(this.assignment.settledCalls.map(({ toolCallId, outcome }) => [toolCallId, outcome]))
    for (const call of conversation.openCalls) {
      const outcome = settled.get(call.toolCallId)
      if (outcome) conversation.answer(call, outcome)
    }
    if (!conversation.unappliedInput) return
    for (const call of conversation.openCalls) {
      if (this.interruption.reason) return
      const tool = this.toolbox.find(call.toolName)
      if (this.#isUnknown(call, tool)) await this.#toolStep(call, closings.unknown, tool)
      else conversation.answer(call, closings.superseded)
    }
    conversation.applyInput()
  }

  /** Makes the calls that can be made here; the run then waits for the others. */
  async answer(): Promise<CompletionReport | null> {
    const awaited: AwaitedCall[] = []
    for (const call of this.conversation.openCalls) {
      if (this.interruption.reason) return null
      const tool = this.toolbox.find(call.toolName)
      const refusal = this.#isUnknown(call, tool) ? closings.unknown : await refusalOf(call, tool)
      if (!refusal && tool?.executor === null) awaited.push({ call, kind: tool.stepKind })
      else await this.#toolStep(call, refusal, tool)
    }
    return awaited.length > 0 && !this.interruption.reason ? this.#suspend(awaited) : null
  }

  /** Whether a call may have taken effect already, and must not be made again. */
  #isUnknown({ toolCallId, toolName }: OpenCall, tool: OfferedTool | undefined): boolean {
    if (!this.#interruptedCalls.has(toolCallId)) return false
    return tool ? tool.executor?.idempotent === false : this.toolbox.missing.includes(toolName)
  }

  /** One step for a call: it is made, unless its outcome is given. */
  async #toolStep(call: OpenCall, given: CallOutcome | null, tool?: OfferedTool) {
    const { interruption, reports } = this
    const agentStepId = await this.#startCall(call, tool?.stepKind ?? 'tool')
    // Called off in time; but one that would count as begun and can't be repeated is rather made than handed back.
    const calledOff = interruption.reason === 'drain' ? tool?.executor?.idempotent !== false : interruption.reason
    const outcome = given ?? (calledOff ? interrupted : await this.#execute(call, tool))
    if (outcome === interrupted) return reports.endStep(agentStepId, { status: 'canceled' })
    reports.endStep(
      agentStepId,
      'error' in outcome ? { status: 'failed', error: outcome.error } : { status: 'completed', output: outcome.result },
    )
    this.conversation.answer(call, outcome)
    this.#checkpoint(agentStepId, 'step')
  }

  #execute(call: OpenCall, tool: OfferedTool | undefined) {
    if (!tool?.executor) return toolError(`There is no tool named ${call.toolName}.`)
    const { assignment, interruption, log } = this
    return execute(call, tool.executor, { runId: assignment.run.id, interruption, log })
  }

  #startCall({ toolCallId, toolName, input }: OpenCall, kind: 'tool' | 'delegate'): Promise<number> {
    // A model may make up any name; the server takes so much of it.
    const name = toolName.slice(0, nameCharactersMax) || '(unnamed)'
    return this.reports.startStep({ kind, name, input, execution: { toolCallId } })
  }

  /** Lets the run wait: for the results of interactive tools first, for those of delegates in a later attempt. */
  async #suspend(awaited: AwaitedCall[]): Promise<CompletionReport | null> {
    const kind = awaited.some((pending) => pending.kind === 'tool') ? 'tool' : 'delegate'
    const chosen = awaited.filter((pending) => pending.kind === kind)
    const steps = await Promise.all(chosen.map(({ call }) => this.#startCall(call, kind)))
    const status = this.interruption.reason ? 'canceled' : 'waiting'
    for (const agentStepId of steps) this.reports.endStep(agentStepId, { status })
    if (status === 'canceled') return null
    this.#checkpoint(steps[0]!, 'suspended')
    const awaiting = chosen.map(({ call }): PendingInput => ({ kind, ...call }))
    return { outcome: kind === 'tool' ? 'awaitingToolResult' : 'awaitingDelegateResult', awaiting }
  }

  #checkpoint(agentStepId: number, kind: CheckpointReport['kind']) {
    this.reports.checkpoint(agentStepId, { kind, runtimeCheckpoint: this.conversation.checkpoint() })
  }
}
