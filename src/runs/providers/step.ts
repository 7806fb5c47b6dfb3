/** What one model step is asked and what it answers, in the words of this server rather than of a vendor. */
import type { AssistantModelMessage, ModelMessage } from 'ai'
import type { Provider } from '../../platform/models/vendors.ts'
import type { ReasoningBudget } from './reasoning.ts'
import type { ModelSettings } from './sent-settings.ts'

/** A tool that the model may call. */
export interface ToolDefinition {
  name: string
  description?: string
  /** JSON Schema of an object. */
  inputSchema: Record<string, unknown>
}

/** Which model is called, where, and with whose key. */
export interface ModelAccess {
  provider: Provider
  model: string
  /** Needed unless `baseUrl` is set, where a local server may do without. */
  apiKey?: string | null
  /** The deployment's override, version path included. Source: contract 4, `TROUPE_<VENDOR>_BASE_URL`. */
  baseUrl?: string | null
  reasoningBudget?: ReasoningBudget | null
}

export interface StepRequest extends ModelAccess, ModelSettings {
  /** The instructions. */
  system: string
  messages: ModelMessage[]
  tools: ToolDefinition[]
  /** JSON Schema of the answer, in the order in which it was written. The instructions tell of it already. */
  outputSchema?: Record<string, unknown>
  /** Ends the step and the vendor's HTTP call. */
  signal: AbortSignal
  /** Position in the attempt chain, from 1. Only the sandbox model looks at it. */
  attempt: number
  /** How long a vendor may stay silent; default 240,000. */
  silenceMsMax?: number
  /** Carries the vendor's HTTP call; default the platform's. */
  fetch?: typeof fetch
}

/** More than any step reads or writes: whoever says so has miscounted. */
export const stepTokensMax = 1_000_000_000

/** Tokens, 0 where the vendor doesn't say. */
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
  /** To be appended to the conversation: plain JSON, with what the vendor wants to see again, such as signatures. */
  assistantMessage: AssistantModelMessage
}

/**
 * The parts of a step. Text, reasoning and tool input are deltas. Tool calls come complete, and only once the vendor has
 * finished, so that no call of a failed step is ever acted upon. A step that doesn't throw ends with exactly one `finish`.
 */
export type StepPart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'toolInput'; toolCallId: string; toolName: string; text: string }
  | { type: 'toolCall'; toolCallId: string; toolName: string; input: Record<string, unknown> }
  | StepFinish

/** What a step throws when its signal has fired. */
export const aborted = () => new DOMException('The model step was aborted.', 'AbortError')
