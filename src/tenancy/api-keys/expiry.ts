/** The expiry of keys. Pure. Source: requirement 5.4; contract 1, "API key", "Keys and organizations". */
import { instantOf } from '../../platform/http/timestamp.ts'
import { dayMs } from '../../platform/time/durations.ts'

const defaultLifeMs = 90 * dayMs
export const lifeMsMax = 366 * dayMs

/** The expiry in epoch milliseconds, or the problem as a sentence. */
type Expiry = { at: number } | { problem: string }

const future = (text: string, now: number): Expiry => {
  const at = instantOf(text)
  if (at === undefined) return { problem: 'Must be an RFC 3339 date-time.' }
  return at > now ? { at } : { problem: 'Must be in the future.' }
}

/** The expiry of a new key; by default 90 days from now. */
export function expiryOfNew(text: string | undefined, now: number): Expiry {
  if (text === undefined) return { at: now + defaultLifeMs }
  const expiry = future(text, now)
  return 'at' in expiry && expiry.at > now + lifeMsMax ? { problem: 'Must be at most 366 days ahead.' } : expiry
}

/** A new expiry for a key that expires at `endsAt`. */
export function expiryOfChanged(text: string, endsAt: number, now: number): Expiry {
  const expiry = future(text, now)
  return 'at' in expiry && expiry.at > endsAt ? { problem: 'Must not be later than the current expiry.' } : expiry
}
