/**
 * The current authority of the principal that requested background work: a key that was
 * revoked, or a member who has left, has none any more. A person's work outlives the session that asked for it.
 */
import type { Cause } from '../../../machines/words.ts'
import type { Store } from '../../../storage/store.ts'
import { listGrantsOfUser } from '../../../storage/tenancy/grants.ts'
import { findMembershipFor } from '../../../storage/tenancy/organizations.ts'
import { type Caller, type Identity, unbound } from '../../platform/http/guard/caller.ts'
import type { Permission } from '../../platform/http/guard/permissions.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { ApiKeyCredentials } from './api-keys.ts'
import { grantsOf } from './grants.ts'
import { authorityOf } from './roles.ts'

interface LaterCallersParts {
  store: Store
  clock: Pick<Clock, 'now'>
  apiKeys: Pick<ApiKeyCredentials, 'again'>
}

/** Who may do what now; undefined: no longer anything. */
export type CallerLater = (principal: Identity['principal'], organizationId: string) => Promise<Caller | undefined>

/** Why background work ends whose principal has no authority any more. */
export const credentialEnded: Cause = {
  code: 'credential_ended',
  message: 'The API key was revoked or has expired, or its user has left the organization.',
}

/** Why background work ends whose principal no longer has this permission. */
export const permissionTaken = (permission: Permission): Cause => ({
  code: 'permission_denied',
  message: `Whoever began it no longer has the permission ${permission}.`,
})

export const callerLater =
  ({ store, clock, apiKeys }: LaterCallersParts): CallerLater =>
  async (principal, organizationId) => {
    if (principal.type === 'apiKey') {
      const answer = await apiKeys.again(principal.id)
      return answer && answer.endsAt > clock.now() && answer.known.organizationId === organizationId
        ? answer.known
        : undefined
    }
    const userId = principal.id
    const found = await store.first(findMembershipFor(store, userId, organizationId, 0))
    if (!found) return undefined
    const { role, slug, status } = found
    const grants = role === 'member' ? await store.all(listGrantsOfUser(store, { organizationId, userId })) : []
    return {
      principal,
      credentialId: '',
      userId,
      organizationId,
      organization: { slug, status },
      scope: unbound,
      csrfToken: null,
      role,
      ...authorityOf(role, grantsOf(grants)),
    }
  }
