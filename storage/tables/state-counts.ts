/** How many rows of a table are in each state, and how long others had been: kept by the store itself. The migrations say the rest. */
export interface StateCountRow {
  kind: 'runs' | 'deliveries' | 'operation_invocations'
  state: string
  count: number
}

/** How many actors of a kind are in which state at a place. */
export interface ActorCountRow {
  /** An Environment, or an organization for what is in none. */
  place: string
  kind: string
  state: string
  count: number
}

export interface StateStayRow {
  /** An Environment, a Project or an organization. */
  place: string
  kind: string
  state: string
  /** JSON: of the last thousand that left the state, in order. */
  milliseconds: string
}

export interface StateCountTables {
  state_counts: StateCountRow
  actor_counts: ActorCountRow
  state_stays: StateStayRow
}
