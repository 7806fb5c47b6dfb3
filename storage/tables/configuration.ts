/** Configuration of an Environment. Row types for Kysely; the migrations define the tables. */
export interface ConfigurationRevisionRow {
  id: string
  organization_id: string
  environment_id: string
  number: number
  parent_id: string | null
  /** JSON: variables, connections, providerSettings. */
  content: string
  digest: string
  description: string | null
  created_by_type: 'user' | 'apiKey'
  created_by_id: string
  created_at: number
}

export interface ProviderCredentialRow {
  id: string
  organization_id: string
  label: string
  /** A vendor, or `custom`. */
  provider: string
  credential_type: 'api_key' | 'oauth' | 'service_account' | 'connection_string'
  status: 'active' | 'disabled' | 'deleting'
  expires_at: number | null
  current_version: number
  created_at: number
  updated_at: number
}

export interface ProviderCredentialVersionRow {
  credential_id: string
  version: number
  sealed: string
  created_at: number
}

/** A revoked version: it is no longer used, even where it is pinned. */
interface RevokedCredentialVersionRow {
  credential_id: string
  version: number
  revoked_at: number
}

export interface OrganizationVariableRow {
  id: string
  organization_id: string
  name: string
  description: string | null
  status: 'active' | 'disabled'
  version: number
  created_at: number
  updated_at: number
}

export interface OrganizationVariableVersionRow {
  variable_id: string
  version: number
  sealed: string
  digest: string
  length: number
  created_at: number
}

/** A variable of an Environment; `agent_id` and `binding_key` are set together. */
export interface VariableRow {
  id: string
  organization_id: string
  environment_id: string
  name: string
  description: string | null
  status: 'active' | 'disabled'
  version: number
  agent_id: string | null
  binding_key: string | null
  created_at: number
  updated_at: number
}

/** Either its own value (`sealed`), or a version of an organization variable. */
export interface VariableVersionRow {
  variable_id: string
  version: number
  sealed: string | null
  source_variable_id: string | null
  source_version: number | null
  digest: string
  length: number
  created_at: number
}

export interface ConnectionRow {
  id: string
  organization_id: string
  environment_id: string
  name: string
  kind: 'http' | 'database' | 'object_storage' | 'messaging' | 'custom'
  status: 'active' | 'disabled' | 'deleting'
  status_reason: string | null
  agent_id: string | null
  binding_key: string | null
  current_version_id: string
  created_at: number
  updated_at: number
}

export interface ConnectionVersionRow {
  id: string
  organization_id: string
  connection_id: string
  number: number
  /** JSON. */
  settings: string
  provider_credential_id: string | null
  provider_credential_version: number | null
  /** The OAuth grant, in place of a credential. */
  oauth_grant_id: string | null
  created_at: number
}

export interface ProviderSettingRow {
  setting_id: number
  organization_id: string
  environment_id: string
  agent_id: string
  provider: string | null
  model: string | null
  /** JSON. */
  settings: string
  provider_credential_id: string | null
  provider_credential_version: number | null
  created_at: number
  updated_at: number
}

export interface ConfigurationTables {
  configuration_revisions: ConfigurationRevisionRow
  provider_credentials: ProviderCredentialRow
  provider_credential_versions: ProviderCredentialVersionRow
  revoked_credential_versions: RevokedCredentialVersionRow
  organization_variables: OrganizationVariableRow
  organization_variable_versions: OrganizationVariableVersionRow
  variables: VariableRow
  variable_versions: VariableVersionRow
  connections: ConnectionRow
  connection_versions: ConnectionVersionRow
  provider_settings: ProviderSettingRow
}
