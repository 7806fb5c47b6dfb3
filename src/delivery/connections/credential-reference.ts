/** References to provider credentials in requests. Source: requirement 4.3, 4.10; contract 4. */
import { findReferableCredential } from '../../../storage/delivery/credential-references.ts'
import type { Store } from '../../../storage/store.ts'
import type { Issue } from '../../platform/http/answers/errors.ts'
import { noSuch } from '../../platform/http/answers/references.ts'

interface CredentialRequest {
  providerCredentialId?: string | null
  providerCredentialVersion?: number | null
}

/** A version requires a credential. `path` is the place in the request (`/body`). */
export const referenceIssues = (
  { providerCredentialId, providerCredentialVersion }: CredentialRequest,
  path: string,
): Issue[] =>
  (providerCredentialVersion ?? null) !== null && (providerCredentialId ?? null) === null
    ? [{ path: `${path}/providerCredentialVersion`, message: 'Requires providerCredentialId.' }]
    : []

/**
 * The provider of the credential; null without one. The credential may be disabled or expired: it then fails at use. Throws
 * `noSuch` if the organization does not have it, or it does not have the version; `path` leads to its place in the request.
 */
export async function providerReferredTo(
  store: Store,
  organizationId: string,
  { providerCredentialId, providerCredentialVersion }: CredentialRequest,
  path: string,
): Promise<string | null> {
  const credentialId = providerCredentialId ?? null
  const version = providerCredentialVersion ?? null
  if (credentialId === null) return null
  const found = await store.first(findReferableCredential(store, { organizationId, credentialId, version }))
  if (!found) throw noSuch('provider credential', `${path}/providerCredentialId`)
  if (version !== null && found.version === null) {
    throw noSuch('version of the provider credential', `${path}/providerCredentialVersion`)
  }
  return found.provider
}
