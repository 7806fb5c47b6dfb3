/**
 * Operations that attempts have called for them. Each is made once for a call: what came of it is stored before anybody
 * hears of it, and a call that comes again, because its answer was lost on the way, is answered from there.
 * Source: contract 5, "Runner protocol" and "a non-idempotent tool whose result was lost in a crash is not repeated".
 */
import type { RunContext } from '../../../machines/run.ts'
import { findCallResult, keepCallResult } from '../../../storage/runs.ts'
import type { Store } from '../../../storage/store.ts'
import type { AgentStepRow, RunRow } from '../../../storage/tables.ts'
import type { AttemptClaims } from '../../http/caller.ts'
import { invalid } from '../../http/errors.ts'
import { closings } from '../../runner/messages.ts'
import {
  type CallOutcome,
  isCallFailure,
  type OperationCall,
  type OperationTool,
  StaleAttempt,
  type StepExecution,
} from '../../runner/protocol.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { Clock } from '../../runtime/clock.ts'
import { type RunRecord, runAddress } from '../actor.ts'
import type { AttemptSession, AttemptSessions } from './sessions.ts'

/** Calls operations. */
export interface OperationCaller {
  /**
   * Calls the operation behind an agent's tool. What the model can be told is an outcome (`tool_error`,
   * `binding_unavailable`) and not thrown; no secret is in it. Ends within the operation's time, and soon after the signal.
   */
  call(run: RunRow, call: OperationCall & { signal: AbortSignal }): Promise<CallOutcome>
}

export interface AttemptOperationsParts {
  store: Store
  actors: Actors
  clock: Clock
  sessions: AttemptSessions
  operations: OperationCaller
  onError(error: unknown, what: string): void
}

/** For a server without operations; its assignments hold none either. */
export const noOperations: OperationCaller = {
  call: async () => failed('This server calls no operations.'),
}

export class AttemptOperations {
  constructor(private readonly parts: AttemptOperationsParts) {}

  /**
   * Makes a call, or says what came of it before. Throws `StaleAttempt`, and 422 for a call that is not under way in a step
   * of this attempt, or a tool that is no operation of the agent.
   */
  async call(claims: AttemptClaims, call: OperationCall, signal = never): Promise<CallOutcome> {
    const { actors, sessions, clock } = this.parts
    const actor = await actors.read<RunRecord, RunContext>(runAddress(claims.agentRunId))
    if (!actor || actor.context.lease?.fencingToken !== claims.fencingToken) throw stale()
    const session = await sessions.find(claims)
    session.progressAt = clock.now()
    const underWay = session.operationCalls.get(call.toolCallId)
    if (underWay) return underWay
    const calling = this.#once(actor.row.row, session, call, signal)
    session.operationCalls.set(call.toolCallId, calling)
    try {
      return await calling
    } finally {
      session.operationCalls.delete(call.toolCallId)
      session.progressAt = clock.now()
    }
  }

  async #once(run: RunRow, session: AttemptSession, call: OperationCall, signal: AbortSignal): Promise<CallOutcome> {
    const { toolCallId } = call
    const { store } = this.parts
    const stored = await store.first(findCallResult(store, { runId: run.id, toolCallId }))
    if (stored) return JSON.parse(stored.outcome) as CallOutcome
    let outcome = session.unstoredOutcomes.get(toolCallId)
    if (!outcome) {
      const step = stepOf(session, call)
      // A server before this one may have made the call, and has taken its outcome with it.
      const tool = operationOf(session, call)
      if (!tool.idempotent && session.inheritedSteps.has(step.agent_step_id)) return closings.unknown
      outcome = await this.#make(run, call, tool, signal)
      if (signal.aborted) return outcome
      session.unstoredOutcomes.set(toolCallId, outcome)
    }
    await this.#keep(run.id, toolCallId, outcome)
    session.unstoredOutcomes.delete(toolCallId)
    return outcome
  }

  async #make(
    run: RunRow,
    call: OperationCall,
    { idempotent }: OperationTool,
    signal: AbortSignal,
  ): Promise<CallOutcome> {
    try {
      const outcome = await this.parts.operations.call(run, { ...call, signal })
      if ('error' in outcome) return isCallFailure(outcome.error) ? outcome : failed(outcome.error.message)
      return { result: outcome.result ?? null }
    } catch (error) {
      if (!signal.aborted) this.parts.onError(error, `the operation ${call.toolName} of ${run.id}`)
      return idempotent ? failed('The operation failed unexpectedly.') : closings.unknown
    }
  }

  #keep(runId: string, toolCallId: string, outcome: CallOutcome): Promise<unknown> {
    const { store, clock } = this.parts
    const row = { run_id: runId, tool_call_id: toolCallId, outcome: JSON.stringify(outcome), created_at: clock.now() }
    return store.commit([keepCallResult(store, row)])
  }
}

/** The open step of the call: from it a later attempt knows that the call may have been made. */
function stepOf(session: AttemptSession, { toolCallId }: OperationCall): AgentStepRow {
  for (const step of session.openSteps.values()) {
    const isRunning = step.kind === 'tool' && step.status === 'running'
    if (isRunning && (JSON.parse(step.execution) as StepExecution).toolCallId === toolCallId) return step
  }
  throw invalid([{ path: '/body/toolCallId', message: 'Is no call that a step of this attempt is about.' }])
}

function operationOf({ roster }: AttemptSession, { agentId, toolName }: OperationCall): OperationTool {
  const agent = roster.get(agentId)
  if (!agent) throw invalid([{ path: '/body/agentId', message: 'Is no agent of this attempt.' }])
  const tool = Object.hasOwn(agent.operations, toolName) ? agent.operations[toolName] : undefined
  if (!tool) throw invalid([{ path: '/body/toolName', message: 'Is no operation of this agent.' }])
  return tool
}

const failed = (message: string): CallOutcome => ({ error: { code: 'tool_error', message } })
const stale = () => new StaleAttempt('The attempt has ended or was replaced.')
/** A call from elsewhere is not broken off: a connection may end, and the call is asked for again. */
const never = new AbortController().signal
