/** Checks references to a provider credential, in a query and in the condition of a write. Source: contract 4. */
import { type RawBuilder, sql } from 'kysely'
import { isNull } from '../by-engine.ts'
import { query } from '../statement.ts'

/** A reference to a credential of the organization; a null version means whichever is current. */
interface CredentialReference {
  organizationId: string
  credentialId: string
  version: number | null
}

/** The credential, if it exists; `version` is null unless the requested version exists. */
export const findReferableCredential = query((db, values: CredentialReference) =>
  db
    .selectFrom('provider_credentials as credential')
    .leftJoin('provider_credential_versions as pinned', (join) =>
      join.onRef('pinned.credential_id', '=', 'credential.id').on('pinned.version', '=', values.version),
    )
    .select(['credential.provider', 'pinned.version'])
    .where('credential.id', '=', values.credentialId)
    .where('credential.organization_id', '=', values.organizationId)
    .where('credential.status', '<>', 'deleting'),
)

/** The same check as a condition; true without a credential. */
export const isReferable = (
  organizationId: string,
  credentialId: string | null,
  version: number | null,
): RawBuilder<boolean> => sql<boolean>`(${isNull(credentialId)} or exists (
  select 1 from provider_credentials as credential
  where credential.id = ${credentialId}
    and credential.organization_id = ${organizationId}
    and credential.status <> 'deleting'
    and (${isNull(version)} or exists (
      select 1 from provider_credential_versions as pinned
      where pinned.credential_id = credential.id and pinned.version = ${version}))))`
