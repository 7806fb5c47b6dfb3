/** What runs use when nothing else is chosen. Source: contract 5, "The sandbox model", and 9, `TROUPE_PLATFORM_*`. */

import { isModelName, isVendor, type Provider, type Vendor, vendorIds, vendors } from '../../platform/models/vendors.ts'
import { InvalidSetting } from '../../platform/operating/variable.ts'

export interface PlatformSettings {
  /** `TROUPE_PLATFORM_PROVIDER`, `TROUPE_PLATFORM_MODEL`, `TROUPE_PLATFORM_API_KEY`; empty is the same as unset. */
  provider?: string
  model?: string
  apiKey?: string
  /** `TROUPE_<VENDOR>_BASE_URL` of the vendors that have one. */
  baseUrls?: Partial<Record<Vendor, string>>
  /** Whether `NODE_ENV` is `production`. */
  production: boolean
}

export interface PlatformDefault {
  provider: Provider
  model: string
  /** Null for the sandbox, and for a server of one's own that wants none. */
  apiKey: string | null
}

/**
 * The platform default, or null while it is unconfigured: in production without a provider, or with a vendor that needs a
 * key and has none. Throws, with one line for the operator, when a setting is not valid.
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
