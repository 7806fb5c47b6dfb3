/** How many rows of a table are in each state: kept by the store itself. The migrations say the rest. */
export interface StateCountRow {
  kind: 'runs' | 'deliveries' | 'operation_invocations'
  state: string
  count: number
}

export interface StateCountTables {
  state_counts: StateCountRow
}
