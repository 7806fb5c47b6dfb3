/** The row that a server writes to prove that its store is writable. */
interface ReadinessRow {
  id: number
  proved_at: number
}

export interface ReadinessTables {
  readiness: ReadinessRow
}
