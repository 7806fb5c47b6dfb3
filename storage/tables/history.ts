/** Rows of the history of Environments, and of broadcasts to all of them. */
import type { Generated } from 'kysely'

/** A single row. */
interface HistoryRow {
  id: number
  generation: number
}

/** An event to announce to all active Environments; broadcasts are processed in the order of their ids. */
export interface BroadcastRow {
  id: number
  /** The organization whose Environments get it; null: all organizations. */
  organization_id: string | null
  type: string
  subject_type: string
  subject_id: string
  actor_type: string
  actor_id: string
  /** JSON. */
  data: string
  at: number
  /** Environments up to this id have been told; empty: none. */
  told_up_to: string
}

/** A System Agent that cannot be started. */
interface DisabledSystemAgentRow {
  agent_id: string
  disabled_at: number
}

export interface HistoryTables {
  history: HistoryRow
  announcements: Omit<BroadcastRow, 'id'> & { id: Generated<number> }
  disabled_system_agents: DisabledSystemAgentRow
}
