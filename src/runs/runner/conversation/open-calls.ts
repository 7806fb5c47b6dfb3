/**
 * The calls without a result in an agent's conversation: resumed from an earlier attempt, executed one by one, passed
 * to delegates, or left for results from outside. Source: contract 5, "on resumption every open tool call is closed".
 */

import { type AgentEnd, type AgentPlace, type AttemptWork, type AwaitedCall, startCall } from '../attempt-work.ts'
import { interrupted } from '../interruption.ts'
import type { AssignedAgent, CallOutcome, OpenCall } from '../protocol/protocol.ts'
import { execute, refusalOf, toolError } from '../tools/call.ts'
import { AwaitsServer } from '../tools/executor.ts'
import type { OfferedTool, Toolbox } from '../tools/toolbox.ts'
import { closings } from './messages.ts'
import { conversationTooLarge } from './size.ts'

/** The loop of a delegate. */
interface Loop {
  run(): Promise<AgentEnd>
  readonly mayHaveActed: boolean
  readonly unavailable: AgentEnd | null
}

/** Creates the loop of a delegate that answers a call, in the call's step. */
type LoopOf = (call: OpenCall, delegate: AssignedAgent, delegateStepId: number) => Loop

export class OpenCalls {
  /** Started by an earlier attempt, with unknown outcome. */
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

  /**
   * Closes calls settled by an earlier attempt or the user, and applies the input of a new chain, unless the open calls
   * come first.
   */
  async takeUp(): Promise<void> {
    const { conversation } = this.place
    const { assignment, interruption } = this.work
    const settled = new Map(assignment.settledCalls.map(({ toolCallId, outcome }) => [toolCallId, outcome]))
    for (const call of conversation.openCalls) {
      const outcome = settled.get(call.toolCallId)
      if (!outcome) continue
      conversation.answer(call, outcome)
      if (!conversation.unappliedInput || assignment.callsFirst) this.#note(outcome)
    }
    if (!conversation.unappliedInput || assignment.callsFirst) return
    for (const call of conversation.openCalls) {
      if (interruption.reason) return
      const tool = this.toolbox.find(call.toolName)
      if (this.#mayHaveActed(call)) await this.#toolStep(call, closings.unknown, tool)
      else conversation.answer(call, closings.superseded)
    }
    conversation.applyInput()
  }

  /** The end of the agent if a call found a required dependency unavailable, which no model can fix. */
  get unavailable(): AgentEnd | null {
    return this.#unavailable
  }

  /** Executes the calls that this runner can; the agent then waits for the others. null: continue the loop. */
  async answer(): Promise<AgentEnd | null> {
    const awaited: AwaitedCall[] = []
    for (const call of this.place.conversation.openCalls) {
      if (this.work.interruption.reason || this.#unavailable) break
      if (this.place.conversation.isFull) return { end: 'failed', error: conversationTooLarge }
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

  /** Whether an open call of this agent or of its delegates may have taken effect without a known outcome. */
  get mayHaveActed(): boolean {
    return this.place.conversation.openCalls.some((call) => this.#mayHaveActed(call))
  }

  #mayHaveActed(call: OpenCall): boolean {
    const tool = this.toolbox.find(call.toolName)
    if (tool?.by !== 'agent') return this.#isUnknown(call, tool)
    return this.work.conversations.find(call.toolCallId) ? this.loopOf(call, tool.agent, 0).mayHaveActed : false
  }

  /** Whether a call may have taken effect and must not be repeated. */
  #isUnknown({ toolCallId, toolName }: OpenCall, tool: OfferedTool | undefined): boolean {
    if (!this.#interruptedCalls.has(toolCallId)) return false
    return tool ? tool.by === 'executor' && !tool.executor.idempotent : this.toolbox.missing.includes(toolName)
  }

  /** Executes a call in its step, or closes it with the given outcome. null: it is closed or was canceled. */
  async #toolStep(call: OpenCall, given: CallOutcome | null, tool?: OfferedTool): Promise<AwaitedCall | null> {
    const { interruption, reports } = this.work
    const agentStepId = await startCall(this.work, this.place, call, tool?.stepKind ?? 'tool')
    const executor = tool?.by === 'executor' ? tool.executor : undefined
    // Canceled before execution. But a call that would count as started and is not idempotent is executed rather than
    // handed back.
    const calledOff = interruption.reason === 'drain' ? executor?.idempotent !== false : interruption.reason
    const outcome = given ?? (calledOff ? interrupted : await this.#execute(call, tool))
    if (outcome instanceof AwaitsServer) {
      return { call, kind: 'tool', place: this.place, within: [], agentStepId, invocation: outcome.ids }
    }
    if (outcome === interrupted) reports.endStep(agentStepId, { status: 'canceled' })
    else this.#close(call, agentStepId, outcome)
    return null
  }

  #execute(call: OpenCall, tool: OfferedTool | undefined) {
    if (tool?.by !== 'executor') return toolError(`Unknown tool: ${call.toolName}.`)
    const { assignment, interruption, services } = this.work
    return execute(call, tool.executor, { runId: assignment.run.id, interruption, log: services.log })
  }

  /**
   * Runs a delegate for a call in the call's step. null: the call has its result, or was interrupted. A retryable
   * failure fails the attempt; any other is returned to the calling model.
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
        // The step ends with the attempt; the next attempt resumes the delegate's conversation.
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

  /** Ends a call's step with its outcome, which is added to the conversation. */
  #close(call: OpenCall, agentStepId: number, outcome: CallOutcome) {
    const { assignment, conversations, reports } = this.work
    reports.endStep(
      agentStepId,
      'error' in outcome ? { status: 'failed', error: outcome.error } : { status: 'completed', output: outcome.result },
    )
    this.place.conversation.answer(call, outcome)
    this.#note(outcome)
    // a checkpoint of this chain would claim to contain its input; the step keeps the outcome
    if (conversations.own.unappliedInput && !assignment.callsFirst) return
    reports.checkpoint(agentStepId, { kind: 'step', runtimeCheckpoint: conversations.checkpoint() })
  }
}

const unavailableCode = 'binding_unavailable'

/** Converts a delegate's answer to the outcome of the call. */
function outcomeOf({ stopReason, output }: Extract<AgentEnd, { end: 'completed' }>): CallOutcome {
  const isEmpty = output === null || output === ''
  return stopReason !== 'end_turn' && isEmpty
    ? toolError(`The delegate stopped without an answer (${stopReason}).`)
    : { result: output }
}
