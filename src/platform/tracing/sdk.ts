/**
 * The OpenTelemetry SDK: sampling, batches, and the export by OTLP over HTTP. This module alone imports it, and is imported
 * when traces are switched on. The exporter speaks to the operator's collector, so it does not pass the guard of addresses
 * that tenants name.
 */
import {
  type Context,
  createTraceState,
  ROOT_CONTEXT,
  SpanKind as SdkKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type Sampler,
  SamplingDecision,
  type SpanExporter,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'
import { version } from '../../../package.json'
import { readPairs, type TraceSettings } from './settings.ts'
import type { SpanKind, SpanRecord } from './span.ts'
import type { SpanQueue, SpanStatistics } from './span-queue.ts'
import type { TraceContext } from './trace-context.ts'

const kinds: Record<SpanKind, SdkKind> = {
  internal: SdkKind.INTERNAL,
  server: SdkKind.SERVER,
  client: SdkKind.CLIENT,
  producer: SdkKind.PRODUCER,
}
const scope = { name: 'troupe', version }

/** Decides whether a trace is exported, by the sampler of the settings. */
export function openSampler({ otelSampler, otelSamplerArgument }: TraceSettings) {
  const name = otelSampler.replace('parentbased_', '')
  const root: Sampler =
    name === 'always_off'
      ? new AlwaysOffSampler()
      : name === 'traceidratio'
        ? new TraceIdRatioBasedSampler(Number(otelSamplerArgument))
        : new AlwaysOnSampler()
  const sampler = otelSampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root
  return (traceId: string, parent: TraceContext | null): boolean => {
    const context: Context = parent ? trace.setSpanContext(ROOT_CONTEXT, sdkContext(parent, true)) : ROOT_CONTEXT
    return sampler.shouldSample(context, traceId, '', SdkKind.SERVER, {}, []).decision !== SamplingDecision.NOT_RECORD
  }
}

const sdkContext = ({ traceId, spanId, sampled, tracestate }: TraceContext, isRemote = false) => ({
  traceId,
  spanId,
  traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
  isRemote,
  ...(tracestate !== null && { traceState: createTraceState(tracestate) }),
})

/** The exporter's own words for what the settings say. */
function openExporter(settings: TraceSettings): SpanExporter {
  const { otelEndpoint, otelHeaders, otelTracesHeaders } = settings
  const options = {
    url: settings.otelTracesEndpoint ?? `${otelEndpoint}/v1/traces`,
    headers: { ...readPairs(otelHeaders?.reveal() ?? ''), ...readPairs(otelTracesHeaders?.reveal() ?? '') },
    timeoutMillis: settings.otelTracesTimeoutMs ?? settings.otelTimeoutMs,
    compression: (settings.otelTracesCompression ?? settings.otelCompression) as never,
  }
  const protocol = settings.otelTracesProtocol ?? settings.otelProtocol
  return protocol === 'http/json' ? new JsonExporter(options) : new ProtobufExporter(options)
}

const openResource = ({ otelResourceAttributes, otelServiceName }: TraceSettings, instanceId: string) =>
  defaultResource().merge(
    resourceFromAttributes({
      'service.name': 'troupe',
      'service.version': version,
      'service.instance.id': instanceId,
      ...readPairs(otelResourceAttributes ?? ''),
      ...(otelServiceName !== null && { 'service.name': otelServiceName }),
    }),
  )

/** Spans of one call of `add`. */
interface Waiting {
  left: number
  settled: (() => void) | undefined
}

/** A bounded queue in front of the collector. `onTrouble`: an export has failed. */
export class CollectorQueue implements SpanQueue {
  readonly #statistics: SpanStatistics = { exported: 0, droppedByQueue: 0, droppedByExport: 0, waiting: 0 }
  readonly #processor: BatchSpanProcessor
  readonly #resource: ReadableSpan['resource']
  readonly #waiting = new WeakMap<ReadableSpan, Waiting>()
  readonly #spansMax: number
  #isClosed = false

  constructor(settings: TraceSettings, instanceId: string, onTrouble: (error: unknown) => void) {
    const exporter = openExporter(settings)
    this.#resource = openResource(settings, instanceId)
    this.#spansMax = settings.otelQueueSpansMax
    this.#processor = new BatchSpanProcessor({
      exporter: {
        export: (spans, answer) =>
          exporter.export(spans, (result) => {
            if (result.code === 0) this.#statistics.exported += spans.length
            else {
              this.#statistics.droppedByExport += spans.length
              onTrouble(result.error)
            }
            for (const span of spans) this.#settle(span)
            // what has been counted is no error of the processor
            answer({ code: 0 })
          }),
        shutdown: () => exporter.shutdown(),
      },
      scheduledDelayMillis: settings.otelScheduleDelayMs,
      exportTimeoutMillis: settings.otelExportTimeoutMs,
      maxQueueSize: settings.otelQueueSpansMax,
      maxExportBatchSize: Math.min(settings.otelBatchSpansMax, settings.otelQueueSpansMax),
    })
  }

  get statistics(): Readonly<SpanStatistics> {
    return this.#statistics
  }

  add(spans: readonly SpanRecord[], settled?: () => void): void {
    const statistics = this.#statistics
    const room = this.#isClosed ? 0 : Math.max(0, this.#spansMax - statistics.waiting)
    const taken = spans.length <= room ? spans : spans.slice(0, room)
    statistics.droppedByQueue += spans.length - taken.length
    statistics.waiting += taken.length
    const waiting = { left: taken.length, settled }
    if (taken.length === 0) settled?.()
    for (const record of taken) {
      const span = this.#readable(record)
      this.#waiting.set(span, waiting)
      this.#processor.onEnd(span)
    }
  }

  async close(withinMs: number): Promise<void> {
    this.#isClosed = true
    const closing = this.#processor.shutdown().catch(() => {})
    await Promise.race([closing, Bun.sleep(withinMs)])
  }

  #settle(span: ReadableSpan): void {
    this.#statistics.waiting -= 1
    const waiting = this.#waiting.get(span)
    if (!waiting) return
    waiting.left -= 1
    if (waiting.left === 0) waiting.settled?.()
  }

  #readable({
    traceId,
    spanId,
    parentSpanId,
    tracestate,
    name,
    kind,
    startedAt,
    endedAt,
    attributes,
    error,
  }: SpanRecord) {
    const context = sdkContext({ traceId, spanId, sampled: true, tracestate })
    const span: ReadableSpan = {
      name,
      kind: kinds[kind],
      spanContext: () => context,
      ...(parentSpanId !== null && {
        parentSpanContext: sdkContext({ traceId, spanId: parentSpanId, sampled: true, tracestate: null }),
      }),
      startTime: timeOf(startedAt),
      endTime: timeOf(endedAt),
      duration: timeOf(Math.max(0, endedAt - startedAt)),
      status: error === undefined ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: error },
      attributes,
      links: [],
      events: [],
      ended: true,
      resource: this.#resource,
      instrumentationScope: scope,
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    }
    return span
  }
}

/** Seconds and nanoseconds. */
const timeOf = (ms: number): [number, number] => {
  const seconds = Math.floor(ms / 1_000)
  return [seconds, Math.round((ms - seconds * 1_000) * 1_000_000)]
}
