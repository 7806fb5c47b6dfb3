/** Estimates the usage of a call that ended before the vendor reported it. */

import { countWords, promptWords } from './sandbox/words.ts'
import type { StepRequest, StepUsage } from './step.ts'

/** Approximate ratio for English text. */
const charactersPerToken = 4

/** The tokens of the request and of the streamed parts. The sandbox counts words instead. */
export async function estimatedUsage(
  { provider, system, messages, tools }: Pick<StepRequest, 'system' | 'messages' | 'tools'> & { provider: string },
  streamed: string,
): Promise<StepUsage> {
  const isSandbox = provider === 'sandbox'
  const inputTokens = isSandbox
    ? await promptWords(system, messages)
    : tokensIn(system.length + lengthOf(messages) + lengthOf(tools))
  const outputTokens = isSandbox ? await countWords(streamed) : tokensIn(streamed.length)
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    cachedInputTokens: 0,
    reasoningTokens: 0,
  }
}

const tokensIn = (characters: number) => Math.ceil(characters / charactersPerToken)

/** The characters of all texts, excluding images and files, whose size does not indicate their tokens. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  if ('type' in value && (value.type === 'image' || value.type === 'file')) return 0
  let length = 0
  for (const inner of Object.values(value)) length += lengthOf(inner)
  return length
}
