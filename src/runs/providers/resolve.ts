/** From the choice of a model to something that can be called. */
import type { LanguageModelV3, SharedV3ProviderOptions } from '@ai-sdk/provider'
import { type Vendor, vendors } from '../../platform/models/vendors.ts'
import { boundedFetch } from './answers/bounds.ts'
import { ProviderFailure } from './errors.ts'
import { type ReasoningBudget, reasoningOptions } from './reasoning.ts'

export interface ModelChoice {
  provider: Vendor
  model: string
  apiKey?: string | null
  baseUrl?: string | null
  reasoningBudget?: ReasoningBudget | null
  fetch?: typeof fetch
}

export interface ResolvedModel {
  model: LanguageModelV3
  providerOptions: SharedV3ProviderOptions
}

/**
 * Opens a model. The vendor's package is loaded on first use. One call of the model is one request to the vendor: retries
 * belong to the attempts of a run. Throws ProviderFailure when a key is needed and missing. Source: contract 4, 5.
 */
export async function resolveModel(choice: ModelChoice): Promise<ResolvedModel> {
  const { provider, model, apiKey, baseUrl } = choice
  const vendor = vendors[provider]
  if (!apiKey && !baseUrl) throw new ProviderFailure('provider_error', `There is no API key for ${vendor.name}.`)
  const settings = {
    // A local server without authentication gets a word that is no secret; an empty one is no valid credential.
    apiKey: apiKey || 'none',
    baseURL: baseUrl || vendor.baseUrl,
    fetch: boundedFetch(withoutRedirects(choice.fetch ?? fetch)),
  }
  return { model: await vendor.open(settings, model, Boolean(baseUrl)), providerOptions: optionsOf(choice) }
}

function optionsOf({ provider, model, baseUrl, reasoningBudget }: ModelChoice): SharedV3ProviderOptions {
  const reasoning = reasoningBudget == null ? null : reasoningOptions(provider, model, reasoningBudget)
  // The conversation is ours to keep: OpenAI's Responses API would store it for 30 days.
  const stateless = provider === 'openai' && !baseUrl ? { store: false } : null
  return reasoning || stateless ? { [provider]: { ...stateless, ...reasoning } } : {}
}

/** No vendor redirects a model call; following one would carry the key to somebody else. */
const withoutRedirects = (send: typeof fetch) =>
  ((input: Parameters<typeof fetch>[0], init?: RequestInit) =>
    send(input, { ...init, redirect: 'manual' })) as typeof fetch
