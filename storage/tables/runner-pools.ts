/** Pools of runners and what they register with. Instants are epoch milliseconds. The migrations say the rest. */
export interface RunnerPoolRow {
  id: string
  /** null: the deployment's. */
  organization_id: string | null
  name: string
  /** 1: the runs of the organization go to its own pools only. */
  exclusive: 0 | 1
  created_at: number
  updated_at: number
}

export interface RunnerTokenRow {
  id: string
  pool_id: string
  /** null, like the hash, for the token of the configuration. */
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
