/** A platform default that no run can use. Source: contract 9, settings of the platform default. */
import { isVendor, type Vendor } from './vendors.ts'

interface PlatformDefaultSettings extends Readonly<Record<`${Vendor}BaseUrl`, string | null>> {
  readonly platformProvider: string | null
  readonly platformApiKey: object | null
}

/** A warning of one line if the platform default is a vendor without its key. */
export function keylessPlatform(settings: PlatformDefaultSettings): string[] {
  const { platformProvider: vendor, platformApiKey } = settings
  if (vendor === null || !isVendor(vendor) || platformApiKey || settings[`${vendor}BaseUrl`]) return []
  return [
    `TROUPE_PLATFORM_API_KEY is not set, so the platform default ${vendor} is not configured: runs that name no provider are refused`,
  ]
}
