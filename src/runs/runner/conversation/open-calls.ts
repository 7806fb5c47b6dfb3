/**
 * The calls of an agent's conversation that have no result yet: taken up from an earlier attempt, made one by one, handed
 * to delegates, or left to be answered from outside. Source: contract 5, "on resumption every open tool call is closed".
 */

import { type AgentEnd, type AgentPlace, type AttemptWork, type AwaitedCall, startCall } from '../attempt-work.ts'
import { interrupted } from '../interruption.ts'
import type { AssignedAgent, CallOutcome, OpenCall } from '../protocol/protocol.ts'
import { execute, refusalOf, toolError } from '../tools/call.ts'
import { AwaitsInvocation } from '../tools/executor.ts'
import type { OfferedTool, Toolbox } from '../tools/toolbox.ts'
import { closings } from './messages.ts'

/** The loop of a delegate. */
interface Loop {
  run(): Promise<AgentEnd>
  readonly mayHaveActed: boolean
  readonly unavailable: AgentEnd | null
}

/** The loop of the delegate that is to answer a call, in the step of the call. */
type LoopOf = (call: OpenCall, delegate: AssignedAgent, delegateStepId: number) => Loop

export class OpenCalls {
  /** Begun by an earlier attempt, outcome unknown. */
  readonly #interruptedCalls: ReadonlySet<string>
  #unavailable: AgentEnd | null = null

  constructor(
    private readonly work: AttemptWork,
    private readonly place: AgentPlace,
    private readonly toolbox: Toolbox,
    private readonly loopOf: LoopOf,
  ) {
    this.#interruptedCalls = new Set(work.assignment.interruptedCalls)
  }

