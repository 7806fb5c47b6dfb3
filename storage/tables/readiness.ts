/** The row that a server writes to prove that its store is writable. */
export interface ReadinessRow {
  id: number
  proved_at: number
}

export interface ReadinessTables {
  readiness: ReadinessRow
}
