/**
 * Runner pools and the tokens that runners register with. Timestamps are epoch milliseconds. Row types for Kysely; the
 * migrations define the tables.
 */
export interface RunnerPoolRow {
  id: string
  /** null: the deployment's. */
  organization_id: string | null
  name: string
  /** 1: the organization's runs use only its own pools. */
  exclusive: 0 | 1
  created_at: number
  updated_at: number
}

export interface RunnerTokenRow {
  id: string
  pool_id: string
  /** null, like the hash, for the token from the configuration. */
  prefix: string | null
  secret_hash: string | null
  status: 'active' | 'revoked'
  /** null: never. */
  expires_at: number | null
  last_used_at: number | null
  created_by: string | null
  created_at: number
}

export interface RunnerPoolTables {
  runner_pools: RunnerPoolRow
  runner_tokens: RunnerTokenRow
}
