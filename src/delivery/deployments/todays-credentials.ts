/**
 * A Deployment that asks for today's credentials: what its Configuration Revision pins, but with the credential that each
 * Connection has now, in its current version. Source: contract 3, "rolled back with today's secrets".
 */
import { findCurrentVersion, findTodaysCredential } from '../../../storage/delivery/pins.ts'
import type { Store } from '../../../storage/store.ts'
import type { DeployedConnection, Pinned } from './pinned.ts'

interface Place {
  organizationId: string
  environmentId: string
}

/** What is deleted meanwhile stays as it was pinned, for validation to tell of. */
export async function withTodaysCredentials(store: Store, place: Place, pinned: Pinned): Promise<Pinned> {
  const versions = new Map<string, number | null>()
  const versionOf = async (credentialId: string, otherwise: number | null): Promise<number | null> => {
    if (!versions.has(credentialId)) {
      const { organizationId } = place
      const found = await store.first(findCurrentVersion(store, { organizationId, credentialId }))
      versions.set(credentialId, found?.current_version ?? null)
    }
    return versions.get(credentialId) ?? otherwise
  }
  const connections: DeployedConnection[] = []
  for (const connection of pinned.connections) {
    const { connectionId } = connection
    const { environmentId } = place
    const today = await store.first(findTodaysCredential(store, { environmentId, connectionId }))
    const providerCredentialId = today?.credential_id ?? connection.providerCredentialId
    const pinnedVersion = connection.providerCredentialVersion
    connections.push({
      ...connection,
      providerCredentialId,
      providerCredentialVersion:
        providerCredentialId === null ? null : await versionOf(providerCredentialId, pinnedVersion),
      grantId: today?.oauth_grant_id ?? connection.grantId,
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
