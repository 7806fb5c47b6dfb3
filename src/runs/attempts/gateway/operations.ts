/**
 * Operations that attempts have called for them. Each is made once for a call: what came of it is stored before anybody
 * hears of it, and a call that comes again, because its answer was lost on the way, is answered from there.
 * Source: contract 5, "Runner protocol" and "a non-idempotent tool whose result was lost in a crash is not repeated".
 */
import type { RunContext } from '../../../../machines/run.ts'
import { findCallResult } from '../../../../storage/runs/call-results.ts'
import type { Store } from '../../../../storage/store.ts'
import type { RunRow } from '../../../../storage/tables.ts'
import { invalid } from '../../../platform/http/answers/errors.ts'
import type { AttemptClaims } from '../../../platform/http/guard/caller.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Actors } from '../../../runtime/actors.ts'
import { isStoreAway } from '../../../runtime/refusals.ts'
import { type RunActor, type RunRecord, runAddress } from '../../record.ts'
import { closings } from '../../runner/conversation/messages.ts'
import {
  type CallAnswer,
  type CallOutcome,
  isCallFailure,
  type OperationCall,
  type OperationTool,
  StaleAttempt,
  type StepExecution,
} from '../../runner/protocol/protocol.ts'
import type { AttemptSession, AttemptSessions } from '../sessions.ts'

/** Calls operations. */
export interface OperationCaller {
  /**
   * Calls the operation behind an agent's tool, once for each call of the run; what came of it is stored then. What the
   * model can be told is an outcome (`tool_error`, `binding_unavailable`) and not thrown; no secret is in it. Ends within
   * the operation's time, and soon after the signal. `chain`: the run's.
   */
  call(run: RunRow, call: OperationCall & { chain: number; signal: AbortSignal }): Promise<CallAnswer>
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
  async call(claims: AttemptClaims, call: OperationCall, signal = never): Promise<CallAnswer> {
    const { actors, sessions, clock } = this.parts
    const actor = (await actors.read<RunRecord, RunContext>(runAddress(claims.agentRunId))) as RunActor | undefined
    if (!actor || actor.context.lease?.fencingToken !== claims.fencingToken) throw stale()
    const session = await sessions.find(claims)
    session.progressAt = clock.now()
    const underWay = session.operationCalls.get(call.toolCallId)
    if (underWay) return underWay
    const calling = this.#once(actor, session, call, signal)
    session.operationCalls.set(call.toolCallId, calling)
    try {
      return await calling
    } finally {
      session.operationCalls.delete(call.toolCallId)
      session.progressAt = clock.now()
    }
  }

  async #once(
    { row: { row: run }, context: { chain } }: RunActor,
    session: AttemptSession,
    call: OperationCall,
    signal: AbortSignal,
  ): Promise<CallAnswer> {
    const { store, operations, onError } = this.parts
    const stored = await store.first(findCallResult(store, { runId: run.id, toolCallId: call.toolCallId }))
    if (stored) return JSON.parse(stored.outcome) as CallOutcome
    assertUnderWay(session, call)
    const { idempotent } = operationOf(session, call)
    try {
      const answer = await operations.call(run, { ...call, chain, signal })
      if ('awaiting' in answer) return answer
      if ('error' in answer) return isCallFailure(answer.error) ? answer : failed(answer.error.message)
      return { result: answer.result ?? null }
    } catch (error) {
      // it may be asked for again, and is then answered
      if (signal.aborted || isStoreAway(error)) throw error
      onError(error, `the operation ${call.toolName} of ${run.id}`)
      return idempotent ? failed('The operation failed unexpectedly.') : closings.unknown
    }
  }
}

/** There is an open step about the call: from it a later attempt knows that the call may have been made. */
function assertUnderWay(session: AttemptSession, { toolCallId }: OperationCall): void {
  for (const step of session.openSteps.values()) {
    const isRunning = step.kind === 'tool' && step.status === 'running'
    if (isRunning && (JSON.parse(step.execution) as StepExecution).toolCallId === toolCallId) return
  }
  throw invalid([{ path: '/body/toolCallId', message: 'Is no call that a step of this attempt is about.' }])
}

function operationOf({ agents }: AttemptSession, { agentId, toolName }: OperationCall): OperationTool {
  const agent = agents.get(agentId)
  if (!agent) throw invalid([{ path: '/body/agentId', message: 'Is no agent of this attempt.' }])
  const tool = Object.hasOwn(agent.operations, toolName) ? agent.operations[toolName] : undefined
  if (!tool) throw invalid([{ path: '/body/toolName', message: 'Is no operation of this agent.' }])
  return tool
}

const failed = (message: string): CallOutcome => ({ error: { code: 'tool_error', message } })
const stale = () => new StaleAttempt('The attempt has ended or was replaced.')
/** A call from elsewhere is not aborted: a connection may end, and the call is asked for again. */
const never = new AbortController().signal
