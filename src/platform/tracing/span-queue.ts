/** The queue of ended spans. Nothing waits for it, and it drops spans that it cannot take. */
import type { SpanRecord } from './span.ts'

export interface SpanQueue {
  /** `settled`: they are exported, or dropped for good. Never throws. */
  add(spans: readonly SpanRecord[], settled?: () => void): void
  readonly statistics: Readonly<SpanStatistics>
  /** Exports what waits, as far as there is time, then takes nothing more. */
  close(withinMs: number): Promise<void>
}

/** Since the start. */
export interface SpanStatistics {
  exported: number
  /** Dropped because too many waited. */
  droppedByQueue: number
  /** Dropped because the collector did not take them. */
  droppedByExport: number
  /** Waiting, or being exported. */
  waiting: number
}
