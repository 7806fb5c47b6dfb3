/**
 * The events of a turn, for all protocols: the run's own text, tools and end. The steps of a delegate appear as the
 * delegate's tool call; attempts do not appear.
 */
import { createParser } from 'eventsource-parser'
import type { PresentedRun, PresentedStep } from '../../runs/present.ts'

/** A call that the run waits for. */
export type PendingCall = NonNullable<PresentedRun['awaiting']>['pending'][number]

interface ToolCall {
  toolCallId: string
  toolName: string
  input: unknown
}

/** `at`: when it happened. */
export type TurnEvent = { at?: string } & TurnHappening

type TurnHappening =
  /** A keep-alive. */
  | { type: 'idle' }
  /** The model's text. */
  | { type: 'text' | 'reasoning'; stepId: number; text: string }
  /** The model's input of a call. */
  | { type: 'toolInput'; stepId: number; toolCallId: string; toolName: string; text: string }
  | { type: 'modelStarted'; stepId: number }
  /** `text` is its complete text. */
  | {
      type: 'modelEnded'
      stepId: number
      text: string
      toolCalls: ToolCall[]
      usage: PresentedStep['tokenUsage']
      model: string | null
    }
  /** Its text is void: the step is repeated, or the turn fails. */
  | { type: 'modelFailed'; stepId: number }
  /** The run itself calls a tool or a delegate. */
  | { type: 'toolStarted'; call: ToolCall }
  | { type: 'toolEnded'; call: ToolCall; output: unknown; error: { code: string; message: string } | null }
  /** A delegate's call has its outcome. */
  | { type: 'delegateToolEnded'; toolCallId: string }
  /** The run waits for these. */
  | { type: 'waiting'; pending: readonly PendingCall[] }
  /** The run goes on after a wait, or has ended in it. */
  | { type: 'resumed' }
  /** All further events are new; only for a reader that asked for everything since the message. */
  | { type: 'current' }
  /** `output`: of a completed run. */
  | { type: 'ended'; run: PresentedRun; output: unknown }

/** An event of a run's stream. */
export interface StreamEvent {
  type: string
  /** Undefined for the last event of a stream whose authority has ended. */
  sequence: number | undefined
  at?: string
  agentStepId?: number
  // biome-ignore lint/suspicious/noExplicitAny: each type has data of its own, which this module knows
  data: any
}

/** The calls that the run still waits for after the event. */
export function left(pending: readonly PendingCall[], event: TurnEvent): readonly PendingCall[] {
  if (event.type !== 'toolEnded' && event.type !== 'delegateToolEnded') return pending
  const { toolCallId: ended } = event.type === 'toolEnded' ? event.call : event
  return pending.filter(({ toolCallId }) => toolCallId !== ended)
}

/** Parses the events of a run's stream from its bytes; a comment is `idle`. */
export async function* readStream(stream: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent | 'idle'> {
  const decoder = new TextDecoder()
  const read: (StreamEvent | 'idle')[] = []
  const parser = createParser({
    onEvent: ({ event = '', id, data }) => {
      const { agentStepId, at, ...body } = JSON.parse(data)
      read.push({ type: event, sequence: id === undefined ? undefined : Number(id), at, agentStepId, data: body.data })
    },
    onComment: () => void read.push('idle'),
  })
  for await (const chunk of stream) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    yield* read.splice(0)
  }
}

type Converted = TurnEvent | undefined

/** Converts the events of a stream to events of a turn. */
export class TurnReader {
  /** The run's own steps; all others belong to delegates. */
  readonly #roots = new Set<number>()
  readonly #models = new Set<number>()
  #output: unknown = null

  /** undefined: not shown to clients of protocols. */
  read(event: StreamEvent): Converted {
    const converted = this.#convert(event)
    if (converted && event.at !== undefined) converted.at = event.at
    return converted
  }

  #convert({ type, agentStepId, data }: StreamEvent): Converted {
    switch (type) {
      case 'step.started':
        return this.#started(data)
      case 'step.delta':
        return this.#delta(agentStepId as number, data)
      case 'step.completed':
      case 'step.failed':
        return this.#ended(data)
      case 'run.transition':
        return data.from?.startsWith('awaiting') && data.to !== data.from ? { type: 'resumed' } : undefined
      case 'input.requested':
        return { type: 'waiting', pending: data.pending }
      case 'end':
        return { type: 'ended', run: data, output: data.state === 'completed' ? this.#output : null }
      default:
        return undefined
    }
  }

  #started(step: PresentedStep): Converted {
    const { kind, agentStepId: stepId, parentAgentStepId: parent } = step
    if (kind === 'agent' && parent === null) this.#roots.add(stepId)
    if (!this.#isOwn(step)) return undefined
    if (kind === 'tool' || kind === 'delegate') return { type: 'toolStarted', call: callOf(step) }
    if (kind !== 'model') return undefined
    this.#models.add(stepId)
    return { type: 'modelStarted', stepId }
  }

  #delta(stepId: number, { kind, text, toolCallId, toolName }: Record<string, string>): Converted {
    if (!this.#models.has(stepId) || text === undefined) return undefined
    if (kind === 'text' || kind === 'reasoning') return { type: kind, stepId, text }
    if (toolCallId === undefined || toolName === undefined) return undefined
    return { type: 'toolInput', stepId, toolCallId, toolName, text }
  }

  #ended(step: PresentedStep): Converted {
    const { kind, agentStepId: stepId, status } = step
    if (this.#roots.has(stepId) && status === 'completed') this.#output = step.output
    if (!this.#isOwn(step)) {
      const { toolCallId } = step.execution
      return toolCallId === null ? undefined : { type: 'delegateToolEnded', toolCallId }
    }
    if (kind === 'model') {
      if (status !== 'completed') return { type: 'modelFailed', stepId }
      const { text = '', toolCalls = [] } = Object(step.output) as { text?: string; toolCalls?: ToolCall[] }
      return { type: 'modelEnded', stepId, text, toolCalls, usage: step.tokenUsage, model: step.execution.model }
    }
    if (kind === 'agent') return undefined
    return { type: 'toolEnded', call: callOf(step), output: step.output, error: step.error }
  }

  #isOwn({ parentAgentStepId: parent }: PresentedStep): boolean {
    return parent !== null && this.#roots.has(parent)
  }
}

const callOf = ({ execution, name, input }: PresentedStep): ToolCall => ({
  toolCallId: execution.toolCallId ?? '',
  toolName: name,
  input,
})
