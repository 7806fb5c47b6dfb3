/** Uses of a provider credential, and the revocation of its versions. Source: contract 4, "uses". */
import { sql } from 'kysely'
import { unmarked } from '../runtime/marked.ts'
import { query, write } from '../statement.ts'
import type { EnvironmentRow } from '../tables.ts'
import { placeColumns } from './place-columns.ts'
import type { CredentialKey } from './provider-credentials.ts'

/** A Connection or provider setting with the credential, as now configured; a null version is the current one. */
interface CredentialUseRow {
  kind: 'connection' | 'providerSetting'
  id: string
  name: string
  version: number | null
  project_id: string
  project_slug: string
  environment_id: string
  environment_kind: EnvironmentRow['kind']
}

/** Up to `limit` configured uses, Connections first. */
export const listConfiguredUses = query((db, values: CredentialKey & { limit: number }) =>
  db
    .selectFrom('connections as used')
    .innerJoin('connection_versions as current', (join) =>
      // also joined by Connection, so that a query plan can start at the versions that use the credential
      join.onRef('current.id', '=', 'used.current_version_id').onRef('used.id', '=', 'current.connection_id'),
    )
    .innerJoin('environments', 'environments.id', 'used.environment_id')
    .innerJoin('projects', 'projects.id', 'environments.project_id')
    .select([
      sql<CredentialUseRow['kind']>`'connection'`.as('kind'),
      'used.id',
      'used.name',
      'current.provider_credential_version as version',
      ...placeColumns,
    ])
    .where('current.provider_credential_id', '=', values.id)
    .where('used.organization_id', '=', values.organizationId)
    .where(unmarked('used'))
    .unionAll(
      db
        .selectFrom('provider_settings as used')
        .innerJoin('agents', 'agents.id', 'used.agent_id')
        .innerJoin('environments', 'environments.id', 'used.environment_id')
        .innerJoin('projects', 'projects.id', 'environments.project_id')
        .select([
          sql<CredentialUseRow['kind']>`'providerSetting'`.as('kind'),
          sql<string>`cast(used.setting_id as text)`.as('id'),
          'agents.slug as name',
          'used.provider_credential_version as version',
          ...placeColumns,
        ])
        .where('used.provider_credential_id', '=', values.id)
        .where('used.organization_id', '=', values.organizationId),
    )
    .limit(values.limit),
)

/** Revokes a version; idempotent. Stores nothing if the version does not exist. */
export const revokeCredentialVersion = write((db, values: CredentialKey & { version: number; at: number }) =>
  db
    .insertInto('revoked_credential_versions')
    .columns(['credential_id', 'version', 'revoked_at'])
    .expression(
      db
        .selectFrom('provider_credentials as credential')
        .innerJoin('provider_credential_versions as one', 'one.credential_id', 'credential.id')
        .select(({ val }) => ['one.credential_id', 'one.version', val(values.at).as('revoked_at')])
        .where('credential.id', '=', values.id)
        .where('credential.organization_id', '=', values.organizationId)
        .where('one.version', '=', values.version),
    )
    .onConflict((conflict) => conflict.doNothing()),
)

/** Notes the change in the credential, if the version was revoked at this time and not before. */
export const touchRevokedCredential = write((db, values: CredentialKey & { version: number; at: number }) =>
  db
    .updateTable('provider_credentials')
    .set({ updated_at: values.at })
    .where('id', '=', values.id)
    .where('organization_id', '=', values.organizationId)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('revoked_credential_versions as revoked')
          .select('revoked.version')
          .where('revoked.credential_id', '=', values.id)
          .where('revoked.version', '=', values.version)
          .where('revoked.revoked_at', '=', values.at),
      ),
    ),
)
