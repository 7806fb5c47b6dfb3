/**
 * The gateway to models for attempts elsewhere: no key leaves the server. The run says which model is called, with which
 * key, instructions and settings; the runner adds its messages and tools. One call at a time for each attempt: a new one
 * takes the place of one that the runner has lost. Source: contract 5, "Runner protocol".
 */
import type { RunContext } from '../../../../machines/run.ts'
import type { RunRow } from '../../../../storage/tables.ts'
import { invalid, limitExceeded } from '../../../platform/http/answers/errors.ts'
import type { AttemptClaims } from '../../../platform/http/guard/caller.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Actors } from '../../../runtime/actors.ts'
import type { Binding } from '../../admission/bindings.ts'
import { ProviderFailure } from '../../providers/errors.ts'
import type { ModelAccess, StepPart, StepRequest, StepUsage } from '../../providers/step.ts'
import { type RunRecord, runAddress } from '../../record.ts'
import { stepRequest } from '../../runner/model-request.ts'
import { type ModelCall, StaleAttempt } from '../../runner/protocol/protocol.ts'
import { BindingUnavailable, chainAttemptOf, type Pins } from '../leasing/assignment.ts'
import type { AttemptReports } from '../reports/attempt-reports.ts'
import type { AttemptSession, AttemptSessions } from '../sessions.ts'
import { endingAtOnce, failed, ModelStream } from './model-stream.ts'

/** One step of a model. Throws ProviderFailure, or an AbortError once the request's signal has fired. */
export type StreamStep = (request: StepRequest) => AsyncIterable<StepPart>

/** What a runner says of a call. */
export type GatewayRequest = Pick<ModelCall, 'agentStepId' | 'messages' | 'tools'>

export interface ModelCallsParts {
  actors: Actors
  clock: Clock
  sessions: AttemptSessions
  attemptReports: Pick<AttemptReports, 'meter'>
  pins: Pins
  streamStep: StreamStep
  /** For one call. */
  callMsMax: number
  /** Records what a step has used that had ended by then. */
  meterLate(row: RunRow, agentStepId: number, usage: StepUsage): Promise<void>
  onError(error: unknown, what: string): void
}

/** Calls of one attempt; steps are counted by whoever asks, and a call is made again only when it was lost. */
const callsMax = 2_000

export class ModelCalls {
  /** By fencing token. */
  readonly #underWay = new Map<number, ModelStream>()

  constructor(private readonly parts: ModelCallsParts) {}

  /**
   * Calls the model of the agent whose step it is; what it says comes as lines of JSON. Throws `StaleAttempt`, and 422 for a
   * step that is no model step under way.
   */
  async open(claims: AttemptClaims, asked: GatewayRequest, hungUp: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const { actors, sessions, streamStep, pins, clock, callMsMax, onError } = this.parts
    const actor = await actors.read<RunRecord, RunContext>(runAddress(claims.agentRunId))
    if (!actor || actor.context.lease?.fencingToken !== claims.fencingToken) {
      throw new StaleAttempt('The attempt has ended or was replaced.')
    }
    const { row } = actor.row
    const session = await sessions.find(claims)
    const { agentId, content } = agentOf(session, asked.agentStepId)
    if (session.modelCalls >= callsMax) throw limitExceeded(`An attempt makes at most ${callsMax} calls of models.`)
    session.modelCalls += 1
    await session.modelCall?.stop('stale')
    if (actor.context.stopRequested) return endingAtOnce({ type: 'stopped', signal: 'cancel' })
    let access: ModelAccess
    try {
      access = await pins.models(row, JSON.parse(row.binding) as Binding)(agentId)
    } catch (error) {
      if (!(error instanceof BindingUnavailable)) throw error
      return endingAtOnce(failed(new ProviderFailure('binding_unavailable', error.message)))
    }
    // it may have ended, or called again, while its key was looked up
    if (!sessions.has(claims.attemptId)) throw new StaleAttempt('The attempt has ended or was replaced.')
    await session.modelCall?.stop('stale')
    const stream = new ModelStream({
      clock,
      request: stepRequest(content, access, chainAttemptOf(actor.context), {
        messages: asked.messages,
        tools: asked.tools,
        signal: hungUp,
      }),
      streamStep,
      callMsMax,
      onProgress: () => {
        session.progressAt = clock.now()
      },
      onEnd: async (usage) => {
        if (usage) await this.#meter(claims, row, asked.agentStepId, usage)
        if (this.#underWay.get(claims.fencingToken) === stream) this.#underWay.delete(claims.fencingToken)
        if (session.modelCall === call) session.modelCall = undefined
      },
      onError: (error) => onError(error, `a call of a model for ${claims.agentRunId}`),
    })
    const call = { agentStepId: asked.agentStepId, stop: (why: Parameters<ModelStream['stop']>[0]) => stream.stop(why) }
    session.modelCall = call
    this.#underWay.set(claims.fencingToken, stream)
    if (hungUp.aborted) void stream.stop('gone')
    else hungUp.addEventListener('abort', () => void stream.stop('gone'), { once: true })
    return stream.open()
  }

  /** The attempt with this lease is over. */
  end(fencingToken: number): void {
    void this.#underWay.get(fencingToken)?.stop('stale')
  }

  get size() {
    return this.#underWay.size
  }

  async #meter(claims: AttemptClaims, row: RunRow, agentStepId: number, usage: StepUsage): Promise<void> {
    const { attemptReports: desk, meterLate, onError } = this.parts
    try {
      await desk.meter(claims, agentStepId, usage)
    } catch (error) {
      if (!(error instanceof StaleAttempt)) return onError(error, `the tokens of ${claims.agentRunId}`)
      // the attempt was over before its call was
      await meterLate(row, agentStepId, usage).catch((late) => onError(late, `the tokens of ${claims.agentRunId}`))
    }
  }
}

/** Whose step it is. Throws 422 unless it is a model step of the attempt that has not ended. */
function agentOf({ openSteps, agents }: AttemptSession, agentStepId: number) {
  const step = openSteps.get(agentStepId)
  if (step?.kind !== 'model' || step.status !== 'running') {
    throw invalid([{ path: '/body/agentStepId', message: 'Is no model step of this attempt that is under way.' }])
  }
  const { agentId } = JSON.parse(step.agent) as { agentId: string }
  const agent = agents.get(agentId)
  if (!agent) throw invalid([{ path: '/body/agentStepId', message: 'Is the step of no agent of this attempt.' }])
  return { agentId, content: agent.content }
}
