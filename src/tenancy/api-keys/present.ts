/** A key without its secret. */
import type { ShownKeyRow } from '../../../storage/tenancy/api-keys.ts'
import type { Permission } from '../../platform/http/guard/permissions.ts'
import { timestamp, timestampOrNull } from '../../platform/http/timestamp.ts'
import type { ApiKey } from './schema.ts'

export const presentKey = (row: ShownKeyRow): ApiKey => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  operations: JSON.parse(row.operations) as Permission[],
  projectId: row.project_id,
  environmentId: row.environment_id,
  agentId: row.agent_id,
  createdBy: row.created_by,
  expiresAt: timestamp(row.expires_at),
  lastUsedAt: timestampOrNull(row.last_used_at),
  status: row.status,
  createdAt: timestamp(row.created_at),
})
