import { expect, test } from 'bun:test'
import type { Vendor } from '../../../src/platform/models/vendors.ts'
import { type ReasoningBudget, reasoningOptions } from '../../../src/runs/providers/reasoning.ts'
import { collect, startVendor, stepRequest, streaming } from './vendor-server.ts'
import { frames } from './wire.ts'

const high = { reasoningEffort: 'high' }
const budgets: { vendor: Vendor; model: string; budget: ReasoningBudget; options: object | null }[] = [
  {
    vendor: 'anthropic',
    model: 'claude-sonnet-4-5',
    budget: 'low',
    options: { thinking: { type: 'enabled', budgetTokens: 4_096 } },
  },
  {
    vendor: 'anthropic',
    model: 'claude-sonnet-4-5',
    budget: 5_000,
    options: { thinking: { type: 'enabled', budgetTokens: 5_000 } },
  },
  {
    vendor: 'anthropic',
    model: 'claude-sonnet-4-5',
    budget: 1,
    options: { thinking: { type: 'enabled', budgetTokens: 1_024 } },
  },
  {
    vendor: 'anthropic',
    model: 'claude-opus-4-1',
    budget: 100_000,
    options: { thinking: { type: 'enabled', budgetTokens: 24_000 } },
  },
  { vendor: 'anthropic', model: 'claude-sonnet-4-5', budget: 0, options: { thinking: { type: 'disabled' } } },
  {
    vendor: 'anthropic',
    model: 'claude-opus-4-8',
    budget: 'high',
    options: { thinking: { type: 'adaptive', display: 'summarized' }, effort: 'high' },
  },
  { vendor: 'anthropic', model: 'claude-3-haiku-20240307', budget: 'high', options: null },
  { vendor: 'openai', model: 'gpt-5.5', budget: 'medium', options: { reasoningEffort: 'medium' } },
  { vendor: 'openai', model: 'gpt-5', budget: 0, options: { reasoningEffort: 'minimal' } },
  { vendor: 'openai', model: 'gpt-5.5', budget: 0, options: { reasoningEffort: 'none' } },
  { vendor: 'openai', model: 'o3', budget: 0, options: { reasoningEffort: 'low' } },
  { vendor: 'openai', model: 'o3', budget: 50_000, options: high },
  { vendor: 'openai', model: 'gpt-4o', budget: 'high', options: null },
  {
    vendor: 'google',
    model: 'gemini-2.5-flash',
    budget: 2_000,
    options: { thinkingConfig: { thinkingBudget: 2_000, includeThoughts: true } },
  },
  {
    vendor: 'google',
    model: 'gemini-2.5-flash',
    budget: 0,
    options: { thinkingConfig: { thinkingBudget: 0, includeThoughts: false } },
  },
  {
    vendor: 'google',
    model: 'gemini-2.5-pro',
    budget: 0,
    options: { thinkingConfig: { thinkingBudget: 128, includeThoughts: false } },
  },
  {
    vendor: 'google',
    model: 'gemini-2.5-pro',
    budget: 100_000,
    options: { thinkingConfig: { thinkingBudget: 32_768, includeThoughts: true } },
  },
  {
    vendor: 'google',
    model: 'gemini-3-flash-preview',
    budget: 'medium',
    options: { thinkingConfig: { thinkingLevel: 'medium', includeThoughts: true } },
  },
  {
    vendor: 'google',
    model: 'gemini-3-pro-preview',
    budget: 0,
    options: { thinkingConfig: { thinkingLevel: 'low', includeThoughts: false } },
  },
  { vendor: 'google', model: 'gemma-3-27b-it', budget: 'high', options: null },
  { vendor: 'mistral', model: 'mistral-medium-latest', budget: 'low', options: high },
  { vendor: 'mistral', model: 'mistral-medium-latest', budget: 0, options: { reasoningEffort: 'none' } },
  { vendor: 'mistral', model: 'magistral-medium-2509', budget: 'high', options: null },
  { vendor: 'xai', model: 'grok-4.7', budget: 'low', options: { reasoningEffort: 'low' } },
  { vendor: 'xai', model: 'grok-4.20-0309-non-reasoning', budget: 'high', options: null },
  { vendor: 'groq', model: 'openai/gpt-oss-120b', budget: 'high', options: high },
  { vendor: 'groq', model: 'qwen/qwen3-32b', budget: 'high', options: { reasoningEffort: 'default' } },
  { vendor: 'groq', model: 'llama-3.3-70b-versatile', budget: 'high', options: null },
  {
    vendor: 'deepseek',
    model: 'deepseek-v4-pro',
    budget: 'medium',
    options: { thinking: { type: 'enabled' }, ...high },
  },
  { vendor: 'deepseek', model: 'deepseek-v4-pro', budget: 0, options: { thinking: { type: 'disabled' } } },
  {
    vendor: 'cohere',
    model: 'command-a-reasoning-08-2025',
    budget: 700,
    options: { thinking: { type: 'enabled', tokenBudget: 700 } },
  },
  { vendor: 'cohere', model: 'command-a-03-2025', budget: 'high', options: null },
]
test.each(budgets)('$vendor $model with the budget $budget: $options', ({ vendor, model, budget, options }) => {
  expect(reasoningOptions(vendor, model, budget)).toEqual(options as never)
})

test.each(budgets)("$vendor's package accepts the budget $budget for $model", async ({ vendor, model, budget }) => {
  const server = startVendor(streaming(frames[vendor]({ text: ['Yes'], finish: 'stop' })))
  const request = stepRequest(vendor, server.url, { model, reasoningBudget: budget })
  expect((await collect(request)).text).toBe('Yes')
})

test.each([
  { vendor: 'anthropic', model: 'claude-sonnet-4-5', asked: { thinking: { type: 'enabled', budget_tokens: 2_000 } } },
  { vendor: 'openai', model: 'gpt-5.5', asked: { reasoning: { effort: 'low' } } },
  {
    vendor: 'google',
    model: 'gemini-2.5-flash',
    asked: { generationConfig: { thinkingConfig: { thinkingBudget: 2_000 } } },
  },
  { vendor: 'mistral', model: 'mistral-medium-latest', asked: { reasoning_effort: 'high' } },
  { vendor: 'xai', model: 'grok-4.7', asked: { reasoning_effort: 'low' } },
  { vendor: 'groq', model: 'openai/gpt-oss-120b', asked: { reasoning_effort: 'low' } },
  { vendor: 'deepseek', model: 'deepseek-v4-pro', asked: { thinking: { type: 'enabled' }, reasoning_effort: 'low' } },
  {
    vendor: 'cohere',
    model: 'command-a-reasoning-08-2025',
    asked: { thinking: { type: 'enabled', token_budget: 2_000 } },
  },
] as const)('$vendor gets a budget of 2,000 in its own terms', async ({ vendor, model, asked }) => {
  const server = startVendor(streaming(frames[vendor]({ text: ['Yes'], finish: 'stop' })))
  await collect(stepRequest(vendor, server.url, { model, reasoningBudget: 2_000 }))
  expect(server.asked[0]!.body).toMatchObject(asked)
})
