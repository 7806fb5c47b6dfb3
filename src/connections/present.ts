/** A Connection as everybody with the permission may see it: no word about its credential. */
import type { CurrentConnection } from '../../storage/connections.ts'
import { timestamp } from '../http/timestamp.ts'
import type { Connection } from './schema.ts'

export const presentConnection = (row: CurrentConnection): Connection => ({
  id: row.id,
  environmentId: row.environment_id,
  name: row.name,
  kind: row.kind,
  status: row.status,
  statusReason: row.status_reason,
  settings: JSON.parse(row.settings) as Record<string, unknown>,
  agentId: row.agent_id,
  bindingKey: row.binding_key,
  currentVersion: { id: row.current_version_id, number: row.number, createdAt: timestamp(row.version_created_at) },
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
})
