/** The current state of a Connection, outside any Deployment, for listing the tools of its server. */
import { type ConnectionKey, type CurrentConnection, findConnection } from '../../../storage/delivery/connections.ts'
import { findPinnedConnection } from '../../../storage/delivery/pins.ts'
import { findCredential } from '../../../storage/delivery/provider-credentials.ts'
import type { Store } from '../../../storage/store.ts'
import type { HttpSettings } from '../../delivery/connections/settings-schema.ts'
import { ApiError, notFound } from '../../platform/http/answers/errors.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { type BoundConnectionParts, revealed, type UsableConnection } from '../operations/bound-connections.ts'
import { bindingUnavailable, OperationFailure } from '../operations/failure.ts'
import { credentialHeader } from '../operations/http-request.ts'

/** The Environment, which the caller may reach. */
interface CurrentConnectionPlace {
  environmentId: string
  connectionId: string
}

/** A Connection of any kind; a key bound to an Agent does not reach another Agent's. Throws `notFound`. */
export async function reachableConnection(
  store: Store,
  { organizationId, scope }: Caller,
  { environmentId, connectionId }: CurrentConnectionPlace,
): Promise<CurrentConnection> {
  const key: ConnectionKey = { organizationId, environmentId, id: connectionId }
  const row = await store.first<CurrentConnection>(findConnection(store, key))
  if (!row || (scope.agentId !== null && row.agent_id !== null && row.agent_id !== scope.agentId)) throw notFound()
  return row
}

/**
 * Throws `notFound`, and `connection_unusable` (422) for another kind, a disabled Connection, or a missing secret, with
 * `at`, the place in the request that names it.
 */
export async function currentConnection(
  parts: BoundConnectionParts,
  caller: Caller,
  { environmentId, connectionId }: CurrentConnectionPlace,
  at: string,
): Promise<UsableConnection> {
  const { store } = parts
  const { organizationId } = caller
  const row = await reachableConnection(store, caller, { environmentId, connectionId })
  if (row.kind !== 'http')
    throw unusable(`The Connection ${row.name} is of kind ${row.kind}: MCP servers need one of kind http.`, at)
  if (row.status !== 'active') throw unusable(`The Connection ${row.name} is ${row.status}.`, at)
  const connectionVersionId = row.current_version_id
  const version = await store.first(findPinnedConnection(store, { environmentId, connectionId, connectionVersionId }))
  if (!version?.settings) throw notFound()
  const settings = JSON.parse(version.settings) as HttpSettings
  try {
    const secret = await secretOf(parts, organizationId, version)
    // throws if the settings require a secret and there is none
    credentialHeader(settings, secret)
    return { settings, secret }
  } catch (error) {
    if (error instanceof OperationFailure) throw unusable(error.message, at)
    throw error
  }
}

interface Secrets {
  oauth_grant_id: string | null
  provider_credential_id: string | null
  provider_credential_version: number | null
}

async function secretOf(parts: BoundConnectionParts, organizationId: string, version: Secrets): Promise<string | null> {
  const { oauth_grant_id: grantId, provider_credential_id: credentialId } = version
  if (grantId !== null) return revealed(parts.grants.reveal({ organizationId, grantId }))
  if (credentialId === null) return null
  const credential = await parts.store.first(findCredential(parts.store, { id: credentialId, organizationId }))
  if (!credential) {
    throw bindingUnavailable(
      `The provider credential ${credentialId} of the Connection was deleted; give the Connection another one, or none.`,
    )
  }
  const pinned = version.provider_credential_version ?? credential.current_version
  return revealed(parts.credentials.reveal({ organizationId, credentialId, version: pinned }))
}

const unusable = (message: string, at: string) => new ApiError(422, 'connection_unusable', message, { at })
