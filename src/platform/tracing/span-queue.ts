/**
 * The queue of ended spans before their export. Nothing waits for it, and it drops spans when it is full. Its spans are
 * texts, so that thousands of them cost the garbage collector little.
 */
import type { ExportFailure } from './exporter.ts'
import type { TraceSettings } from './settings.ts'
import type { SpanRecord } from './span.ts'

/** Since the start. */
export interface SpanStatistics {
  exported: number
  /** Dropped because the queue was full. */
  droppedByQueue: number
  /** Dropped because the collector did not accept them. */
  droppedByExport: number
  /** Waiting, or being exported. */
  waiting: number
}

interface SpanQueueParts {
  settings: Pick<TraceSettings, 'otelScheduleDelayMs' | 'otelQueueSpansMax' | 'otelBatchSpansMax'>
  exporter: { export(spans: string): Promise<ExportFailure | undefined>; close(): Promise<void> }
  /** A batch was not accepted. */
  onTrouble(failure: ExportFailure): void
}

/** A span, as JSON. */
export const spanText = (span: SpanRecord): string => JSON.stringify(span)

/** Joins the texts of spans to the text of a list. */
export const listText = (spans: readonly string[]): string => `[${spans.join(',')}]`

/** Spans that were added together. */
interface Together {
  left: number
  settled: (() => void) | undefined
}

export class SpanQueue {
  readonly #statistics: SpanStatistics = { exported: 0, droppedByQueue: 0, droppedByExport: 0, waiting: 0 }
  readonly #batchMax: number
  #spans: string[] = []
  /** The group of each span. */
  #together: Together[] = []
  #timer: Timer | undefined
  /** The exports in progress, one after another. */
  #exporting: Promise<void> | undefined
  #isClosed = false

  constructor(private readonly parts: SpanQueueParts) {
    const { otelBatchSpansMax, otelQueueSpansMax } = parts.settings
    this.#batchMax = Math.min(otelBatchSpansMax, otelQueueSpansMax)
  }

  get statistics(): Readonly<SpanStatistics> {
    return this.#statistics
  }

  /** Adds texts of spans; `settled` is called when they are exported or dropped. Never throws. */
  add(spans: readonly string[], settled?: () => void): void {
    const statistics = this.#statistics
    const room = this.#isClosed ? 0 : Math.max(0, this.parts.settings.otelQueueSpansMax - statistics.waiting)
    const taken = Math.min(spans.length, room)
    statistics.droppedByQueue += spans.length - taken
    if (taken === 0) {
      settled?.()
      return
    }
    statistics.waiting += taken
    const together = { left: taken, settled }
    for (let at = 0; at < taken; at += 1) {
      this.#spans.push(spans[at] as string)
      this.#together.push(together)
    }
    this.#arrange()
  }

  /** Exports the waiting spans within the time, then accepts no more. */
  async close(withinMs: number): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    const all = async () => {
      await this.#exporting
      while (this.#spans.length > 0) await this.#exportBatch()
    }
    await Promise.race([all(), Bun.sleep(withinMs)])
    await this.parts.exporter.close()
  }

  /** A full batch is exported at once; others wait for more spans. */
  #arrange(): void {
    if (this.#exporting || this.#isClosed || this.#spans.length === 0) return
    if (this.#spans.length >= this.#batchMax) this.#begin()
    else if (this.#timer === undefined) {
      this.#timer = setTimeout(() => this.#begin(), this.parts.settings.otelScheduleDelayMs)
      this.#timer.unref()
    }
  }

  #begin(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#exporting = this.#exportBatch().then(() => {
      this.#exporting = undefined
      this.#arrange()
    })
  }

  /** Never rejects. */
  async #exportBatch(): Promise<void> {
    const spans = this.#spans.splice(0, this.#batchMax)
    const together = this.#together.splice(0, this.#batchMax)
    const failure = await this.parts.exporter.export(listText(spans))
    const statistics = this.#statistics
    statistics.waiting -= spans.length
    if (failure) {
      statistics.droppedByExport += spans.length
      this.parts.onTrouble(failure)
    } else statistics.exported += spans.length
    for (const each of together) {
      each.left -= 1
      if (each.left === 0) each.settled?.()
    }
  }
}
