/** Fake callers for apps that are tested with their own authenticator. */
import { type Authenticator, type Caller, unbound } from '../../src/platform/http/guard/caller.ts'

/** An owner with an API key and no permissions by default. */
export const callerWith = (changes: Partial<Caller> & Pick<Caller, 'organizationId'>): Caller => {
  const principal = changes.principal ?? { type: 'apiKey', id: `key_of_${changes.organizationId}` }
  return {
    principal,
    credentialId: principal.id,
    userId: 'usr_1',
    organization: { slug: 'organization', status: 'active' },
    role: 'owner',
    permissions: new Set(),
    granted: new Map(),
    scope: unbound,
    csrfToken: null,
    ...changes,
  }
}

/** An authenticator that identifies callers by the header alone. */
export const authenticatorOf = (find: (authorization: string | null) => Caller | Promise<Caller>): Authenticator => ({
  authenticate: find,
  identify: find,
})
