/** A run in the hands of a client. */
import { RunError, TroupeError } from '../client/errors.ts'
import type { RequestOptions } from '../client/options.ts'
import { pause } from '../client/pause.ts'
import type { RunsResource } from '../generated/resources.ts'
import type { AgentRun, AgentRunContinuation } from '../generated/schemas.ts'
import { type InferOutput, isStandardSchema, type StandardSchema, validated } from '../schemas/standard.ts'
import { resultOf, type ToolHandler, type ToolHandlers } from './answering.ts'
import { type RunEvent, type RunEventType, runEvents } from './events.ts'

/** What a completed run has said. */
export interface RunOutput {
  text: string
  /** The structured output, where the Agent has an `outputSchema`. */
  value?: unknown
}

/** Which events of a run. */
export interface EventsInput<Type extends RunEventType = RunEventType> {
  /** The sequence of the last event that is known: only later ones come. Default 0: all of them. */
  after?: number
  /** Only these. */
  types?: readonly Type[]
  /** 1: of steps only those at the root. */
  depth?: number
}

/** The longest that the server lets one request wait is twice as much. */
const waitSeconds = 30
/** Between two such requests; a server that shuts down answers them at once. */
const betweenMs = 250

const terminal = new Set(['completed', 'failed', 'canceled', 'expired'])

/** Whether a run in this state goes on only when it is continued. */
export const isTerminal = (state: string) => terminal.has(state)

/**
 * One run. Loop over it for its events, from the first one to the end; a lost connection is made anew, and no event is left
 * out or told twice.
 *
 *     const run = await troupe.runs.start({ agent: 'shop/production/clerk', query: 'Where is order A-17?' })
 *     for await (const event of run) if (event.type === 'step.delta') console.log(event.data.text)
 *     const { text } = await run.output()
 */
export class Run implements AsyncIterable<RunEvent> {
  readonly id: string
  readonly #runs: RunsResource

  /** `troupe.runs.start` and `troupe.runs.open` make one. */
  constructor(id: string, runs: RunsResource) {
    this.id = id
    this.#runs = runs
  }

  [Symbol.asyncIterator](): AsyncGenerator<RunEvent, void, undefined> {
    return this.events()
  }

