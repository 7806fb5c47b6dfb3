/**
 * The clients that organizations have registered, with their secrets, for those who talk to a provider in their name. A
 * version never changes: pins of a version keep it after a rotation. Source: requirement 4.2, 4.8; contract 4.
 */

import { findIntegrationVersion } from '../../../storage/accounts/integrations.ts'
import { DamagedRecord } from '../../../storage/errors.ts'
import type { Store } from '../../../storage/store.ts'
import type { Secret } from '../../platform/operating/secret.ts'
import { SecretUnavailable } from '../../platform/secrets/unavailable.ts'
import type { SecretPlace, Vault } from '../../platform/secrets/vault.ts'

/** The integration of a client, and the version. */
interface ClientReference {
  organizationId: string
  integrationId: string
  version: number
}

/** The client id and secret of an organization at a provider. */
export interface ProviderClient {
  clientId: string
  clientSecret: Secret
}

/** The place to which the secret of a version is bound by encryption. */
export const clientSecretPlace = ({ organizationId, integrationId, version }: ClientReference): SecretPlace => ({
  organizationId,
  table: 'integration_versions',
  recordId: integrationId,
  version,
})

export class ClientSecrets {
  constructor(private readonly parts: { store: Store; vault: Vault }) {}

  /** The client of a version. Throws `SecretUnavailable`: `missing` once the integration is deleted, or `unreadable`. */
  async reveal(reference: ClientReference): Promise<ProviderClient> {
    const { store, vault } = this.parts
    const { organizationId, integrationId: id, version } = reference
    const found = await store.first(findIntegrationVersion(store, { organizationId, id, version }))
    if (!found) throw new SecretUnavailable(nameOf(reference), 'missing')
    try {
      const clientSecret = await vault.unseal(clientSecretPlace(reference), found.sealed)
      return { clientId: found.client_id, clientSecret }
    } catch (error) {
      if (!(error instanceof DamagedRecord)) throw error
      throw new SecretUnavailable(nameOf(reference), 'unreadable', { cause: error })
    }
  }
}

const nameOf = ({ integrationId, version }: ClientReference) =>
  `Version ${version} of the client of the integration ${integrationId}`
