/** The operator's settings of model vendors: base URLs and the platform default. */
import type { Config } from '../../config.ts'
import { type Vendor, vendorIds } from '../../platform/models/vendors.ts'
import { type PlatformDefault, platformDefault } from './platform.ts'

interface ConfiguredVendors {
  /** Base URLs that override the vendors' own. */
  baseUrls: Partial<Record<Vendor, string>>
  platform: PlatformDefault | null
}

/** Throws an `InvalidSetting` with a one-line message for an invalid setting. */
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