  /** The events of the run. When the run waits for something, so does the loop. */
  events<Type extends RunEventType = RunEventType>(
    { after = 0, types, depth }: EventsInput<Type> = {},
    options: RequestOptions = {},
  ): AsyncGenerator<RunEvent<Type>, void, undefined> {
    const input = {
      agentRunId: this.id,
      after,
      ...(types && { types: [...types] }),
      ...(depth !== undefined && { depth }),
    }
    return runEvents(this.#runs, input, options) as AsyncGenerator<RunEvent<Type>, void, undefined>
  }

  /** The run as it is now. */
  get(options?: RequestOptions): Promise<AgentRun> {
    return this.#runs.get({ agentRunId: this.id }, options)
  }

  /**
   * Waits for the end of the run, and gives what it has said. Throws a `RunError` with the run's reason when it was not
   * completed. A run that waits for a person or a client is waited for.
   */
  output(options?: RequestOptions): Promise<RunOutput>
  /** The same, with the structured output checked and typed by a schema. */
  output<Schema extends StandardSchema>(schema: Schema, options?: RequestOptions): Promise<InferOutput<Schema>>
  async output(schema?: StandardSchema | RequestOptions, more?: RequestOptions): Promise<unknown> {
    const options = isStandardSchema(schema) ? more : schema
    for (;;) {
      const run = await this.#settled(options)
      if (isTerminal(run.state)) {
        const output = outputOf(run)
        return isStandardSchema(schema) ? validated(schema, output.value) : output
      }
      await this.#moved(options)
    }
  }

  /**
   * The result of a tool call that the run waits for, or of an external delegate. Others that it waits for stay open. Throws
   * `call_not_awaited` for a call that the run does not wait for: it would take the result for a new message.
   */
  async answer(toolCallId: string, result: unknown, options: RequestOptions = {}): Promise<AgentRun> {
    const { state, awaiting } = await this.get({ signal: options.signal })
    const call = awaiting?.pending.find((pending) => pending.toolCallId === toolCallId)
    if (!call) throw new TroupeError('call_not_awaited', `${this.id} is ${state} and does not wait for ${toolCallId}.`)
    if (call.kind === 'delegate')
      return this.#runs.giveDelegateResult({ agentRunId: this.id, toolCallId, result }, options)
    const query = JSON.stringify({ toolResults: [{ toolCallId, result }] })
    return this.#runs.continue({ agentRunId: this.id, query }, options)
  }

  /**
   * Answers the tool calls that the run waits for, by the name of the tool, until the run ends; gives what `output` gives.
   * What a handler throws is told to the model. Calls without a handler are left to others.
   */
  async answerWith(handlers: ToolHandlers, options: RequestOptions = {}): Promise<RunOutput> {
    const answered = new Set<string>()
    // every request has a key of its own
    const each = { ...options, idempotencyKey: undefined }
    for (;;) {
      const run = await this.#settled(options)
      if (isTerminal(run.state)) return outputOf(run)
      const calls = run.awaiting?.pending.filter(
        ({ kind, toolName, toolCallId }) => kind === 'tool' && handlers[toolName] && !answered.has(toolCallId),
      )
      if (!calls?.length) {
        await this.#moved(options)
        continue
      }
      const results = await Promise.all(
        calls.map(async (call) => {
          answered.add(call.toolCallId)
          const handler = handlers[call.toolName] as ToolHandler<unknown>
          const result = await resultOf(handler, call, { runId: this.id, signal: options.signal })
          return { toolCallId: call.toolCallId, result }
        }),
      )
      // meanwhile the run may have been answered or canceled elsewhere: it would take results for a new message
      const { awaiting } = await this.get(each)
      const toolResults = results.filter((result) => isPending(awaiting, result.toolCallId))
      if (toolResults.length === 0) continue
      await this.#runs.continue({ agentRunId: this.id, query: JSON.stringify({ toolResults }) }, each)
    }
  }

  /** Says more to a run that has ended, which goes on where it was. */
  async continue(
    query: string,
    more: Omit<AgentRunContinuation, 'query'> = {},
    options?: RequestOptions,
  ): Promise<this> {
    await this.#runs.continue({ agentRunId: this.id, query, ...more }, options)
    return this
  }

  /** Cancels the run; a step that runs is brought to its end first. */
  cancel(options?: RequestOptions): Promise<AgentRun> {
    return this.#runs.cancel({ agentRunId: this.id }, options)
  }

  /** The run, with its output, as soon as it has ended or waits for a person. */
  async #settled(options: RequestOptions = {}): Promise<AgentRun> {
    for (;;) {
      const run = await this.#runs.get({ agentRunId: this.id, waitSeconds, include: ['output'] }, options)
      if (isTerminal(run.state) || run.awaiting) return run
      await pause(betweenMs, options.signal)
    }
  }

  /** Resolves once a run that waits goes on; it may have done so already. */
  async #moved(options: RequestOptions = {}): Promise<void> {
    const input = { agentRunId: this.id, types: ['run.snapshot' as const, 'run.transition' as const] }
    for await (const event of runEvents(this.#runs, input, options)) {
      if (event.type !== 'run.snapshot' || !event.data.run.awaiting) return
    }
  }
}

const isPending = (awaiting: AgentRun['awaiting'], toolCallId: string) =>
  awaiting?.pending.some((call) => call.toolCallId === toolCallId) === true

/** What a run that has ended has said. Throws a `RunError` when it was not completed. */
function outputOf({ id, state, stateReason, output }: AgentRun): RunOutput {
  if (state !== 'completed') throw new RunError(id, state, stateReason)
  return output ?? { text: '' }
}
