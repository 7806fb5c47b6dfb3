/** The URLs of Stripe's pages. */
import { providerUnavailable } from '../provider.ts'

/** The URL in an answer. Throws `provider_unavailable` (503). */
export function addressOf({ url }: { url?: string | null }): string {
  if (typeof url === 'string' && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  throw providerUnavailable('The answer of Stripe has no URL.')
}
