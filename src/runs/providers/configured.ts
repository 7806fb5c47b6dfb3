/** What the operator has said of vendors of models: where they are, and the one that runs use by default. */
import type { Config } from '../../config.ts'
import { type Vendor, vendorIds } from '../../platform/models/vendors.ts'
import { type PlatformDefault, platformDefault } from './platform.ts'

export interface ConfiguredVendors {
  /** Where the deployment overrides the addresses of vendors. */
  baseUrls: Partial<Record<Vendor, string>>
  platform: PlatformDefault | null
}

/** Throws, with one line for the operator, when a setting is not valid. */
export function configuredVendors(config: Config): ConfiguredVendors {
  const baseUrls: Partial<Record<Vendor, string>> = Object.fromEntries(
    vendorIds.flatMap((vendor) => {
      const baseUrl = config[`${vendor}BaseUrl`]
      return baseUrl ? [[vendor, baseUrl]] : []
    }),
  )
  const platform = platformDefault({
    ...(config.platformProvider ? { provider: config.platformProvider } : {}),
    ...(config.platformModel ? { model: config.platformModel } : {}),
    ...(config.platformApiKey ? { apiKey: config.platformApiKey.reveal() } : {}),
    baseUrls,
    production: config.environment === 'production',
  })
  return { baseUrls, platform }
}
