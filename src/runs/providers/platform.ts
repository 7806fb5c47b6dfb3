/** The platform default provider and model. Source: contract 5, "The sandbox model", and 9, `TROUPE_PLATFORM_*`. */

import { isModelName, isVendor, type Provider, type Vendor, vendorIds, vendors } from '../../platform/models/vendors.ts'
import { InvalidSetting } from '../../platform/operating/variable.ts'

export interface PlatformSettings {
  /** `TROUPE_PLATFORM_PROVIDER`, `TROUPE_PLATFORM_MODEL`, `TROUPE_PLATFORM_API_KEY`; empty counts as unset. */
  provider?: string
  model?: string
  apiKey?: string
  /** `TROUPE_<VENDOR>_BASE_URL`, by vendor. */
  baseUrls?: Partial<Record<Vendor, string>>
  production: boolean
}

export interface PlatformDefault {
  provider: Provider
  model: string
  /** null for the sandbox, and for a self-hosted server that needs no key. */
  apiKey: string | null
}

/**
 * The platform default; null if unconfigured: in production without a provider, or with a vendor whose key is missing.
 * Throws an `InvalidSetting` with a one-line message for an invalid setting.
 */
export function platformDefault({
  provider,
  model,
  apiKey,
  baseUrls,
  production,
}: PlatformSettings): PlatformDefault | null {
  if (!provider && production) return null
  if (!provider || provider === 'sandbox') {
    if (model && model !== 'sandbox')
      throw new InvalidSetting(`TROUPE_PLATFORM_MODEL: the sandbox has no model ${model}.`)
    return { provider: 'sandbox', model: 'sandbox', apiKey: null }
  }
  if (!isVendor(provider))
    throw new InvalidSetting(`TROUPE_PLATFORM_PROVIDER must be one of ${vendorIds.join(', ')} or sandbox.`)
  const baseUrl = baseUrls?.[provider]
  const chosen = model || vendors[provider].defaultModel
  if (!isModelName(provider, chosen, baseUrl)) {
    throw new InvalidSetting(`TROUPE_PLATFORM_MODEL: ${JSON.stringify(chosen)} is not a model of ${provider}.`)
  }
  return apiKey || baseUrl ? { provider, model: chosen, apiKey: apiKey || null } : null
}
