/** A handle for a run. */
import { RunError, TroupeError } from '../client/errors.ts'
import type { RequestOptions } from '../client/options.ts'
import { pause } from '../client/pause.ts'
import { failuresMax } from '../client/stream.ts'
import type { RunsResource } from '../generated/resources.ts'
import type { AgentRun, AgentRunContinuation, NewAgentRunFork } from '../generated/schemas.ts'
import { type InferOutput, isStandardSchema, type StandardSchema, validated } from '../schemas/standard.ts'
import { resultOf, type ToolHandler, type ToolHandlers } from './answering.ts'
import { type RunEvent, type RunEventType, runEvents } from './events.ts'

/** The output of a completed run. */
export interface RunOutput {
  text: string
  /** The structured output, if the Agent has an `outputSchema`. */
  value?: unknown
}

/** Selects the events of a run. */
export interface EventsInput<Type extends RunEventType = RunEventType> {
  /** The sequence number of the last known event: only later events follow. Default 0: all events. */
  after?: number
  /** Only events of these types. */
  types?: readonly Type[]
  /** 1: only root steps. */
  depth?: number
}

/** Half of the longest time that the server lets one request wait. */
const waitSeconds = 30
/** The delay between two such requests; a server that shuts down answers them at once. */
const betweenMs = 250

const terminal = new Set(['completed', 'failed', 'canceled', 'expired'])

/** Whether a run in this state continues only by a continue. */
const isTerminal = (state: string) => terminal.has(state)

/**
 * One run. Loop over it for its events, from the first one to the end; after a lost connection it reconnects, without
 * missing or repeating an event.
 *
 *     const run = await troupe.runs.start({ agent: 'shop/production/clerk', query: 'Where is order A-17?' })
 *     for await (const event of run) if (event.type === 'step.delta') console.log(event.data.text)
 *     const { text } = await run.output()
 */
export class Run implements AsyncIterable<RunEvent> {
  readonly id: string
  readonly #runs: RunsResource

  /** Created by `troupe.runs.start` and `troupe.runs.open`. */
  constructor(id: string, runs: RunsResource) {
    this.id = id
    this.#runs = runs
  }

  [Symbol.asyncIterator](): AsyncGenerator<RunEvent, void, undefined> {
    return this.events()
  }

  /** The events of the run. The loop waits while the run waits for input. */
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

  /** The current state of the run. */
  get(options?: RequestOptions): Promise<AgentRun> {
    return this.#runs.get({ agentRunId: this.id }, options)
  }

  /**
   * Waits for the end of the run, and returns its output. Throws a `RunError` with the run's reason if it was not
   * completed, and `content_removed` if its content was removed. Keeps waiting while the run waits for a person or a
   * client, and while the server is unreachable, for about two minutes.
   */
  output(options?: RequestOptions): Promise<RunOutput>
  /** The same, with the structured output validated and typed by a schema. */
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
   * The result of a tool call or of an external delegate that the run waits for. Other calls stay open. Throws
   * `call_not_awaited` for a call that the run does not wait for, since the run would take the result for a new
   * message.
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
   * Answers the tool calls of the run by functions, by the name of the tool, until the run ends; returns the same as
   * `output`. The model gets the errors that a function throws. Calls without a function are left to other clients.
   */
  async answerWith(handlers: ToolHandlers, options: RequestOptions = {}): Promise<RunOutput> {
    const answered = new Set<string>()
    // every request has its own key
    const each = { ...options, idempotencyKey: undefined }
    for (;;) {
      const run = await this.#settled(options)
      if (isTerminal(run.state)) return outputOf(run)
      const calls = run.awaiting?.pending.filter(
        ({ kind, toolName, toolCallId }) =>
          kind === 'tool' && Object.hasOwn(handlers, toolName) && !answered.has(toolCallId),
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
      // the run may have been answered or canceled meanwhile: it would take results for a new message
      const { awaiting } = await this.get(each)
      const toolResults = results.filter((result) => isPending(awaiting, result.toolCallId))
      if (toolResults.length === 0) continue
      await this.#runs.continue({ agentRunId: this.id, query: JSON.stringify({ toolResults }) }, each)
    }
  }

  /** Continues a run that has ended with another message. */
  async continue(
    query: string,
    more: Omit<AgentRunContinuation, 'query'> = {},
    options?: RequestOptions,
  ): Promise<this> {
    await this.#runs.continue({ agentRunId: this.id, query, ...more }, options)
    return this
  }

  /** A new run that goes on from a checkpoint of this one, by default from its input. This run is not changed. */
  async fork(input: NewAgentRunFork = {}, options?: RequestOptions): Promise<Run> {
    const { id } = await this.#runs.fork({ agentRunId: this.id, ...input }, options)
    return new Run(id, this.#runs)
  }

  /** Cancels the run, which first finishes its current step; with `force` at once. */
  cancel({ force, ...options }: RequestOptions & { force?: boolean } = {}): Promise<AgentRun> {
    return this.#runs.cancel({ agentRunId: this.id, ...(force && { force }) }, options)
  }

  /** The run with its output, as soon as it has ended or waits for a person. */
  async #settled(options: RequestOptions = {}): Promise<AgentRun> {
    // outlasts the restart of a server, as a loop over the events does
    const patient = { ...options, maxRetries: options.maxRetries ?? failuresMax }
    for (;;) {
      const run = await this.#runs.get({ agentRunId: this.id, waitSeconds, include: ['output'] }, patient)
      if (isTerminal(run.state) || run.awaiting) return run
      await pause(betweenMs, options.signal)
    }
  }

  /** Resolves once a waiting run continues; it may already have done so. */
  async #moved(options: RequestOptions = {}): Promise<void> {
    const input = { agentRunId: this.id, types: ['run.snapshot' as const, 'run.transition' as const] }
    for await (const event of runEvents(this.#runs, input, options)) {
      if (event.type !== 'run.snapshot' || !event.data.run.awaiting) return
    }
  }
}

const isPending = (awaiting: AgentRun['awaiting'], toolCallId: string) =>
  awaiting?.pending.some((call) => call.toolCallId === toolCallId) === true

/** The output of an ended run. Throws a `RunError` if it was not completed, `content_removed` if it is gone. */
function outputOf({ id, state, stateReason, output }: AgentRun): RunOutput {
  if (state !== 'completed') throw new RunError(id, state, stateReason)
  if (!output) throw new TroupeError('content_removed', `The output of ${id} was removed at the end of its retention.`)
  return output
}
