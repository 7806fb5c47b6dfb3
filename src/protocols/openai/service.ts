/** OpenAI's endpoints, on top of turns. */
import { ApiError, invalid, notFound } from '../../platform/http/answers/errors.ts'
import type { KeyedContext } from '../../platform/http/changes/idempotency.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { ProtocolAgents, ReachedAgent } from '../agents.ts'
import type { Turn, Turns } from '../turns/turns.ts'
import { type NamedResponse, readResponseId } from './calls.ts'
import { answerCalls, assertOfAgent, type TurnInput } from './turn-input.ts'

export class OpenAi {
  constructor(
    private readonly agents: ProtocolAgents,
    private readonly turns: Turns,
  ) {}

  /** Throws `notFound` for a model outside the credential's scope. */
  agent(caller: Caller, model: string): Promise<ReachedAgent> {
    return this.agents.find(caller, model).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status !== 404) throw error
      throw new ApiError(404, 'not_found', `The model ${model} does not exist or you do not have access to it.`, {
        at: '/body/model',
      })
    })
  }

  async models(caller: Caller) {
    return (await this.agents.list(caller)).map(modelOf)
  }

  async model(caller: Caller, address: string) {
    return modelOf(await this.agent(caller, address))
  }

  /** Begins a turn of a new run, or of the run that waits for the outputs. */
  async begin(context: KeyedContext, caller: Caller, agent: ReachedAgent, input: TurnInput): Promise<Turn> {
    const { turns } = this
    if (input.outputs) return answerCalls(turns, context, caller, agent, input.outputs)
    return turns.start(context, caller, agent, input.message ?? {})
  }

  /** Begins the turn after a response. Throws `previous_response_not_latest` (400), and 409 while the run is active. */
  async goOn(
    context: KeyedContext,
    caller: Caller,
    agent: ReachedAgent,
    input: TurnInput,
    previousId: string,
  ): Promise<Turn> {
    const { turns } = this
    const at = '/body/previous_response_id'
    const named = readResponseId(previousId)
    const missing = new ApiError(404, 'not_found', `Previous response with id '${previousId}' not found.`, { at })
    if (!named) throw missing
    const previous = await turns.latest(caller, named.runId).catch((error: unknown) => {
      throw error instanceof ApiError && error.status === 404 ? missing : error
    })
    assertOfAgent(previous, agent, '/body/model')
    if (named.turn > previous.number) throw missing
    const notLatest = new ApiError(
      400,
      'previous_response_not_latest',
      'The conversation has moved on since this response; continue the newest one.',
      { at },
    )
    if (named.turn < previous.number) throw notLatest
    return this.#after(context, caller, agent, input, previous).catch(async (error: unknown) => {
      // another request may have continued the response at this moment
      const isRefused = error instanceof ApiError && error.status < 500
      throw isRefused && (await turns.latest(caller, named.runId)).number > named.turn ? notLatest : error
    })
  }

  async #after(
    context: KeyedContext,
    caller: Caller,
    agent: ReachedAgent,
    input: TurnInput,
    previous: Turn,
  ): Promise<Turn> {
    const { turns } = this
    const waits = previous.run.awaiting?.pending.some(({ kind }) => kind === 'tool') === true
    if (waits && input.followsOutputs) {
      const message = 'The outputs of calls are sent alone: send the message after them, with the next response.'
      throw invalid([{ path: '/body/input', message }])
    }
    if (input.outputs || waits) {
      // without outputs the error names the missing one
      return answerCalls(turns, context, caller, agent, input.outputs ?? [noOutput(previous)])
    }
    return turns.goOn(context, caller, previous, input.message ?? {})
  }

  /** The turn of a response, and its current run. Throws `notFound`, also once the content of the run was removed. */
  async find(caller: Caller, responseId: string): Promise<{ turn: Turn; named: NamedResponse }> {
    const named = readResponseId(responseId)
    if (!named) throw notFound()
    const { run, number } = await this.turns.latest(caller, named.runId)
    if (named.turn > number || run.contentRetention.removedAt) throw notFound()
    return { turn: { run, number: named.turn }, named }
  }

  /** The address of the run's agent, as the credential knows it; its id if it is no longer deployed. */
  async addressOf(caller: Caller, { run }: Turn): Promise<string> {
    const { agentId, environmentId } = run
    const reached = environmentId === null ? undefined : await this.agents.inEnvironment(caller, environmentId, agentId)
    return reached?.address ?? agentId
  }
}

const noOutput = ({ run }: Turn) => ({
  callId: `call_${run.id.slice('run_'.length)}_`,
  output: '',
  hasFiles: false,
  path: '/body/input',
})

const modelOf = ({ address }: ReachedAgent) => ({ id: address, object: 'model', created: 0, owned_by: 'troupe' })
