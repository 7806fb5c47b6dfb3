/** Creates the callable model of a choice. */
import type { LanguageModelV3, SharedV3ProviderOptions } from '@ai-sdk/provider'
import { vendorNames } from '../../platform/models/vendor-names.ts'
import { type Vendor, vendors } from '../../platform/models/vendors.ts'
import { boundedFetch } from './answers/bounds.ts'
import { ProviderFailure } from './errors.ts'
import { type ReasoningBudget, reasoningOptions } from './reasoning.ts'

interface ModelChoice {
  provider: Vendor
  model: string
  apiKey?: string | null
  baseUrl?: string | null
  reasoningBudget?: ReasoningBudget | null
  fetch?: typeof fetch
}

interface ResolvedModel {
  model: LanguageModelV3
  providerOptions: SharedV3ProviderOptions
}

/**
 * Opens a model. The vendor's package is loaded on first use. A call makes one request to the vendor; retries are new
 * attempts of the run. Throws ProviderFailure if a required key is missing. Source: contract 4, 5.
 */
export async function resolveModel(choice: ModelChoice): Promise<ResolvedModel> {
  const { provider, model, apiKey, baseUrl } = choice
  const vendor = vendors[provider]
  if (!apiKey && !baseUrl)
    throw new ProviderFailure('provider_error', `There is no API key for ${vendorNames[provider]}.`)
  const settings = {
    // A local server without authentication gets a placeholder, since an empty credential is not valid.
    apiKey: apiKey || 'none',
    baseURL: baseUrl || vendor.baseUrl,
    fetch: boundedFetch(withoutRedirects(choice.fetch ?? fetch)),
  }
  return { model: await vendor.open(settings, model, Boolean(baseUrl)), providerOptions: optionsOf(choice) }
}

function optionsOf({ provider, model, baseUrl, reasoningBudget }: ModelChoice): SharedV3ProviderOptions {
  const reasoning = reasoningBudget == null ? null : reasoningOptions(provider, model, reasoningBudget)
  // Turns off storage of the conversation, which OpenAI's Responses API keeps for 30 days by default.
  const stateless = provider === 'openai' && !baseUrl ? { store: false } : null
  return reasoning || stateless ? { [provider]: { ...stateless, ...reasoning } } : {}
}

/** Rejects redirects: vendors do not use them, and following one would send the key to another host. */
const withoutRedirects = (send: typeof fetch) =>
  ((input: Parameters<typeof fetch>[0], init?: RequestInit) =>
    send(input, { ...init, redirect: 'manual' })) as typeof fetch
