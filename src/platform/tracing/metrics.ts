/** Metrics of traces, if they are enabled. */
import { Counter, Gauge, type Registry } from '../operating/prometheus.ts'
import type { Tracing } from './tracing.ts'

export function registerTraceMetrics(registry: Registry, tracing: Tracing): void {
  const registers = [registry]
  new Counter({
    name: 'troupe_trace_spans_exported_total',
    help: 'Spans that the collector has taken.',
    registers,
    collect() {
      this.reset()
      this.inc(tracing.statistics.exported)
    },
  })
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
  new Gauge({
    name: 'troupe_trace_spans_waiting',
    help: 'Spans that wait for their export, or are being exported.',
    registers,
    collect() {
      this.set(tracing.statistics.waiting)
    },
  })
}
