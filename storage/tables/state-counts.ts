/**
 * Rows counted by state, and how long actors stayed in a state; maintained by the store. Row types for Kysely; the
 * migrations define the tables.
 */
export interface StateCountRow {
  kind: 'runs' | 'deliveries' | 'operation_invocations'
  state: string
  count: number
}

/** The number of actors of a kind in a state at a place. */
interface ActorCountRow {
  /** An Environment, or the organization of an actor outside of Environments. */
  place: string
  kind: string
  state: string
  count: number
}

interface StateStayRow {
  /** An Environment, a Project or an organization. */
  place: string
  kind: string
  state: string
  /** JSON: how long the last thousand that left the state had been in it, in order. */
  milliseconds: string
}

export interface StateCountTables {
  state_counts: StateCountRow
  actor_counts: ActorCountRow
  state_stays: StateStayRow
}
