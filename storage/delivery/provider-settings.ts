/** Provider settings: the model of an Agent in an Environment. Source: requirement 2, 4.10; contract 4. */
import type { ExpressionBuilder } from 'kysely'
import { activeAgentInEnvironment } from '../active-parents.ts'
import { insertFrom, rowsOf } from '../rows.ts'
import { write } from '../statement.ts'
import type { ProviderSettingRow, Tables } from '../tables.ts'
import { isReferable } from './credential-references.ts'

const providerSettings = rowsOf('provider_settings', 'setting_id')

/** The path of the settings of an Agent in an Environment of the same Project. */
export interface ProviderSettingPlace {
  organizationId: string
  projectId: string
  environmentId: string
  agentId: string
}

/** `StaleWrite` if the Environment, Agent or credential does not exist or is being deleted. */
export const insertProviderSetting = write(
  (db, { projectId, ...row }: ProviderSettingRow & { projectId: string }) =>
    insertFrom(
      db,
      'provider_settings',
      row,
      activeAgentInEnvironment(db, row)
        .where('projects.id', '=', projectId)
        .where(isReferable(row.organization_id, row.provider_credential_id, row.provider_credential_version)),
    ),
  1,
)

/** A setting with its values when it was read, in the fields ending in `Was`. */
interface SettingAsRead extends Pick<ProviderSettingRow, 'setting_id'> {
  providerWas: string | null
  modelWas: string | null
  settingsWas: string
  credentialWas: string | null
  versionWas: number | null
}

/** The condition that the setting exists and has not changed since it was read. */
const isAsRead =
  (row: SettingAsRead) =>
  ({ and, eb }: ExpressionBuilder<Tables, 'provider_settings'>) =>
    and([
      eb('setting_id', '=', row.setting_id),
      eb('provider', 'is not distinct from', row.providerWas),
      eb('model', 'is not distinct from', row.modelWas),
      eb('settings', '=', row.settingsWas),
      eb('provider_credential_id', 'is not distinct from', row.credentialWas),
      eb('provider_credential_version', 'is not distinct from', row.versionWas),
    ])

/** The new values of a setting, applied if it has not changed since it was read. */
interface ProviderSettingUpdate extends ProviderSettingRow, SettingAsRead {
  /** The credential and version that must exist; null if they do not change. */
  credentialWanted: string | null
  versionWanted: number | null
}

/** `StaleWrite` if the setting has changed, or the credential was deleted. */
export const updateProviderSetting = write(
  (db, row: ProviderSettingUpdate) =>
    db
      .updateTable('provider_settings')
      .set({
        provider: row.provider,
        model: row.model,
        settings: row.settings,
        provider_credential_id: row.provider_credential_id,
        provider_credential_version: row.provider_credential_version,
        updated_at: row.updated_at,
      })
      .where(isAsRead(row))
      .where(isReferable(row.organization_id, row.credentialWanted, row.versionWanted)),
  1,
)

/** `StaleWrite` if the setting has changed since it was read. */
export const deleteProviderSetting = write(
  (db, row: SettingAsRead) => db.deleteFrom('provider_settings').where(isAsRead(row)),
  1,
)

/** The setting at this path; undefined if it does not exist or belongs elsewhere. */
export const findProviderSetting = providerSettings.find('setting_id', 'environment_id', 'agent_id', 'organization_id')

/** The settings of the Agent in the Environment (at most one) before an id. */
export const listProviderSettings = providerSettings.newest(
  'setting_id',
  'environment_id',
  'agent_id',
  'organization_id',
)
