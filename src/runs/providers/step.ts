/** Request and result of a model step, independent of the vendor. */
import type { AssistantModelMessage, ModelMessage } from 'ai'
import type { Provider } from '../../platform/models/vendors.ts'
import type { TraceContext } from '../../platform/tracing/trace-context.ts'
import type { ReasoningBudget } from './reasoning.ts'
import type { ModelSettings } from './sent-settings.ts'

/** A tool that the model may call. */
export interface ToolDefinition {
  name: string
  description?: string
  /** The JSON Schema of the input, of type object. */
  inputSchema: Record<string, unknown>
}

/** A model with its endpoint and key. */
export interface ModelAccess {
  provider: Provider
  model: string
  /** Required unless `baseUrl` is set, since a local server may not need one. */
  apiKey?: string | null
  /** The server's override, including the version path. Source: contract 4, `TROUPE_<VENDOR>_BASE_URL`. */
  baseUrl?: string | null
  reasoningBudget?: ReasoningBudget | null
}

export interface StepRequest extends ModelAccess, ModelSettings {
  /** The instructions. */
  system: string
  messages: ModelMessage[]
  tools: ToolDefinition[]
  /** The JSON Schema of the answer, in its original key order. The instructions already contain it. */
  outputSchema?: Record<string, unknown>
  /** Aborts the step and the vendor's HTTP call. */
  signal: AbortSignal
  /** The attempt's number in its chain, from 1. Used only by the sandbox model. */
  attempt: number
  /** The maximum time without data from the vendor, in milliseconds; default 240,000. */
  silenceMsMax?: number
  /** The step's span, sent to gateways; null or omitted: traces are disabled. */
  trace?: TraceContext | null
  /** Sends the vendor's HTTP request; default: the global fetch. */
  fetch?: typeof fetch
}

/** An upper bound on plausible token counts. */
export const stepTokensMax = 1_000_000_000

/** Token counts, 0 if the vendor reports none. */
export interface StepUsage {
  inputTokens: number
  outputTokens: number
  totalTokens: number
  cachedInputTokens: number
  reasoningTokens: number
}

export type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'other'

export interface StepFinish {
  type: 'finish'
  finishReason: FinishReason
  usage: StepUsage
  /** The message to append to the conversation: plain JSON with what the vendor requires back, such as signatures. */
  assistantMessage: AssistantModelMessage
}

/**
 * The parts of a step. Text, reasoning and tool input are deltas. Tool calls are complete and come after the vendor has
 * finished, so that no call of a failed step is executed. A step that does not throw ends with exactly one `finish`.
 */
export type StepPart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'toolInput'; toolCallId: string; toolName: string; text: string }
  | { type: 'toolCall'; toolCallId: string; toolName: string; input: Record<string, unknown> }
  | StepFinish

/** The error of an aborted step. */
export const aborted = () => new DOMException('The model step was aborted.', 'AbortError')
