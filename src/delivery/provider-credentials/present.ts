/** A credential without its secret. */
import type { ProviderCredentialRow, ProviderCredentialVersionRow } from '../../../storage/tables.ts'
import { timestamp, timestampOrNull } from '../../platform/http/timestamp.ts'
import type { ProviderCredential } from './schema.ts'

/** The visible fields of a version. */
export type ShownVersion = Pick<ProviderCredentialVersionRow, 'version' | 'created_at'> & {
  revoked_at?: number | null
}

export const presentCredential = (
  row: ProviderCredentialRow,
  versions: readonly ShownVersion[],
): ProviderCredential => ({
  id: row.id,
  label: row.label,
  provider: row.provider as ProviderCredential['provider'],
  credentialType: row.credential_type,
  status: row.status,
  expiresAt: timestampOrNull(row.expires_at),
  currentVersion: row.current_version,
  versions: versions.map(({ version, created_at, revoked_at = null }) => ({
    version,
    createdAt: timestamp(created_at),
    ...(revoked_at === null ? {} : { revokedAt: timestamp(revoked_at) }),
  })),
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
})
