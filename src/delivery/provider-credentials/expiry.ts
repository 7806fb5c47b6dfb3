/** The expiry of credentials. Source: requirement 4.7; contract 4. */
import { invalid } from '../../platform/http/answers/errors.ts'
import { instantOf } from '../../platform/http/timestamp.ts'

const yearTenThousand = Date.UTC(10_000, 0, 1)

/** Epoch milliseconds of `/body/expiresAt`; null for none. Throws `validation_failed` unless it is in the future. */
export function readExpiry(text: string | null, now: number): number | null {
  if (text === null) return null
  const at = instantOf(text)
  if (at === undefined) throw refused('Must be an RFC 3339 date-time.')
  if (at <= now) throw refused('Must be in the future.')
  if (at >= yearTenThousand) throw refused('Must be before the year 10000.')
  return at
}

const refused = (message: string) => invalid([{ path: '/body/expiresAt', message }])
