/**
 * Reads the secrets of provider credentials. A pin names a credential and a version; if the credential is disabled or expired,
 * or the version is missing, there is no secret and no newer one replaces it. Source: requirement 3, 9.2; contract 3, 4.
 */
import { findNewestUsableCredential, findPinnedCredential } from '../../../storage/delivery/provider-credentials.ts'
import { DamagedRecord } from '../../../storage/errors.ts'
import type { Store } from '../../../storage/store.ts'
import type { Vendor } from '../../platform/models/vendors.ts'
import type { Secret } from '../../platform/operating/secret.ts'
import { SecretUnavailable } from '../../platform/secrets/unavailable.ts'
import type { SecretPlace, Vault } from '../../platform/secrets/vault.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { CredentialPin } from '../deployments/bundle.ts'

/** The organization, the credential and its version. */
export interface CredentialReference {
  organizationId: string
  credentialId: string
  version: number
}

/** The place for which the secret of a version is encrypted. */
export const credentialPlace = ({ organizationId, credentialId, version }: CredentialReference): SecretPlace => ({
  organizationId,
  table: 'provider_credentials',
  recordId: credentialId,
  version,
})

export class CredentialSecrets {
  constructor(private readonly parts: { store: Store; clock: Pick<Clock, 'now'>; vault: Vault }) {}

  /** The secret. Throws `SecretUnavailable`: `missing`, `disabled`, `revoked`, `expired` or `unreadable`. */
  async reveal(reference: CredentialReference): Promise<Secret> {
    const sealed = await this.#usable(reference)
    try {
      return await this.parts.vault.unseal(credentialPlace(reference), sealed)
    } catch (error) {
      if (!(error instanceof DamagedRecord)) throw error
      throw new SecretUnavailable(nameOf(reference), 'unreadable', { cause: error })
    }
  }

  /** Decrypts nothing. Throws `SecretUnavailable`: `missing`, `disabled`, `revoked` or `expired`. */
  async assertUsable(reference: CredentialReference): Promise<void> {
    await this.#usable(reference)
  }

  /** The newest usable credential for the vendor, at its current version. Source: contract 3, precise points. */
  newestActive(organizationId: string, provider: Vendor): Promise<CredentialPin | undefined> {
    const { store, clock } = this.parts
    return store.first(findNewestUsableCredential(store, { organizationId, provider, now: clock.now() }))
  }

  /** The ciphertext of a usable version. */
  async #usable(reference: CredentialReference): Promise<string> {
    const { store, clock } = this.parts
    const { organizationId, credentialId: id, version } = reference
    const found = await store.first(findPinnedCredential(store, { organizationId, id, version }))
    if (!found) throw new SecretUnavailable(nameOf(reference), 'missing')
    const { label, status, expires_at: expiresAt, revoked_at: revokedAt, sealed } = found
    const what = nameOf(reference, label)
    if (status !== 'active') throw new SecretUnavailable(what, 'disabled')
    if (revokedAt !== null) throw new SecretUnavailable(what, 'revoked')
    if (expiresAt !== null && expiresAt <= clock.now()) throw new SecretUnavailable(what, 'expired')
    return sealed
  }
}

const nameOf = ({ credentialId, version }: CredentialReference, label?: string) =>
  `Version ${version} of the provider credential ${label === undefined ? credentialId : `${label} (${credentialId})`}`
