/**
 * Traces, if they are enabled. Traced code gets its span's context here, and returns the span when it has ended.
 * Without traces this object does not exist.
 */
import type { Write } from '../../../storage/store.ts'
import type { OwnSpan } from './own-span.ts'
import {
  currentRequestSpan,
  type EndedRequest,
  endRequestSpan,
  failRequestSpan,
  withRequestSpans,
} from './request-spans.ts'
import type { SpanRecord } from './span.ts'
import { type SpanQueue, type SpanStatistics, spanText } from './span-queue.ts'
import { newSpanId, newTraceId, type TraceContext } from './trace-context.ts'

interface TracingParts {
  /** Whether a trace is exported; `parent`: the caller's span. */
  sample(traceId: string, parent: TraceContext | null): boolean
  queue: Pick<SpanQueue, 'add' | 'close' | 'statistics'>
  outbox: { put(spans: readonly SpanRecord[]): Write; start(): Promise<void>; stop(): Promise<void> }
  /** Whether spans contain the inputs and outputs of models and tools. */
  capturesContent: boolean
  /** The most characters of an attribute. */
  valueCharactersMax: number
}

/** The grace period of unexported spans at a planned stop. */
const closeMs = 2_000

export class Tracing {
  readonly capturesContent: boolean
  /** Wraps the handling of requests. */
  readonly aroundRequests: ReturnType<typeof withRequestSpans>

  constructor(private readonly parts: TracingParts) {
    this.capturesContent = parts.capturesContent
    this.aroundRequests = withRequestSpans((traceId, parent) => parts.sample(traceId, parent))
  }

  /** A new child span, which begins now. */
  below(above: TraceContext): OwnSpan {
    return { context: { ...above, spanId: newSpanId() }, parentSpanId: above.spanId }
  }

  /** A new root span. */
  root(): OwnSpan {
    const traceId = newTraceId()
    const sampled = this.parts.sample(traceId, null)
    return { context: { traceId, spanId: newSpanId(), sampled, tracestate: null }, parentSpanId: null }
  }

  /**
   * A new span for a resource that the current request creates: a child of the caller's span, else the root of a trace.
   * It is certain to be exported, so it becomes the parent of the request's own span: call `started` once it is stored.
   */
  inRequest(): OwnSpan {
    const request = currentRequestSpan()
    if (request?.parent) return this.below({ ...request.context, spanId: request.parent.spanId })
    if (!request || request.started) return this.root()
    return { context: { ...request.context, spanId: newSpanId() }, parentSpanId: null }
  }

  /** The new span is stored with its resource. */
  started(span: OwnSpan): void {
    const request = currentRequestSpan()
    if (request && !request.parent && request.context.traceId === span.context.traceId) request.started ??= span
  }

  /** The statement that commits ended spans together with their work; none if there are no spans. */
  ended(spans: readonly SpanRecord[]): Write[] {
    return spans.length === 0 ? [] : [this.parts.outbox.put(spans)]
  }

  /** The current request is about to be answered with this error. */
  failRequest(code: string): void {
    failRequestSpan(code)
  }

  /** A text as an attribute, cut to the limit. */
  text(whole: string): string {
    const { valueCharactersMax } = this.parts
    if (whole.length <= valueCharactersMax) return whole
    // a copy, because a substring keeps the whole text in memory
    return Buffer.from(whole.slice(0, valueCharactersMax)).toString()
  }

  /** Ends the span of the current request. */
  endRequest(ended: EndedRequest): void {
    const span = endRequestSpan(ended)
    if (span) this.parts.queue.add([spanText(span)])
  }

  get statistics(): Readonly<SpanStatistics> {
    return this.parts.queue.statistics
  }

  /** Exports the spans that earlier processes left. */
  start(): Promise<void> {
    return this.parts.outbox.start()
  }

  /** Exports the waiting spans within the time; the store must still be open. */
  async stop(): Promise<void> {
    await this.parts.queue.close(closeMs)
    await this.parts.outbox.stop()
  }
}
