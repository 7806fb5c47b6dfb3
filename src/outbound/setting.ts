/** The rules for addresses as the API tells them: 422 with the place and the reason. Source: contract 4 and 7. */
import { ApiError } from '../http/errors.ts'
import type { OutboundPolicy } from './policy.ts'
import { AddressRefused, assertHostAllowed, assertUrlAllowed, type UrlRules } from './url.ts'

/** Parses the URL at this place of the request (`/body/endpointUrl`). Throws 422 `url_not_allowed`. */
export const requireUrlAllowed = (path: string, url: string, policy: OutboundPolicy, rules?: UrlRules): URL =>
  explained(path, policy, (by) => assertUrlAllowed(url, by, rules))

/** The same for a host that stands alone (`/body/settings/host`). Throws 422 `url_not_allowed`. */
export const requireHostAllowed = (path: string, host: string, policy: OutboundPolicy): string =>
  explained(path, policy, (by) => assertHostAllowed(host, by))

const remedy = 'An operator may allow such addresses: TROUPE_ALLOW_PRIVATE_ADDRESSES=true.'

/** Whether the operator's setting is all that stands in the way. */
function isOpenable(rule: (policy: OutboundPolicy) => unknown, policy: OutboundPolicy): boolean {
  if (policy.allowPrivateAddresses) return false
  try {
    rule({ ...policy, allowPrivateAddresses: true })
    return true
  } catch {
    return false
  }
}

function explained<Result>(path: string, policy: OutboundPolicy, rule: (policy: OutboundPolicy) => Result): Result {
  try {
    return rule(policy)
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error
    const message = isOpenable(rule, policy) ? `${error.message} ${remedy}` : error.message
    throw new ApiError(422, 'url_not_allowed', message, { issues: [{ path, message }] })
  }
}
