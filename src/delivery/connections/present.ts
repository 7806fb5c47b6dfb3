/** A Connection without its credential. */
import type { ConsentOfVersion, CurrentConnection } from '../../../storage/delivery/connections.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { Connection } from './schema.ts'

/** The consent, if there is one. */
const consentOf = ({ preset_key, scopes, account_id, account_label }: ConsentOfVersion): Pick<Connection, 'oauth'> =>
  preset_key === null || scopes === null || account_id === null
    ? {}
    : {
        oauth: {
          presetKey: preset_key,
          scopes: JSON.parse(scopes) as string[],
          account: { id: account_id, label: account_label ?? account_id },
        },
      }

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
  ...consentOf(row),
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
})
