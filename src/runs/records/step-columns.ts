/**
 * Columns of a step that hold lists without names, because nearly every run stores a few steps, and each name would be
 * stored with each of them. Absent values at the end are left out. Rows of earlier versions hold JSON objects.
 */

import type { StepExecution, TokenUsage } from '../runner/protocol/protocol.ts'
import type { AgentStep } from '../schema.ts'

type Agent = AgentStep['agent']

export const noUsage: TokenUsage = {
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
  cachedInputTokens: 0,
  reasoningTokens: 0,
}
export const noExecution: StepExecution = {
  provider: null,
  model: null,
  finishReason: null,
  toolCallId: null,
  retries: 0,
}

/** Writes the values up to the last one that says something. */
function listOf(values: readonly (string | number | null)[]): string {
  let length = values.length
  while (length > 0 && (values[length - 1] === null || values[length - 1] === 0)) length -= 1
  return JSON.stringify(values.slice(0, length))
}

export const usageText = (usage: TokenUsage): string =>
  listOf([usage.inputTokens, usage.outputTokens, usage.totalTokens, usage.cachedInputTokens, usage.reasoningTokens])

export function readUsage(text: string): TokenUsage {
  const stored: unknown = JSON.parse(text)
  if (!Array.isArray(stored)) return { ...noUsage, ...(stored as TokenUsage) }
  const [inputTokens = 0, outputTokens = 0, totalTokens = 0, cachedInputTokens = 0, reasoningTokens = 0] =
    stored as number[]
  return { inputTokens, outputTokens, totalTokens, cachedInputTokens, reasoningTokens }
}

/** The sum of two usages. */
export const sumOfUsage = (one: TokenUsage, other: TokenUsage): TokenUsage => ({
  inputTokens: one.inputTokens + other.inputTokens,
  outputTokens: one.outputTokens + other.outputTokens,
  totalTokens: one.totalTokens + other.totalTokens,
  cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
  reasoningTokens: one.reasoningTokens + other.reasoningTokens,
})

/** `token_usage` of a step without usage. */
export const noUsageText = usageText(noUsage)
const noUsageObject = JSON.stringify(noUsage)
/** Whether `token_usage` has more than zeros. */
export const hasUsage = (text: string): boolean => text !== noUsageText && text !== noUsageObject

export const executionText = (execution: StepExecution): string =>
  listOf([
    execution.provider,
    execution.model,
    execution.finishReason,
    execution.toolCallId,
    execution.retries,
    execution.workflowRunId ?? null,
  ])

export function readExecution(text: string): StepExecution {
  const stored: unknown = JSON.parse(text)
  if (!Array.isArray(stored)) return { ...noExecution, ...(stored as StepExecution) }
  const [provider = null, model = null, finishReason = null, toolCallId = null, retries = 0, workflowRunId] = stored
  return { provider, model, finishReason, toolCallId, retries: retries ?? 0, ...(workflowRunId && { workflowRunId }) }
}

/** `execution` of a step without one. */
export const noExecutionText = executionText(noExecution)

export const agentText = ({ agentId, agentRevisionId, name }: Agent): string =>
  JSON.stringify([agentId, agentRevisionId, name])

export function readAgent(text: string): Agent {
  const stored: unknown = JSON.parse(text)
  if (!Array.isArray(stored)) return stored as Agent
  const [agentId, agentRevisionId, name] = stored as [string, string, string]
  return { agentId, agentRevisionId, name }
}
