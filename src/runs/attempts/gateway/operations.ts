/**
 * Calls operations for attempts. Each call is executed once: its outcome is stored before it is returned, and a
 * repeated call returns the stored outcome. Source: contract 5, "Runner protocol" and "a non-idempotent tool whose
 * result was lost in a crash is not repeated".
 */
import type { RunContext } from '../../../../machines/run.ts'
import { findCallResult } from '../../../../storage/runs/call-results.ts'
import type { Store } from '../../../../storage/store.ts'
import type { RunRow } from '../../../../storage/tables.ts'
import { invalid } from '../../../platform/http/answers/errors.ts'
import type { AttemptClaims } from '../../../platform/http/guard/caller.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { TraceContext } from '../../../platform/tracing/trace-context.ts'
import type { Actors } from '../../../runtime/actors.ts'
import { isStoreAway } from '../../../runtime/refusals.ts'
import { type RunActor, type RunRecord, runAddress } from '../../record.ts'
import { readExecution } from '../../records/step-columns.ts'
import { closings } from '../../runner/conversation/messages.ts'
import {
  type CallAnswer,
  type CallOutcome,
  isCallFailure,
  type OperationCall,
  type OperationTool,
  StaleAttempt,
} from '../../runner/protocol/protocol.ts'
import { contextOfStep } from '../../traces/step-context.ts'
import type { AttemptSession, AttemptSessions } from '../sessions.ts'

export interface OperationCaller {
  /**
   * Calls the operation of an agent's tool, once for each call of the run, and stores the outcome. Failures that the
   * model may see (`tool_error`, `binding_unavailable`) are returned, not thrown, and contain no secrets. Ends within
   * the operation's timeout, and soon after the signal is aborted. `chain`: the run's; `fencingToken`: the attempt's;
   * `trace`: the step's span.
   */
  call(
    run: RunRow,
    call: OperationCall & { chain: number; fencingToken: number; signal: AbortSignal; trace: TraceContext | null },
  ): Promise<CallAnswer>
}

interface AttemptOperationsParts {
  store: Store
  actors: Actors
  clock: Clock
  sessions: AttemptSessions
  operations: OperationCaller
  onError(error: unknown, what: string): void
}

/** For a server without operations, whose assignments have none either. */
export const noOperations: OperationCaller = {
  call: async () => failed('This server has no operations.'),
}

export class AttemptOperations {
  constructor(private readonly parts: AttemptOperationsParts) {}

  /**
   * Makes a call, or returns its stored outcome. Throws `StaleAttempt`, and 422 unless the call is in an open step of
   * this attempt and the tool is an operation of the agent.
   */
  async call(claims: AttemptClaims, call: OperationCall, signal = never): Promise<CallAnswer> {
    const { actors, sessions, clock } = this.parts
    const actor = (await actors.read<RunRecord, RunContext>(runAddress(claims.agentRunId))) as RunActor | undefined
    if (!actor || actor.context.lease?.fencingToken !== claims.fencingToken) throw stale()
    const session = await sessions.find(claims, (known) => stepUnderWay(known, call) !== undefined)
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
    const agentStepId = stepUnderWay(session, call)
    if (agentStepId === undefined) {
      throw invalid([{ path: '/body/toolCallId', message: 'No open step of this attempt has this call.' }])
    }
    const { idempotent } = operationOf(session, call)
    try {
      const answer = await operations.call(run, {
        ...call,
        chain,
        fencingToken: session.claims.fencingToken,
        signal,
        trace: contextOfStep(run.trace, agentStepId),
      })
      if ('awaiting' in answer) return answer
      if ('error' in answer) return isCallFailure(answer.error) ? answer : failed(answer.error.message)
      return { result: answer.result ?? null }
    } catch (error) {
      // a repeated request returns this outcome
      if (signal.aborted || isStoreAway(error)) throw error
      onError(error, `the operation ${call.toolName} of ${run.id}`)
      return idempotent ? failed('The operation failed unexpectedly.') : closings.unknown
    }
  }
}

/** The open step of the call, which must exist: it tells a later attempt that the call may have been made. */
function stepUnderWay(session: AttemptSession, { toolCallId }: OperationCall): number | undefined {
  for (const step of session.openSteps.values()) {
    const isRunning = step.kind === 'tool' && step.status === 'running'
    if (isRunning && readExecution(step.execution).toolCallId === toolCallId) return step.agent_step_id
  }
  return undefined
}

function operationOf({ agents }: AttemptSession, { agentId, toolName }: OperationCall): OperationTool {
  const agent = agents.get(agentId)
  if (!agent) throw invalid([{ path: '/body/agentId', message: 'Must be an agent of this attempt.' }])
  const tool = Object.hasOwn(agent.operations, toolName) ? agent.operations[toolName] : undefined
  if (!tool) throw invalid([{ path: '/body/toolName', message: 'Must be an operation of this agent.' }])
  return tool
}

const failed = (message: string): CallOutcome => ({ error: { code: 'tool_error', message } })
const stale = () => new StaleAttempt('The attempt has ended or was replaced.')
/** A call of an external runner is not aborted: its connection may drop, and the runner repeats the call. */
const never = new AbortController().signal
