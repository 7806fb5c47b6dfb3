/**
 * Deployments with current credentials: the pins of the Configuration Revision, but with the current version of each
 * Connection's current credential. Source: contract 3, "rolled back with today's secrets".
 */
import { findCurrentVersion, findTodaysCredential } from '../../../storage/delivery/pins.ts'
import type { Store } from '../../../storage/store.ts'
import type { DeployedConnection, Pinned } from './pinned.ts'

interface Place {
  organizationId: string
  environmentId: string
}

/**
 * A Connection without a credential today has none. Deleted Connections and credentials keep their pins, which
 * validation reports.
 */
export async function withTodaysCredentials(store: Store, place: Place, pinned: Pinned): Promise<Pinned> {
  const versions = new Map<string, number | null>()
  const versionOf = async (credentialId: string, otherwise: number | null): Promise<number | null> => {
    if (!versions.has(credentialId)) {
      const { organizationId } = place
      const found = await store.first(findCurrentVersion(store, { organizationId, id: credentialId }))
      versions.set(credentialId, found?.current_version ?? null)
    }
    return versions.get(credentialId) ?? otherwise
  }
  const connections: DeployedConnection[] = []
  for (const connection of pinned.connections) {
    const { connectionId } = connection
    const { environmentId } = place
    const today = await store.first(findTodaysCredential(store, { environmentId, connectionId }))
    const providerCredentialId = today ? today.credential_id : connection.providerCredentialId
    const pinnedVersion = connection.providerCredentialVersion
    connections.push({
      ...connection,
      providerCredentialId,
      providerCredentialVersion:
        providerCredentialId === null ? null : await versionOf(providerCredentialId, pinnedVersion),
      grantId: today ? today.oauth_grant_id : connection.grantId,
    })
  }
  const settings = []
  for (const setting of pinned.settings) {
    const { providerCredentialId, providerCredentialVersion } = setting
    settings.push({
      ...setting,
      providerCredentialVersion:
        providerCredentialId === null ? null : await versionOf(providerCredentialId, providerCredentialVersion),
    })
  }
  return { ...pinned, connections, settings }
}
