/**
 * Traces, when they are switched on. Traced code gets its span's context here, and hands the span back when it has ended.
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

export interface TracingParts {
  /** Whether a trace is exported; `parent`: the caller's span. */
  sample(traceId: string, parent: TraceContext | null): boolean
  queue: Pick<SpanQueue, 'add' | 'close' | 'statistics'>
  outbox: { put(spans: readonly SpanRecord[]): Write; start(): Promise<void>; stop(): Promise<void> }
  /** Whether spans say what models and tools were given and what they answered. */
  capturesContent: boolean
  /** The longest text in an attribute. */
  valueCharactersMax: number
}

/** Spans under way get so long at a planned stop. */
const closeMs = 2_000

export class Tracing {
  readonly capturesContent: boolean
  /** Around the handling of requests. */
  readonly aroundRequests: ReturnType<typeof withRequestSpans>

  constructor(private readonly parts: TracingParts) {
    this.capturesContent = parts.capturesContent
    this.aroundRequests = withRequestSpans((traceId, parent) => parts.sample(traceId, parent))
  }

  /** The span of something that begins now below another one. */
  below(above: TraceContext): OwnSpan {
    return { context: { ...above, spanId: newSpanId() }, parentSpanId: above.spanId }
  }

  /** The root of a trace. */
  root(): OwnSpan {
    const traceId = newTraceId()
    const sampled = this.parts.sample(traceId, null)
    return { context: { traceId, spanId: newSpanId(), sampled, tracestate: null }, parentSpanId: null }
  }

  /**
   * The span of something that the request begins which is being handled: below its caller's, else the root of its trace. The
   * request's own span then goes below it, for it is exported for certain; call `started` once it is stored.
   */
  inRequest(): OwnSpan {
    const request = currentRequestSpan()
    if (request?.parent) return this.below({ ...request.context, spanId: request.parent.spanId })
    if (!request || request.started) return this.root()
    return { context: { ...request.context, spanId: newSpanId() }, parentSpanId: null }
  }

  /** The span that began is stored with what it is of. */
  started(span: OwnSpan): void {
    const request = currentRequestSpan()
    if (request && !request.parent && request.context.traceId === span.context.traceId) request.started ??= span
  }

  /** The statement that commits ended spans with what has ended them; none for no spans. */
  ended(spans: readonly SpanRecord[]): Write[] {
    return spans.length === 0 ? [] : [this.parts.outbox.put(spans)]
  }

  /** The request that is being handled is going to be answered with this error. */
  failRequest(code: string): void {
    failRequestSpan(code)
  }

  /** A text as an attribute: as long as it may be. */
  text(whole: string): string {
    const { valueCharactersMax } = this.parts
    if (whole.length <= valueCharactersMax) return whole
    // a copy, for a part of a text keeps the whole in memory
    return Buffer.from(whole.slice(0, valueCharactersMax)).toString()
  }

  /** Closes the span of the request that was handled. */
  endRequest(ended: EndedRequest): void {
    const span = endRequestSpan(ended)
    if (span) this.parts.queue.add([spanText(span)])
  }

  get statistics(): Readonly<SpanStatistics> {
    return this.parts.queue.statistics
  }

  /** Exports what earlier processes left. */
  start(): Promise<void> {
    return this.parts.outbox.start()
  }

  /** Exports what waits, as far as there is time; the store must still be open. */
  async stop(): Promise<void> {
    await this.parts.queue.close(closeMs)
    await this.parts.outbox.stop()
  }
}
