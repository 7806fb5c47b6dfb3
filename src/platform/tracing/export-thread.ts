/**
 * The thread that exports spans, so that the server's thread neither encodes nor sends them. OpenTelemetry's exporter
 * (OTLP over HTTP) connects to the operator's collector, so it does not pass the guard for addresses that tenants set.
 * Started by `exporter.ts`.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { createTraceState, SpanKind as SdkKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import type { BatchOutcome, ExportOptions, SpanBatch } from './exporter.ts'
import type { SpanKind, SpanRecord } from './span.ts'

const { url, headers, timeoutMillis, compression, isJson, resource: given, version } = workerData as ExportOptions

const options = { url, headers, timeoutMillis, compression: compression as never }
const exporter = isJson ? new JsonExporter(options) : new ProtobufExporter(options)
const resource = defaultResource().merge(resourceFromAttributes(given))
const scope = { name: 'troupe', version }

const kinds: Record<SpanKind, SdkKind> = {
  internal: SdkKind.INTERNAL,
  server: SdkKind.SERVER,
  client: SdkKind.CLIENT,
  producer: SdkKind.PRODUCER,
}
const nothing: never[] = []

/** Seconds and nanoseconds. */
const timeOf = (ms: number): [number, number] => {
  const seconds = Math.floor(ms / 1_000)
  return [seconds, Math.round((ms - seconds * 1_000) * 1_000_000)]
}

function readable(record: SpanRecord): ReadableSpan {
  const { traceId, spanId, parentSpanId, tracestate, startedAt, endedAt, error } = record
  const context = {
    traceId,
    spanId,
    traceFlags: TraceFlags.SAMPLED,
    ...(tracestate !== null && { traceState: createTraceState(tracestate) }),
  }
  return {
    name: record.name,
    kind: kinds[record.kind],
    spanContext: () => context,
    ...(parentSpanId !== null && {
      parentSpanContext: { traceId, spanId: parentSpanId, traceFlags: TraceFlags.SAMPLED },
    }),
    startTime: timeOf(startedAt),
    endTime: timeOf(endedAt),
    duration: timeOf(Math.max(0, endedAt - startedAt)),
    status: error === undefined ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: error },
    attributes: record.attributes,
    links: nothing,
    events: nothing,
    ended: true,
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
}

const tell = (outcome: BatchOutcome) => parentPort?.postMessage(outcome)

parentPort?.on('message', ({ batch, spans }: SpanBatch) => {
  try {
    exporter.export((JSON.parse(spans) as SpanRecord[]).map(readable), ({ code, error }) => {
      if (code === 0) return tell({ batch })
      // of a collector's answer only the status: its text is not ours
      tell({ batch, failure: { name: error?.name ?? 'Error', code: (error as { code?: string | number })?.code } })
    })
  } catch (error) {
    tell({ batch, failure: { name: error instanceof Error ? error.name : 'Error', code: undefined } })
  }
})
