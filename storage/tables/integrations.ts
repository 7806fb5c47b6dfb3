/** Integrations and their versions. Row types for Kysely; the migrations define the tables. */
export interface IntegrationRow {
  id: string
  organization_id: string
  preset_key: string
  client_id: string
  current_version_id: string
  current_version: number
  state: string
  version: number
  machine_version: string
  context: string
  created_at: number
  updated_at: number
}

export interface IntegrationVersionRow {
  id: string
  integration_id: string
  number: number
  client_id: string
  /** The sealed client secret. */
  sealed: string
  created_at: number
}

export interface IntegrationTables {
  integrations: IntegrationRow
  integration_versions: IntegrationVersionRow
}
