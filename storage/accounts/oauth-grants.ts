/** OAuth grants, and the accounts of Connections. Source: requirement 4.2; contract 4, "OAuth". */
import { sql } from 'kysely'
import { rowsOf } from '../rows.ts'
import { unmarked } from '../runtime/marked.ts'
import { query, write } from '../statement.ts'
import type { OAuthGrantRow } from '../tables.ts'

const oauthGrants = rowsOf('oauth_grants', 'id')
const oauthConnections = rowsOf('oauth_connections', 'connection_id')

/** `MissingReference` without the Connection; `UniqueViolation` if the account has a Connection already. */
export const insertOAuthConnection = oauthConnections.insert()

export const insertOAuthGrant = oauthGrants.insert()

/** Makes the account of a deleted Connection free for another one; does nothing for a Connection without an account. */
export const freeAccount = oauthConnections.remove()

/** The Connection of an account in an Environment. */
export const findConnectionOfAccount = oauthConnections
  .only('connection_id')
  .find('environment_id', 'preset_key', 'integration_id', 'account_id')

/** Reactivates a Connection with this version after a new consent. `StaleWrite` if it was or is being deleted. */
export const reconnect = write(
  (db, values: { organizationId: string; connectionId: string; versionId: string; at: number }) =>
    db
      .updateTable('connections')
      .set({ status: 'active', status_reason: null, current_version_id: values.versionId, updated_at: values.at })
      .where('id', '=', values.connectionId)
      .where('organization_id', '=', values.organizationId)
      .where(unmarked('connections'))
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('environments')
            .innerJoin('projects', 'projects.id', 'environments.project_id')
            .select('environments.id')
            .whereRef('environments.id', '=', 'connections.environment_id')
            .where('environments.state', '<>', 'deleting')
            .where('projects.status', '<>', 'deleting'),
        ),
      ),
  1,
)

/** A grant of the organization. */
interface GrantKey {
  organizationId: string
  grantId: string
}

/** Condition: the Connection of the grant has not been deleted. */
const ofConnection = sql<boolean>`exists (
  select 1 from connections where connections.id = oauth_grants.connection_id and ${unmarked('connections')})`

/** The grant, and the version of the client that obtained its tokens; null once the integration is deleted. */
export const findOAuthGrant = query((db, values: GrantKey) =>
  db
    .selectFrom('oauth_grants')
    .leftJoin('integration_versions as clients', (join) =>
      join
        .onRef('clients.integration_id', '=', 'oauth_grants.integration_id')
        .onRef('clients.number', '=', 'oauth_grants.integration_version'),
    )
    .selectAll('oauth_grants')
    .select('clients.id as client_version_id')
    .where('oauth_grants.id', '=', values.grantId)
    .where('oauth_grants.organization_id', '=', values.organizationId)
    .where(ofConnection),
)
export type FoundGrant = OAuthGrantRow & { client_version_id: string | null }

/**
 * Claims the refresh of these tokens until a time. `StaleWrite` while another process holds the claim, or once it has
 * refreshed them; a claim beyond `tooFar` does not hold.
 */
export const claimRefresh = write(
  (db, values: GrantKey & { tokenVersion: number; refresher: string; until: number; now: number; tooFar: number }) =>
    db
      .updateTable('oauth_grants')
      .set({ refresher: values.refresher, refresher_until: values.until })
      .where('id', '=', values.grantId)
      .where('organization_id', '=', values.organizationId)
      .where('token_version', '=', values.tokenVersion)
      .where('status', '=', 'active')
      .where(ofConnection)
      .where(({ eb, or }) =>
        or([
          eb('refresher_until', 'is', null),
          eb('refresher_until', '<=', values.now),
          eb('refresher_until', '>', values.tooFar),
        ]),
      ),
  1,
)

/** Replaces the refreshed tokens with new ones; `StaleWrite` if they have changed. */
export const replaceTokens = write(
  (
    db,
    values: GrantKey & {
      tokenVersion: number
      nextVersion: number
      sealed: string
      renewable: 0 | 1
      expiresAt: number | null
      scopes: string
      at: number
    },
  ) =>
    db
      .updateTable('oauth_grants')
      .set({
        sealed: values.sealed,
        token_version: values.nextVersion,
        renewable: values.renewable,
        expires_at: values.expiresAt,
        scopes: values.scopes,
        refresher: null,
        refresher_until: null,
        failed_at: null,
        updated_at: values.at,
      })
      .where('id', '=', values.grantId)
      .where('organization_id', '=', values.organizationId)
      .where('token_version', '=', values.tokenVersion)
      .where('status', '=', 'active')
      .where(ofConnection),
  1,
)

/** Records a failed refresh, which delays the next attempt. Only for the holder of the claim. */
export const noteFailedRefresh = write((db, values: GrantKey & { refresher: string; at: number }) =>
  db
    .updateTable('oauth_grants')
    .set({ failed_at: values.at, refresher: null, refresher_until: null })
    .where('id', '=', values.grantId)
    .where('organization_id', '=', values.organizationId)
    .where('refresher', '=', values.refresher),
)

/**
 * Records that the provider rejects these tokens; `StaleWrite` if there are newer ones, or another process has claimed
 * their refresh.
 */
export const endGrant = write(
  (db, values: GrantKey & { tokenVersion: number; refresher: string; at: number }) =>
    db
      .updateTable('oauth_grants')
      .set({ status: 'ended', refresher: null, refresher_until: null, updated_at: values.at })
      .where('id', '=', values.grantId)
      .where('organization_id', '=', values.organizationId)
      .where('token_version', '=', values.tokenVersion)
      .where('refresher', '=', values.refresher)
      .where('status', '=', 'active')
      .where(ofConnection),
  1,
)

/** Disables the Connection, unless a newer consent is current or it is disabled already. */
export const disableConnectionOf = write((db, values: GrantKey & { reason: string; at: number }) =>
  db
    .updateTable('connections')
    .set({ status: 'disabled', status_reason: values.reason, updated_at: values.at })
    .where('organization_id', '=', values.organizationId)
    .where('status', '=', 'active')
    .where('id', '=', sql<string>`(select connection_id from oauth_grants where id = ${values.grantId})`)
    .where(
      'current_version_id',
      'in',
      sql<string>`(select versions.id from oauth_grants join connection_versions as versions
        on versions.connection_id = oauth_grants.connection_id
        where oauth_grants.id = ${values.grantId} and versions.oauth_grant_id = oauth_grants.id)`,
    ),
)
