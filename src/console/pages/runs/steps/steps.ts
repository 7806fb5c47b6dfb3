/** Steps of a run as the console reads them. */
import type { PresentedStep } from '../../../../runs/present.ts'
import type { IconName } from '../../../ui/icon.tsx'

export type Step = PresentedStep

export const stepIcons: Record<Step['kind'], IconName> = {
  agent: 'agent',
  model: 'chat',
  tool: 'bolt',
  delegate: 'people',
}

/** Depth of each step below its attempt; a step with an unknown parent counts as a child of an attempt. */
export function depthsOf(steps: readonly Step[]): Map<number, number> {
  const depths = new Map<number, number>()
  for (const { agentStepId, parentAgentStepId } of steps) {
    const above = parentAgentStepId === null ? -1 : (depths.get(parentAgentStepId) ?? 0)
    depths.set(agentStepId, above + 1)
  }
  return depths
}

export interface TokenSums {
  input: number
  output: number
  cached: number
  reasoning: number
  total: number
}

/** Token usage of steps that are not nested: the attempts of a run. */
export function tokenSumsOf(roots: readonly Step[]): TokenSums {
  const sums = { input: 0, output: 0, cached: 0, reasoning: 0, total: 0 }
  for (const { tokenUsage } of roots) {
    sums.input += tokenUsage.inputTokens
    sums.output += tokenUsage.outputTokens
    sums.cached += tokenUsage.cachedInputTokens
    sums.reasoning += tokenUsage.reasoningTokens
    sums.total += tokenUsage.totalTokens
  }
  return sums
}

const numbers = new Intl.NumberFormat('en')

/** `12,345` */
export const countText = (count: number): string => numbers.format(count)
