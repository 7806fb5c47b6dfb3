/** Converts a reasoning budget to each vendor's options. Source: contract 5, `reasoningBudget`. */
import type { SharedV3ProviderOptions } from '@ai-sdk/provider'
import type { Vendor } from '../../platform/models/vendors.ts'

type ReasoningLevel = 'low' | 'medium' | 'high'
/** Tokens, 0 to 100,000 (0: no reasoning, or the model's minimum), or a level. */
export type ReasoningBudget = number | ReasoningLevel

const levelTokens: Record<ReasoningLevel, number> = { low: 4_096, medium: 16_384, high: 32_768 }

const clamp = (value: number, min: number, max: number) => Math.min(Math.max(value, min), max)

/** Converts a budget to one vendor's option; null if the model has none, in which case the budget is ignored. */
type Mapping = (tokens: number, level: ReasoningLevel, model: string) => SharedV3ProviderOptions[string] | null

/**
 * | vendor | models | option |
 * |---|---|---|
 * | anthropic | Claude 3.7 to 4.5 | `thinking.budgetTokens`, at least 1,024 and below the model's output limit |
 * | | Claude 4.6 and later | adaptive `thinking` with `effort` |
 * | openai | o-series, GPT-5 and later; any name with an override | `reasoningEffort` |
 * | google | Gemini 2.5 and the `-latest` names | `thinkingBudget` |
 * | | Gemini 3 and later | `thinkingLevel` |
 * | mistral | Small and Medium of 2026 | `reasoningEffort`: all or none |
 * | xai | Grok 4.3 and later | `reasoningEffort` |
 * | groq | gpt-oss; qwen3 | `reasoningEffort`; all or none |
 * | deepseek | all | `thinking` on or off, `reasoningEffort` |
 * | cohere | reasoning models | `thinking.tokenBudget` |
 */
const mappings: Readonly<Record<Vendor, Mapping>> = {
  anthropic(tokens, level, model) {
    if (!model.startsWith('claude-') || /^claude-(?:instant|2|3-(?!7))/.test(model)) return null
    if (tokens === 0) return { thinking: { type: 'disabled' } }
    if (/^claude-(?:3-7|(?:opus|sonnet|haiku)-4(?:-[015]\b|-\d{8}|$))/.test(model)) {
      const max = /^claude-opus-4(?:-[01]\b|-\d{8}|$)/.test(model) ? 24_000 : 48_000
      return { thinking: { type: 'enabled', budgetTokens: clamp(tokens, 1_024, max) } }
    }
    return { thinking: { type: 'adaptive', display: 'summarized' }, effort: level }
  },

  openai(tokens, level, model) {
    // Models without reasoning reject the option, and the -pro models have a single effort.
    if (/^(?:ft:)?(?:gpt-[34]|chatgpt-)|-pro(?:-|$)|-chat(?:-|$)/.test(model)) return null
    if (tokens > 0) return { reasoningEffort: level }
    return { reasoningEffort: /^o\d/.test(model) ? 'low' : /^gpt-5(?:-|$)/.test(model) ? 'minimal' : 'none' }
  },

  google(tokens, level, model) {
    const includeThoughts = tokens > 0
    if (/gemini-(?:[3-9]|\d\d)/.test(model)) {
      const least = model.includes('flash') ? 'minimal' : 'low'
      return { thinkingConfig: { thinkingLevel: tokens === 0 ? least : level, includeThoughts } }
    }
    if (!/gemini-2\.5|-latest$/.test(model)) return null
    const min = model.includes('pro') ? 128 : tokens === 0 ? 0 : 512
    const thinkingBudget = clamp(tokens, min, model.includes('pro') ? 32_768 : 24_576)
    return { thinkingConfig: { thinkingBudget, includeThoughts } }
  },

  mistral: (tokens, _level, model) =>
    /^mistral-(?:small-(?:latest|26)|medium-(?:latest|3\.5|26))/.test(model)
      ? { reasoningEffort: tokens === 0 ? 'none' : 'high' }
      : null,

  xai: (tokens, level, model) =>
    /^grok-(?:4\.[3-9](?!\d)|[5-9]|\d\d)/.test(model) ? { reasoningEffort: tokens === 0 ? 'none' : level } : null,

  groq(tokens, level, model) {
    if (model.includes('gpt-oss')) return { reasoningEffort: level }
    return model.includes('qwen3') ? { reasoningEffort: tokens === 0 ? 'none' : 'default' } : null
  },

  deepseek: (tokens, level) =>
    tokens === 0
      ? { thinking: { type: 'disabled' } }
      : { thinking: { type: 'enabled' }, reasoningEffort: level === 'low' ? 'low' : 'high' },

  cohere(tokens, _level, model) {
    if (!model.includes('reasoning')) return null
    return { thinking: tokens === 0 ? { type: 'disabled' } : { type: 'enabled', tokenBudget: tokens } }
  },
}

/** The vendor's options for a budget, or null if the vendor or the model has none. */
export function reasoningOptions(vendor: Vendor, model: string, budget: ReasoningBudget) {
  const tokens = typeof budget === 'number' ? budget : levelTokens[budget]
  const level = tokens <= levelTokens.low ? 'low' : tokens <= levelTokens.medium ? 'medium' : 'high'
  return mappings[vendor](tokens, level, model.toLowerCase())
}
