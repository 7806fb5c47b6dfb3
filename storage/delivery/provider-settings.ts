/** Which model an Agent uses in an Environment. Source: requirement 2, 4.10; contract 4. */
import type { ExpressionBuilder } from 'kysely'
import { activeAgentInEnvironment } from '../active-parents.ts'
import { insertFrom, rowsOf } from '../rows.ts'
import { write } from '../statement.ts'
import type { ProviderSettingRow, Tables } from '../tables.ts'
import { isReferable } from './credential-references.ts'

const providerSettings = rowsOf('provider_settings', 'setting_id')

/** Where the settings of an Agent in an Environment are; the Project is the one of both. */
export interface ProviderSettingPlace {
  organizationId: string
  projectId: string
  environmentId: string
  agentId: string
}

/** Only while Environment, Agent and credential are there to stay; else `StaleWrite`. */
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

/** A setting as it was read: the fields with `Was`. */
interface SettingAsRead extends Pick<ProviderSettingRow, 'setting_id'> {
  providerWas: string | null
  modelWas: string | null
  settingsWas: string
  credentialWas: string | null
  versionWas: number | null
}

/** It is there, and still what was read. */
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

/** What a setting is to be, if it still is what was read. */
export interface ProviderSettingUpdate extends ProviderSettingRow, SettingAsRead {
  /** The credential and version that must be there; null when nothing about them is to change. */
  credentialWanted: string | null
  versionWanted: number | null
}

/** Else, and when the credential is gone, `StaleWrite`. */
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

/** If it still is what was read; else `StaleWrite`. */
export const deleteProviderSetting = write(
  (db, row: SettingAsRead) => db.deleteFrom('provider_settings').where(isAsRead(row)),
  1,
)

/** The setting at this path, or undefined: absent and foreign look the same. */
export const findProviderSetting = providerSettings.find('setting_id', 'environment_id', 'agent_id', 'organization_id')

/** Those of the Agent in the Environment (there is at most one) before an id. */
export const listProviderSettings = providerSettings.newest(
  'setting_id',
  'environment_id',
  'agent_id',
  'organization_id',
)
