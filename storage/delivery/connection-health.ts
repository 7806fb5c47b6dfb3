/** The health of the Connections that an active Deployment pins. Source: requirement 4.3, "health"; contract 4. */

import { query } from '../statement.ts'
import type { ConnectionKey } from './connections.ts'

/** The bundle of the active Deployment of an Environment; no row without one. */
export const findActiveBundle = query((db, values: { organizationId: string; environmentId: string }) =>
  db
    .selectFrom('environments')
    .innerJoin('deployment_bundles', 'deployment_bundles.deployment_id', 'environments.active_deployment_id')
    .select('deployment_bundles.bundle')
    .where('environments.id', '=', values.environmentId)
    .where('environments.organization_id', '=', values.organizationId),
)

/** A pinned version of a Connection, with the pinned version of its credential. */
export interface ConnectionPin extends ConnectionKey {
  versionId: string
  credentialId: string | null
  credentialVersion: number | null
}

/** The current state of a pinned Connection; an id or version is null if it no longer exists. */
export const findPinnedState = query((db, values: ConnectionPin) =>
  db
    .selectFrom('connections')
    .leftJoin('connection_versions as pinned', (join) =>
      join.onRef('pinned.connection_id', '=', 'connections.id').on('pinned.id', '=', values.versionId),
    )
    .leftJoin('provider_credentials as credential', (join) =>
      join
        .on('credential.id', '=', values.credentialId)
        .onRef('credential.organization_id', '=', 'connections.organization_id'),
    )
    .leftJoin('provider_credential_versions as secret', (join) =>
      join.onRef('secret.credential_id', '=', 'credential.id').on('secret.version', '=', values.credentialVersion),
    )
    .leftJoin('oauth_grants as consent', 'consent.id', 'pinned.oauth_grant_id')
    .select([
      'connections.status',
      'pinned.id as version_id',
      'pinned.oauth_grant_id',
      'consent.status as grant_status',
      'consent.renewable as grant_renewable',
      'consent.expires_at as grant_expires_at',
      'credential.status as credential_status',
      'credential.expires_at as credential_expires_at',
      'secret.version as credential_version',
    ])
    .where('connections.id', '=', values.id)
    .where('connections.environment_id', '=', values.environmentId)
    .where('connections.organization_id', '=', values.organizationId),
)
