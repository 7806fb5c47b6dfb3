/** The row of a new key: everything but the secret, which is stored as its hash. Source: contract 1, "API key". */
import { newId } from '../../../storage/ids.ts'
import type { ApiKeyRow } from '../../../storage/tables.ts'
import type { Scope } from '../../platform/http/guard/caller.ts'
import type { Permission } from '../../platform/http/guard/permissions.ts'
import { hashSecret } from '../../platform/secrets/tokens.ts'
import { visiblePrefix } from './secret.ts'

interface NewKey {
  organizationId: string
  /** The user whose permissions the key has, within its operations. */
  createdBy: string
  name: string
  operations: readonly Permission[]
  scope: Scope
  /** Epoch milliseconds. */
  expiresAt: number
}

/** The row of a key created now (epoch milliseconds). */
export const apiKeyRow = (secret: string, key: NewKey, now: number): ApiKeyRow => ({
  id: newId('key', now),
  organization_id: key.organizationId,
  name: key.name,
  prefix: visiblePrefix(secret),
  secret_hash: hashSecret(secret),
  operations: JSON.stringify(key.operations),
  project_id: key.scope.projectId,
  environment_id: key.scope.environmentId,
  agent_id: key.scope.agentId,
  created_by: key.createdBy,
  status: 'active',
  expires_at: key.expiresAt,
  last_used_at: null,
  created_at: now,
  replaced_by: null,
})