  /** Closes what an earlier attempt or the user has settled, and applies the input of a new chain. */
  async takeUp(): Promise<void> {
    const { conversation } = this.place
    const { assignment, interruption } = this.work
    const settled = new Map(assignment.settledCalls.map(({ toolCallId, outcome }) => [toolCallId, outcome]))
    for (const call of conversation.openCalls) {
      const outcome = settled.get(call.toolCallId)
      if (!outcome) continue
      conversation.answer(call, outcome)
      if (!conversation.unappliedInput) this.#note(outcome)
    }
    if (!conversation.unappliedInput) return
    for (const call of conversation.openCalls) {
      if (interruption.reason) return
      const tool = this.toolbox.find(call.toolName)
      if (this.#mayHaveActed(call)) await this.#toolStep(call, closings.unknown, tool)
      else conversation.answer(call, closings.superseded)
    }
    conversation.applyInput()
  }

  /** How the agent ends when something that it requires could not be had in a call: no model can mend that. */
  get unavailable(): AgentEnd | null {
    return this.#unavailable
  }

  /** Makes the calls that can be made here; the agent then waits for the others. Null: there is more to do. */
  async answer(): Promise<AgentEnd | null> {
    const awaited: AwaitedCall[] = []
    for (const call of this.place.conversation.openCalls) {
      if (this.work.interruption.reason || this.#unavailable) break
      const tool = this.toolbox.find(call.toolName)
      const refusal = this.#isUnknown(call, tool)
        ? closings.unknown
        : await refusalOf(call, tool, this.work.assignment.run.organizationId)
      if (!refusal && tool?.by === 'outside') {
        awaited.push({ call, kind: tool.stepKind, place: this.place, within: [] })
      } else if (!refusal && tool?.by === 'agent') {
        const end = await this.#delegate(call, tool.agent)
        if (end?.end === 'failed') return end
        if (end?.end === 'waiting') awaited.push(...end.awaited)
      } else {
        const waiting = await this.#toolStep(call, refusal, tool)
        if (waiting) awaited.push(waiting)
      }
    }
    return this.#unavailable ?? (awaited.length > 0 ? { end: 'waiting', awaited } : null)
  }

  /** Whether a call that is open here, or below, may have taken effect without anybody knowing. */
  get mayHaveActed(): boolean {
    return this.place.conversation.openCalls.some((call) => this.#mayHaveActed(call))
  }

  #mayHaveActed(call: OpenCall): boolean {
    const tool = this.toolbox.find(call.toolName)
    if (tool?.by !== 'agent') return this.#isUnknown(call, tool)
    return this.work.conversations.find(call.toolCallId) ? this.loopOf(call, tool.agent, 0).mayHaveActed : false
  }

  /** Whether a call may have taken effect already, and must not be made again. */
  #isUnknown({ toolCallId, toolName }: OpenCall, tool: OfferedTool | undefined): boolean {
    if (!this.#interruptedCalls.has(toolCallId)) return false
    return tool ? tool.by === 'executor' && !tool.executor.idempotent : this.toolbox.missing.includes(toolName)
  }

  /** One step for a call: it is made, unless its outcome is given. Null: it is closed, or was canceled. */
  async #toolStep(call: OpenCall, given: CallOutcome | null, tool?: OfferedTool): Promise<AwaitedCall | null> {
    const { interruption, reports } = this.work
    const agentStepId = await startCall(this.work, this.place, call, tool?.stepKind ?? 'tool')
    const executor = tool?.by === 'executor' ? tool.executor : undefined
    // Called off in time; but one that would count as begun and can't be repeated is rather made than handed back.
    const calledOff = interruption.reason === 'drain' ? executor?.idempotent !== false : interruption.reason
    const outcome = given ?? (calledOff ? interrupted : await this.#execute(call, tool))
    if (outcome instanceof AwaitsInvocation) {
      return { call, kind: 'tool', place: this.place, within: [], agentStepId, invocation: outcome.ids }
    }
    if (outcome === interrupted) reports.endStep(agentStepId, { status: 'canceled' })
    else this.#close(call, agentStepId, outcome)
    return null
  }

  #execute(call: OpenCall, tool: OfferedTool | undefined) {
    if (tool?.by !== 'executor') return toolError(`There is no tool named ${call.toolName}.`)
    const { assignment, interruption, services } = this.work
    return execute(call, tool.executor, { runId: assignment.run.id, interruption, log: services.log })
  }

  /**
   * Lets a delegate work on a call, in the step of the call. Null: the call has its result, or the work was interrupted. A
   * failure that passes is the attempt's; any other is told to the model that made the call.
   */
  async #delegate(call: OpenCall, delegate: AssignedAgent): Promise<AgentEnd | null> {
    const { agentId } = delegate
    const agentStepId = await startCall(this.work, this.place, call, 'delegate', agentId)
    const loop = this.loopOf(call, delegate, agentStepId)
    const end = await loop.run()
    switch (end.end) {
      case 'interrupted':
        this.work.reports.endStep(agentStepId, { status: 'canceled' })
        return null
      case 'waiting':
        return { end: 'waiting', awaited: end.awaited.map((one) => ({ ...one, within: [...one.within, agentStepId] })) }
      case 'failed':
        // The step ends with the attempt; the next one takes the delegate's conversation up.
        if (end.error.retryable || loop.unavailable) return end
        this.#close(call, agentStepId, toolError(`The delegate failed: ${end.error.message}`))
        return null
      case 'completed':
        this.#close(call, agentStepId, outcomeOf(end))
        return null
    }
  }

  #note(outcome: CallOutcome) {
    if (!('error' in outcome) || outcome.error.code !== unavailableCode) return
    const { message } = outcome.error
    this.#unavailable ??= { end: 'failed', error: { code: unavailableCode, message, retryable: false } }
  }

  /** Ends the step of a call with the call's outcome, which goes into the conversation. */
  #close(call: OpenCall, agentStepId: number, outcome: CallOutcome) {
    const { conversations, reports } = this.work
    reports.endStep(
      agentStepId,
      'error' in outcome ? { status: 'failed', error: outcome.error } : { status: 'completed', output: outcome.result },
    )
    this.place.conversation.answer(call, outcome)
    this.#note(outcome)
    reports.checkpoint(agentStepId, { kind: 'step', runtimeCheckpoint: conversations.checkpoint() })
  }
}

const unavailableCode = 'binding_unavailable'

/** What the answer of a delegate is to the one who called it. */
function outcomeOf({ stopReason, output }: Extract<AgentEnd, { end: 'completed' }>): CallOutcome {
  const isEmpty = output === null || output === ''
  return stopReason !== 'end_turn' && isEmpty
    ? toolError(`The delegate stopped before it had an answer (${stopReason}).`)
    : { result: output }
}
