/** The row by which a server proves that its store can be written. */
export interface ReadinessRow {
  id: number
  proved_at: number
}

export interface ReadinessTables {
  readiness: ReadinessRow
}
