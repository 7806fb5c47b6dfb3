/** Connections made by consent. Row types for Kysely; the migrations define the tables. */
export interface OAuthConnectionRow {
  connection_id: string
  environment_id: string
  preset_key: string
  integration_id: string
  account_id: string
}

/** What one consent gave. */
export interface OAuthGrantRow {
  id: string
  organization_id: string
  connection_id: string
  preset_key: string
  integration_id: string
  /** Of the client that obtained the tokens, and that alone may refresh them. */
  integration_version: number
  account_id: string
  account_label: string
  /** JSON. */
  scopes: string
  status: 'active' | 'ended'
  sealed: string
  /** Counts the refreshes; the tokens are sealed for it. */
  token_version: number
  /** Whether there is a refresh token. */
  renewable: 0 | 1
  /** Of the access token; null when the provider did not tell. */
  expires_at: number | null
  refresher: string | null
  refresher_until: number | null
  failed_at: number | null
  created_at: number
  updated_at: number
}

export interface OAuthFlowUsedRow {
  state_hash: string
  expires_at: number
}

export interface OAuthTables {
  oauth_connections: OAuthConnectionRow
  oauth_grants: OAuthGrantRow
  oauth_flows_used: OAuthFlowUsedRow
}
