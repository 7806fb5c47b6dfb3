/** Reports refused addresses as API errors: 422 with the path and the reason. Source: contract 4 and 7. */
import { ApiError } from '../http/answers/errors.ts'
import type { OutboundPolicy } from './policy.ts'
import { AddressRefused, assertHostAllowed, assertUrlAllowed, type UrlRules } from './url.ts'

/** Parses the URL at this path of the request (`/body/endpointUrl`). Throws 422 `url_not_allowed`. */
export const requireUrlAllowed = (path: string, url: string, policy: OutboundPolicy, rules?: UrlRules): URL =>
  explained(path, () => assertUrlAllowed(url, policy, rules))

/** The same for a host (`/body/settings/host`). Throws 422 `url_not_allowed`. */
export const requireHostAllowed = (path: string, host: string, policy: OutboundPolicy): string =>
  explained(path, () => assertHostAllowed(host, policy))

function explained<Result>(path: string, rule: () => Result): Result {
  try {
    return rule()
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error
    throw new ApiError(422, 'url_not_allowed', error.message, { at: path })
  }
}
