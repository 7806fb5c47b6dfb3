/** References to provider credentials, as requests make them. Source: requirement 4.3, 4.10; contract 4. */
import { findReferableCredential } from '../../../storage/delivery/credential-references.ts'
import type { Store } from '../../../storage/store.ts'
import { type Issue, notFound } from '../../platform/http/answers/errors.ts'

export interface CredentialRequest {
  providerCredentialId?: string | null
  providerCredentialVersion?: number | null
}

/** A version of nothing is none. `path` is the place in the request (`/body`). */
export const referenceIssues = (
  { providerCredentialId, providerCredentialVersion }: CredentialRequest,
  path: string,
): Issue[] =>
  (providerCredentialVersion ?? null) !== null && (providerCredentialId ?? null) === null
    ? [{ path: `${path}/providerCredentialVersion`, message: 'Goes with providerCredentialId only.' }]
    : []

/**
 * What the referred credential is for; null without one. It may be disabled or past its end: it fails at use. Throws
 * `notFound` when the organization has no such credential, or it has no such version.
 */
export async function providerReferredTo(
  store: Store,
  organizationId: string,
  { providerCredentialId, providerCredentialVersion }: CredentialRequest,
): Promise<string | null> {
  const credentialId = providerCredentialId ?? null
  const version = providerCredentialVersion ?? null
  if (credentialId === null) return null
  const found = await store.first(findReferableCredential(store, { organizationId, credentialId, version }))
  if (!found || (version !== null && found.version === null)) throw notFound()
  return found.provider
}
