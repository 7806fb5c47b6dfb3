/** Provider credentials and their versions, with sealed secrets. Source: requirement 2, 4.7, 9.2; contract 4. */
import { sql } from 'kysely'
import { insertFrom, rowsOf } from '../rows.ts'
import { listByName, type Named, query, write } from '../statement.ts'
import type { Store } from '../store.ts'
import type { ProviderCredentialRow } from '../tables.ts'
import { placeColumns } from './place-columns.ts'

const providerCredentialVersions = rowsOf('provider_credential_versions', 'credential_id', 'version')
const providerCredentials = rowsOf('provider_credentials', 'id')

/** The path of a credential. */
export interface CredentialKey {
  organizationId: string
  id: string
}

/** `StaleWrite` if the organization has `credentialsMax` credentials. */
export const insertCredential = write(
  (db, { credentialsMax, ...row }: ProviderCredentialRow & { credentialsMax: number }) =>
    insertFrom(
      db,
      'provider_credentials',
      row,
      db
        .selectFrom('organizations')
        .where('organizations.id', '=', row.organization_id)
        .where(providerCredentials.fewerThan(credentialsMax, 'organization_id', row.organization_id)),
    ),
  1,
)

export const insertCredentialVersion = providerCredentialVersions.insert()

/** The credential of the organization; undefined if it does not exist or belongs elsewhere. */
export const findCredential = providerCredentials.find('id', 'organization_id')

/** All credentials of an organization, newest first. */
export const listCredentials = listByName((db, values: Named & { organizationId: string }, isNamed) =>
  db
    .selectFrom('provider_credentials')
    .selectAll()
    .where('organization_id', '=', values.organizationId)
    .$if(isNamed, (list) => list.where('label', '=', values.named as string))
    .orderBy('id', 'desc'),
)

/** The versions with their creation and revocation times, ascending. */
export const listCredentialVersions = query((db, values: { credentialId: string }) =>
  db
    .selectFrom('provider_credential_versions as version')
    .leftJoin('revoked_credential_versions as revoked', (join) =>
      join
        .onRef('revoked.credential_id', '=', 'version.credential_id')
        .onRef('revoked.version', '=', 'version.version'),
    )
    .select(['version.credential_id', 'version.version', 'version.created_at', 'revoked.revoked_at'])
    .where('version.credential_id', '=', values.credentialId)
    .orderBy('version.version'),
)

/** The same for all credentials of an organization. */
export const listAllCredentialVersions = query((db, values: { organizationId: string }) =>
  db
    .selectFrom('provider_credentials')
    .innerJoin('provider_credential_versions as version', 'version.credential_id', 'provider_credentials.id')
    .leftJoin('revoked_credential_versions as revoked', (join) =>
      join
        .onRef('revoked.credential_id', '=', 'version.credential_id')
        .onRef('revoked.version', '=', 'version.version'),
    )
    .select(['version.credential_id', 'version.version', 'version.created_at', 'revoked.revoked_at'])
    .where('provider_credentials.organization_id', '=', values.organizationId)
    .orderBy('version.credential_id')
    .orderBy('version.version'),
)

/** The changes; null leaves a field unchanged. `setsExpiry` says whether to set the expiry, which may be null. */
interface CredentialUpdate extends CredentialKey {
  label: string | null
  status: 'active' | 'disabled' | null
  setsExpiry: 0 | 1
  expiresAt: number | null
  at: number
}

export const updateCredential = write(
  (db, values: CredentialUpdate) =>
    db
      .updateTable('provider_credentials')
      .set({
        label: sql<string>`coalesce(${values.label}, label)`,
        status: sql<'active' | 'disabled'>`coalesce(${values.status}, status)`,
        expires_at: sql<number | null>`case when ${values.setsExpiry} = 1 then ${values.expiresAt} else expires_at end`,
        updated_at: values.at,
      })
      .where('id', '=', values.id)
      .where('organization_id', '=', values.organizationId),
  1,
)

/** Makes `version` the current one, if `was` still is. */
export const advanceCredential = write(
  (db, values: CredentialKey & { version: number; was: number; at: number }) =>
    db
      .updateTable('provider_credentials')
      .set({ current_version: values.version, updated_at: values.at })
      .where('id', '=', values.id)
      .where('organization_id', '=', values.organizationId)
      .where('current_version', '=', values.was),
  1,
)

/** Deletes the credential with its versions. `StaleWrite` if an active Deployment pins or uses one. */
export const deleteUnpinnedCredential = write(
  (db, values: CredentialKey) =>
    db
      .deleteFrom('provider_credentials')
      .where('id', '=', values.id)
      .where('organization_id', '=', values.organizationId)
      .where(({ not, exists }) => not(exists(pinningDeployments(db, values).select('used.deployment_id')))),
  1,
)

/** The active Deployments that pin or use a version of the credential, up to `limit`. */
export const listPinningDeployments = query((db, values: CredentialKey & { limit: number }) =>
  pinningDeployments(db, values)
    .select(['used.deployment_id as id', ...placeColumns])
    .limit(values.limit),
)

const pinningDeployments = (db: Store['db'], values: CredentialKey) =>
  db
    .selectFrom('projects')
    .innerJoin('environments', 'environments.project_id', 'projects.id')
    .innerJoin('deployment_credentials as used', 'used.deployment_id', 'environments.active_deployment_id')
    .where('used.credential_id', '=', values.id)
    .where('projects.organization_id', '=', values.organizationId)

/** An exact version with the columns that decide whether it may be used. */
export const findPinnedCredential = query((db, values: CredentialKey & { version: number }) =>
  db
    .selectFrom('provider_credentials')
    .innerJoin('provider_credential_versions as pinned', 'pinned.credential_id', 'provider_credentials.id')
    .leftJoin('revoked_credential_versions as revoked', (join) =>
      join.onRef('revoked.credential_id', '=', 'pinned.credential_id').onRef('revoked.version', '=', 'pinned.version'),
    )
    .select([
      'provider_credentials.label',
      'provider_credentials.status',
      'provider_credentials.expires_at',
      'revoked.revoked_at',
      'pinned.sealed',
    ])
    .where('provider_credentials.id', '=', values.id)
    .where('provider_credentials.organization_id', '=', values.organizationId)
    .where('pinned.version', '=', values.version),
)

/** The newest usable credential of a vendor, at its current version. */
export const findNewestUsableCredential = query(
  (db, values: { organizationId: string; provider: string; now: number }) =>
    db
      .selectFrom('provider_credentials')
      .select(['id', 'current_version as version'])
      .where('organization_id', '=', values.organizationId)
      .where('provider', '=', values.provider)
      .where('status', '=', sql.lit('active'))
      .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', values.now)]))
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('revoked_credential_versions as revoked')
              .select('revoked.version')
              .whereRef('revoked.credential_id', '=', 'provider_credentials.id')
              .whereRef('revoked.version', '=', 'provider_credentials.current_version'),
          ),
        ),
      )
      .orderBy('id', 'desc')
      .limit(1),
)
