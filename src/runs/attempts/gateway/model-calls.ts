/**
 * The model gateway for external runners; keys never leave the server. The run determines the model, key, instructions
 * and settings; the runner adds messages and tools. An attempt has one call at a time: a new call replaces one whose
 * connection was lost. Source: contract 5, "Runner protocol".
 */
import type { RunContext } from '../../../../machines/run.ts'
import type { RunRow } from '../../../../storage/tables.ts'
import { invalid, limitExceeded } from '../../../platform/http/answers/errors.ts'
import type { AttemptClaims } from '../../../platform/http/guard/caller.ts'
import type { PricedModel } from '../../../platform/models/prices/prices.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Actors } from '../../../runtime/actors.ts'
import type { Binding } from '../../admission/bindings.ts'
import { ProviderFailure } from '../../providers/errors.ts'
import type { ModelAccess, StepPart, StepRequest, StepUsage } from '../../providers/step.ts'
import { type RunRecord, runAddress } from '../../record.ts'
import { readAgent } from '../../records/step-columns.ts'
import { StepEnded } from '../../records/step-ledger.ts'
import { stepRequest } from '../../runner/model-request.ts'
import { type ModelCall, StaleAttempt } from '../../runner/protocol/protocol.ts'
import { contextOfStep } from '../../traces/step-context.ts'
import { BindingUnavailable, chainAttemptOf, type Pins } from '../leasing/assignment.ts'
import type { MeteredCalls } from '../reports/metered-calls.ts'
import type { AttemptSession, AttemptSessions, GatewayCall } from '../sessions.ts'
import { endingAtOnce, failed, ModelStream } from './model-stream.ts'
import type { StopCall } from './stop-call.ts'

/** Streams one model step. Throws ProviderFailure, or an AbortError after the request's signal is aborted. */
export type StreamStep = (request: StepRequest) => AsyncIterable<StepPart>

/** The runner's part of a model call. */
export type GatewayRequest = Pick<ModelCall, 'agentStepId' | 'messages' | 'tools'>

interface ModelCallsParts {
  actors: Actors
  clock: Clock
  sessions: AttemptSessions
  meteredCalls: MeteredCalls
  stopCall: StopCall
  pins: Pins
  streamStep: StreamStep
  /** The timeout of one call. */
  callMsMax: number
  /** Records the usage of a step that has already ended. */
  meterLate(row: RunRow, agentStepId: number, usage: StepUsage, model: PricedModel): Promise<void>
  onError(error: unknown, what: string): void
}

/** The maximum number of calls per attempt; a step is repeated only if its call was lost. */
const callsMax = 2_000

export class ModelCalls {
  /** By fencing token. */
  readonly #underWay = new Map<number, GatewayCall>()

  constructor(private readonly parts: ModelCallsParts) {}

  /**
   * Calls the model of the step's agent and streams its answer as lines of JSON. Throws `StaleAttempt`, and 422 unless
   * the step is an open model step.
   */
  async open(claims: AttemptClaims, request: GatewayRequest, hungUp: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const { actors, sessions, streamStep, pins, clock, callMsMax, onError } = this.parts
    const actor = await actors.read<RunRecord, RunContext>(runAddress(claims.agentRunId))
    if (!actor || actor.context.lease?.fencingToken !== claims.fencingToken) {
      throw new StaleAttempt('The attempt has ended or was replaced.')
    }
    const { row } = actor.row
    const session = await sessions.find(claims, ({ openSteps }) => openSteps.has(request.agentStepId))
    const { agentId, content } = agentOf(session, request.agentStepId)
    if (session.modelCalls >= callsMax) throw limitExceeded(`An attempt may make at most ${callsMax} model calls.`)
    session.modelCalls += 1
    await this.parts.stopCall(session, request.agentStepId)
    if (actor.context.stopRequested) return endingAtOnce({ type: 'stopped', signal: 'cancel' })
    let access: ModelAccess
    try {
      access = await pins.models(row, JSON.parse(row.binding) as Binding)(agentId)
    } catch (error) {
      if (!(error instanceof BindingUnavailable)) throw error
      return endingAtOnce(failed(new ProviderFailure('binding_unavailable', error.message)))
    }
    // the attempt may have ended, or made another call, while the key was loaded
    if (!sessions.has(claims.attemptId)) throw new StaleAttempt('The attempt has ended or was replaced.')
    await session.modelCall?.stop('stale')
    await this.parts.meteredCalls.begin(claims, access)
    const stream = new ModelStream({
      clock,
      request: stepRequest(content, access, chainAttemptOf(actor.context), {
        messages: request.messages,
        tools: request.tools,
        signal: hungUp,
        trace: contextOfStep(row.trace, request.agentStepId),
      }),
      streamStep,
      callMsMax,
      onProgress: () => {
        session.progressAt = clock.now()
      },
      onEnd: async (usage) => {
        if (usage) await this.#meter(claims, row, request.agentStepId, usage, access)
        if (this.#underWay.get(claims.fencingToken) === call) this.#underWay.delete(claims.fencingToken)
        if (session.modelCall === call) session.modelCall = undefined
      },
      onError: (error) => onError(error, `a call of a model for ${claims.agentRunId}`),
    })
    const call = {
      agentStepId: request.agentStepId,
      stop: (why: Parameters<ModelStream['stop']>[0]) => stream.stop(why),
    }
    session.modelCall = call
    this.#underWay.set(claims.fencingToken, call)
    if (hungUp.aborted) void stream.stop('gone')
    else hungUp.addEventListener('abort', () => void stream.stop('gone'), { once: true })
    return stream.open()
  }

  /** Ends the call of the attempt with this lease, if it is of the given step. */
  end(fencingToken: number, agentStepId?: number): void {
    const call = this.#underWay.get(fencingToken)
    if (call && (agentStepId === undefined || call.agentStepId === agentStepId)) void call.stop('stale')
  }

  get size() {
    return this.#underWay.size
  }

  async #meter(
    claims: AttemptClaims,
    row: RunRow,
    agentStepId: number,
    usage: StepUsage,
    model: PricedModel,
  ): Promise<void> {
    const { meteredCalls, meterLate, onError } = this.parts
    try {
      await meteredCalls.meter(claims, agentStepId, usage, model)
    } catch (error) {
      const isLate = error instanceof StaleAttempt || error instanceof StepEnded
      if (!isLate) return onError(error, `the tokens of ${claims.agentRunId}`)
      // the attempt, or the step at another server, ended before its call did
      await meterLate(row, agentStepId, usage, model).catch((late) =>
        onError(late, `the tokens of ${claims.agentRunId}`),
      )
    }
  }
}

/** The agent of the step. Throws 422 unless it is an open model step of the attempt. */
function agentOf({ openSteps, agents }: AttemptSession, agentStepId: number) {
  const step = openSteps.get(agentStepId)
  if (step?.kind !== 'model' || step.status !== 'running') {
    throw invalid([{ path: '/body/agentStepId', message: 'Must be an open model step of this attempt.' }])
  }
  const { agentId } = readAgent(step.agent)
  const agent = agents.get(agentId)
  if (!agent)
    throw invalid([{ path: '/body/agentStepId', message: 'The agent of the step is not part of this attempt.' }])
  return { agentId, content: agent.content }
}
