/** Which model an Agent uses in an Environment. Source: requirement 2, 4.10; contract 4. */
import { isReferable } from './credential-references.ts'
import { query, write } from './statement.ts'
import type { ProviderSettingRow } from './tables.ts'

/** Where the settings of an Agent in an Environment are; the Project is the one of both. */
export interface ProviderSettingPlace {
  organizationId: string
  projectId: string
  environmentId: string
  agentId: string
}

const columns = [
  'setting_id',
  'organization_id',
  'environment_id',
  'agent_id',
  'provider',
  'model',
  'settings',
  'provider_credential_id',
  'provider_credential_version',
  'created_at',
  'updated_at',
] as const

/** Only while Environment, Agent and credential are there to stay; else `StaleWrite`. */
export const insertProviderSetting = write(
  (db, row: ProviderSettingRow & { projectId: string }) =>
    db
      .insertInto('provider_settings')
      .columns(columns)
      .expression(
        db
          .selectFrom('environments')
          .innerJoin('projects', 'projects.id', 'environments.project_id')
          .innerJoin('agents', 'agents.project_id', 'projects.id')
          .select(({ val }) => columns.map((column) => val(row[column]).as(column)))
          .where('environments.id', '=', row.environment_id)
          .where('environments.organization_id', '=', row.organization_id)
          .where('environments.state', '<>', 'deleting')
          .where('projects.id', '=', row.projectId)
          .where('projects.status', '<>', 'deleting')
          .where('agents.id', '=', row.agent_id)
          .where('agents.status', '=', 'active')
          .where(isReferable(row.organization_id, row.provider_credential_id, row.provider_credential_version)),
      ),
  1,
)

/** What a setting is to be, if it still is what was read: the fields with `Was`. */
export interface ProviderSettingUpdate extends ProviderSettingRow {
  providerWas: string | null
  modelWas: string | null
  settingsWas: string
  credentialWas: string | null
  versionWas: number | null
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
      .where('setting_id', '=', row.setting_id)
      .where('provider', 'is not distinct from', row.providerWas)
      .where('model', 'is not distinct from', row.modelWas)
      .where('settings', '=', row.settingsWas)
      .where('provider_credential_id', 'is not distinct from', row.credentialWas)
      .where('provider_credential_version', 'is not distinct from', row.versionWas)
      .where(isReferable(row.organization_id, row.credentialWanted, row.versionWanted)),
  1,
)

/** If it still is what was read; else `StaleWrite`. */
export const deleteProviderSetting = write(
  (
    db,
    row: Omit<ProviderSettingUpdate, keyof ProviderSettingRow | 'credentialWanted' | 'versionWanted'> &
      Pick<ProviderSettingRow, 'setting_id'>,
  ) =>
    db
      .deleteFrom('provider_settings')
      .where('setting_id', '=', row.setting_id)
      .where('provider', 'is not distinct from', row.providerWas)
      .where('model', 'is not distinct from', row.modelWas)
      .where('settings', '=', row.settingsWas)
      .where('provider_credential_id', 'is not distinct from', row.credentialWas)
      .where('provider_credential_version', 'is not distinct from', row.versionWas),
  1,
)

/** The setting at this path, or undefined: absent and foreign look the same. */
export const findProviderSetting = query((db, values: ProviderSettingPlace & { settingId: number }) =>
  db
    .selectFrom('provider_settings')
    .selectAll()
    .where('setting_id', '=', values.settingId)
    .where('environment_id', '=', values.environmentId)
    .where('agent_id', '=', values.agentId)
    .where('organization_id', '=', values.organizationId),
)

/** Those of the Agent in the Environment (there is at most one) before an id. */
export const listProviderSettings = query((db, values: ProviderSettingPlace & { beforeId: number; limit: number }) =>
  db
    .selectFrom('provider_settings')
    .selectAll()
    .where('environment_id', '=', values.environmentId)
    .where('agent_id', '=', values.agentId)
    .where('organization_id', '=', values.organizationId)
    .where('setting_id', '<', values.beforeId)
    .orderBy('setting_id', 'desc')
    .limit(values.limit),
)
