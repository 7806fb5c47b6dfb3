/**
 * Operations that run an Agent of the same Project in the same Environment and Deployment. The run's id is derived from
 * the call's, so that a repeated call finds its run. The run has its own limits; while it waits for people, no active
 * time passes. Source: contract 3, `Handler` of type `agent`; contract 6.
 */
import { isRunEnd } from '../../../machines/run/states.ts'
import type { RunContext } from '../../../machines/run.ts'
import { assertPerformedHere, getRunOutput } from '../../../storage/automation/invocations.ts'
import type { Store } from '../../../storage/store.ts'
import type { Handler } from '../../authoring/definitions/source.ts'
import type { DeployedBundle } from '../../delivery/deployments/bundles.ts'
import { ApiError } from '../../platform/http/answers/errors.ts'
import type { TraceContext } from '../../platform/tracing/trace-context.ts'
import type { RunStarts } from '../../runs/admission/start.ts'
import { type RunActor, runAddress } from '../../runs/record.ts'
import type { Actors } from '../../runtime/actors.ts'
import { isOver } from '../../runtime/refusals.ts'
import { untilActor } from '../../runtime/watch.ts'
import { toolError } from './failure.ts'
import { renderText } from './rendering.ts'
import { Room } from './room.ts'

interface AgentCallParts {
  store: Store
  actors: Actors
  starts: Pick<RunStarts, 'startForServer'>
  /** The name of this process as a performer. */
  performer: string
}

interface AgentCall {
  bundle: DeployedBundle
  name: string
  handler: Extract<Handler, { type: 'agent' }>
  input: unknown
  /** `opi_…` */
  callKey: string
  /** The span of the call; null without a trace. */
  trace: TraceContext | null
  signal: AbortSignal
}

const noVariables: ReadonlyMap<string, string> = new Map()

/** The id of the run that a call starts. */
const runIdOf = (callKey: string) => `run_${callKey.slice(callKey.indexOf('_') + 1)}`

export class AgentCalls {
  constructor(private readonly parts: AgentCallParts) {}

  /** The output of the Agent's run. Throws `OperationFailure`, or the signal's reason. */
  async make(call: AgentCall): Promise<unknown> {
    const { name, signal } = call
    const runId = runIdOf(call.callKey)
    await this.#start(runId, call)
    const { state, context } = await this.#ended(runId, signal)
    if (state !== 'completed') throw toolError(`${name}: the Agent's run ${runId} ended as ${state}${reason(context)}.`)
    const { store } = this.parts
    const found = await store.first(getRunOutput(store, { runId }))
    return found?.output ? JSON.parse(found.output) : null
  }

  /** Cancels the run of the call, if there is one. */
  cancel(callKey: string): Promise<void> {
    return this.#cancel(runIdOf(callKey))
  }

  async #start(runId: string, { bundle, name, handler, input, callKey, trace }: AgentCall): Promise<void> {
    const { store, actors, starts, performer } = this.parts
    if (await actors.read(runAddress(runId))) return
    const { organizationId, projectId, environmentId, deploymentId, agents } = bundle.bundle
    const agent = agents.find(({ slug }) => slug === handler.agent)
    if (!agent) throw toolError(`${name} runs the Agent ${handler.agent}, which is not in the Deployment.`)
    const query = renderText(handler.query, { input, variables: noVariables, room: new Room() }) ?? ''
    try {
      await starts.startForServer({
        organizationId,
        projectId,
        request: { agentId: agent.agentId, environmentId, query },
        by: { type: 'system', id: callKey },
        id: runId,
        deploymentId,
        above: trace,
        record: () => [assertPerformedHere(store, { id: callKey, performer })],
      })
    } catch (error) {
      if (!(error instanceof ApiError) || error.code === 'store_unavailable') throw error
      // another process was faster with the same call
      if (await actors.read(runAddress(runId))) return
      throw toolError(`${name}: the Agent could not be started: ${error.message}`)
    }
  }

  /** The run once it has ended. */
  async #ended(runId: string, signal: AbortSignal): Promise<RunActor> {
    const hasEnded = ({ state }: RunActor) => isRunEnd(state)
    const run = await untilActor(this.parts.actors, runAddress(runId), signal, hasEnded)
    if (!run) throw toolError(`The Agent's run was removed.`)
    return run
  }

  async #cancel(runId: string): Promise<void> {
    try {
      await this.parts.actors.send(runAddress(runId), { type: 'cancel', withCall: true })
    } catch (error) {
      // the run does not exist or has ended
      if (!isOver(error)) throw error
    }
  }
}

const reason = ({ cause }: RunContext): string => (cause ? ` (${cause.code}: ${cause.message})` : '')
