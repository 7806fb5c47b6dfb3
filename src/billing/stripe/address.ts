/** Where Stripe sends people. */
import { providerUnavailable } from '../provider.ts'

/** An address that a browser can be sent to. Throws `provider_unavailable` (503). */
export function addressOf({ url }: { url?: string | null }): string {
  if (typeof url === 'string' && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  throw providerUnavailable('Stripe has answered without an address.')
}
