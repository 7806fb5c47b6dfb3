/** Metrics of traces, if they are enabled. */
import { Counter, type Registry, readCounter, readGauge } from '../operating/prometheus.ts'
import type { Tracing } from './tracing.ts'

export function registerTraceMetrics(registry: Registry, tracing: Tracing): void {
  const registers = [registry]
  readCounter(
    registry,
    'troupe_trace_spans_exported_total',
    'Spans that the collector has taken.',
    () => tracing.statistics.exported,
  )
  new Counter({
    name: 'troupe_trace_spans_dropped_total',
    help: 'Spans that were dropped: too many waited (queue_full), or the collector did not take them (export_failed).',
    labelNames: ['reason'],
    registers,
    collect() {
      const { droppedByQueue, droppedByExport } = tracing.statistics
      this.reset()
      this.inc({ reason: 'queue_full' }, droppedByQueue)
      this.inc({ reason: 'export_failed' }, droppedByExport)
    },
  })
  readGauge(
    registry,
    'troupe_trace_spans_waiting',
    'Spans that wait for their export, or are being exported.',
    () => tracing.statistics.waiting,
  )
}
