/** OAuth Connections and their grants. Row types for Kysely; the migrations define the tables. */
interface OAuthConnectionRow {
  connection_id: string
  environment_id: string
  preset_key: string
  integration_id: string
  account_id: string
}

/** The tokens and scopes granted by one consent. */
export interface OAuthGrantRow {
  id: string
  organization_id: string
  connection_id: string
  preset_key: string
  integration_id: string
  /** The Integration version whose client obtained the tokens; only that client may refresh them. */
  integration_version: number
  account_id: string
  account_label: string
  /** JSON. */
  scopes: string
  status: 'active' | 'ended'
  sealed: string
  /** Incremented by each refresh; the sealed tokens are bound to it. */
  token_version: number
  /** Whether there is a refresh token. */
  renewable: 0 | 1
  /** Expiry of the access token; null if the provider did not state one. */
  expires_at: number | null
  refresher: string | null
  refresher_until: number | null
  failed_at: number | null
  created_at: number
  updated_at: number
}

interface OAuthFlowUsedRow {
  state_hash: string
  expires_at: number
}

export interface OAuthTables {
  oauth_connections: OAuthConnectionRow
  oauth_grants: OAuthGrantRow
  oauth_flows_used: OAuthFlowUsedRow
}
