/** Actions on many runs. Rows as Kysely knows them: the migrations say the rest. */
export interface BulkActionRow {
  id: string
  organization_id: string
  /** The part of the organization that it is confined to; null: all. */
  project_id: string | null
  environment_id: string | null
  agent_id: string | null
  action: 'cancel' | 'continue' | 'fork'
  /** JSON: as it was asked for. */
  filter: string
  /** What runs are continued or forked with. */
  query: string | null
  runs_max: number
  dry_run: 0 | 1
  request_id: string
  request_id_from: 'server' | 'client' | null
  state: string
  version: number
  machine_version: string
  context: string
  created_by_type: 'user' | 'apiKey'
  created_by_id: string
  /** Of a key: who made it. */
  user_id: string
  created_at: number
  updated_at: number
}

/** Some of the runs that it acts on, as JSON: ids, oldest first. */
interface BulkActionPieceRow {
  bulk_action_id: string
  piece: number
  runs: string
}

/** A run of the piece in progress on which the action was executed. */
interface BulkActionMarkRow {
  bulk_action_id: string
  agent_run_id: string
}

export interface BulkActionTables {
  bulk_actions: BulkActionRow
  bulk_action_pieces: BulkActionPieceRow
  bulk_action_marks: BulkActionMarkRow
}
