/** When a key ends. Pure. Source: requirement 5.4; contract 1, "API key", "Keys and organizations". */
import { instantOf } from '../../platform/http/timestamp.ts'

const dayMs = 24 * 60 * 60 * 1000
export const defaultLifeMs = 90 * dayMs
export const lifeMsMax = 366 * dayMs

/** An end in epoch milliseconds, or what is wrong with it, as a sentence. */
export type Expiry = { at: number } | { problem: string }

const future = (text: string, now: number): Expiry => {
  const at = instantOf(text)
  if (at === undefined) return { problem: 'Must be a date-time of RFC 3339.' }
  return at > now ? { at } : { problem: 'Must be in the future.' }
}

/** The end of a new key; 90 days from now unless one is given. */
export function expiryOfNew(text: string | undefined, now: number): Expiry {
  if (text === undefined) return { at: now + defaultLifeMs }
  const expiry = future(text, now)
  return 'at' in expiry && expiry.at > now + lifeMsMax ? { problem: 'Must be at most 366 days ahead.' } : expiry
}

/** Another end for a key that ends at `endsAt`. */
export function expiryOfChanged(text: string, endsAt: number, now: number): Expiry {
  const expiry = future(text, now)
  return 'at' in expiry && expiry.at > endsAt ? { problem: 'Must not be later than it is now.' } : expiry
}
