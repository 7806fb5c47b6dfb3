/**
 * The fields of a step that are stored with its frame because they may change later. Nearly every step has two stored
 * frames, so the common forms are lists without names; any other is stored as it is.
 */
import type { AgentStepRow } from '../../../storage/tables.ts'
import { executionText, readExecution, readUsage, usageText } from '../records/step-columns.ts'

/** The fields of a step that may change after the frame. Older frames do not have all of them. */
type StepMark = Partial<Pick<AgentStepRow, 'execution' | 'last_checkpoint_id' | 'token_usage' | 'cost' | 'updated_at'>>

/** The mark in a step's frame, in one of three forms. */
export interface StoredMark {
  /** At a start: provider, model, id of the tool call. */
  start?: readonly [provider: string | null, model: string | null, toolCallId: string | null]
  /**
   * At an end: the five counts of `TokenUsage` in order, then the last checkpoint. The step was last changed at the
   * frame's time.
   */
  end?: readonly [number, number, number, number, number, lastCheckpointId: number | null]
  /** At an end with a price: JSON. */
  cost?: string
  as?: StepMark
}

/** The mark of a step that starts. */
export function markOfStart({ execution }: AgentStepRow): StoredMark {
  const { provider, model, finishReason, toolCallId, retries } = readExecution(execution)
  return finishReason === null && retries === 0 ? { start: [provider, model, toolCallId] } : { as: { execution } }
}

/** The mark of a step that ends with the frame. */
export function markOfEnd({ token_usage, last_checkpoint_id, cost }: AgentStepRow): StoredMark {
  const used = readUsage(token_usage)
  const { inputTokens, outputTokens, totalTokens, cachedInputTokens, reasoningTokens } = used
  return {
    end: [inputTokens, outputTokens, totalTokens, cachedInputTokens, reasoningTokens, last_checkpoint_id],
    ...(cost !== null && { cost }),
  }
}

/** The fields of the step as of the frame, at the frame's time. */
export function readMark({ start, end, cost, as }: StoredMark, at: number): StepMark {
  if (start) {
    const [provider, model, toolCallId] = start
    return { execution: executionText({ provider, model, finishReason: null, toolCallId, retries: 0 }) }
  }
  if (!end) return as ?? {}
  const [inputTokens, outputTokens, totalTokens, cachedInputTokens, reasoningTokens, last_checkpoint_id] = end
  const usage = { inputTokens, outputTokens, totalTokens, cachedInputTokens, reasoningTokens }
  return {
    last_checkpoint_id,
    token_usage: usageText(usage),
    updated_at: at,
    ...(cost !== undefined && { cost }),
  }
}
