/**
 * The fields of a step that are stored with its frame because they may change later. Nearly every step has two stored
 * frames, so the common forms are lists without names; any other is stored as it is.
 */
import type { AgentStepRow } from '../../../storage/tables.ts'

/** The fields of a step that may change after the frame. Older frames do not have all of them. */
export type StepMark = Partial<
  Pick<AgentStepRow, 'execution' | 'last_checkpoint_id' | 'token_usage' | 'cost' | 'updated_at'>
>

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

const text = String.raw`("[^"\\]*"|null)`
const started = new RegExp(
  `^\\{"provider":${text},"model":${text},"finishReason":null,"toolCallId":${text},"retries":0\\}$`,
)
const used =
  /^\{"inputTokens":(\d{1,15}),"outputTokens":(\d{1,15}),"totalTokens":(\d{1,15}),"cachedInputTokens":(\d{1,15}),"reasoningTokens":(\d{1,15})\}$/

const unquoted = (value: string | undefined) => (value === undefined || value === 'null' ? null : value.slice(1, -1))

/** The mark of a step that starts. */
export function markOfStart({ execution }: AgentStepRow): StoredMark {
  const [found, provider, model, toolCallId] = started.exec(execution) ?? []
  if (found === undefined) return { as: { execution } }
  return { start: [unquoted(provider), unquoted(model), unquoted(toolCallId)] }
}

/** The mark of a step that ends with the frame. */
export function markOfEnd({ token_usage, last_checkpoint_id, updated_at, cost }: AgentStepRow): StoredMark {
  const counts = used.exec(token_usage)
  if (!counts) return { as: { last_checkpoint_id, token_usage, updated_at, ...(cost !== null && { cost }) } }
  const [, input, output, total, cached, reasoning] = counts.map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  return { end: [input, output, total, cached, reasoning, last_checkpoint_id], ...(cost !== null && { cost }) }
}

/** The fields of the step as of the frame, at the frame's time. */
export function readMark({ start, end, cost, as }: StoredMark, at: number): StepMark {
  if (start) {
    const [provider, model, toolCallId] = start
    return { execution: JSON.stringify({ provider, model, finishReason: null, toolCallId, retries: 0 }) }
  }
  if (!end) return as ?? {}
  const [inputTokens, outputTokens, totalTokens, cachedInputTokens, reasoningTokens, last_checkpoint_id] = end
  const usage = { inputTokens, outputTokens, totalTokens, cachedInputTokens, reasoningTokens }
  return {
    last_checkpoint_id,
    token_usage: JSON.stringify(usage),
    updated_at: at,
    ...(cost !== undefined && { cost }),
  }
}
