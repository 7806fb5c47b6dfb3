/**
 * The spans of requests. While a request is handled, work that it starts finds its span; afterwards it does not, even
 * if the work began within the request.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { type Handle, originalOf } from '../http/answers/head.ts'
import type { OwnSpan } from './own-span.ts'
import { attributesOf, type SpanRecord, shownCode } from './span.ts'
import { newSpanId, newTraceId, readTraceContext, type TraceContext } from './trace-context.ts'

/** The span of a request that is being handled. */
interface RequestSpan {
  context: TraceContext
  /** The caller's span; null: the request begins a trace. */
  parent: TraceContext | null
  /**
   * The stored span that the request has started in its own trace; it is certain to be exported, so it becomes the
   * parent of the request's span.
   */
  started: OwnSpan | null
  startedAt: number
  isOpen: boolean
  /** The error code of the answer. */
  error: string | undefined
}

const handled = new AsyncLocalStorage<RequestSpan>()

/** The span of the request that is being handled; undefined outside of one, and without traces. */
export function currentRequestSpan(): RequestSpan | undefined {
  const span = handled.getStore()
  return span?.isOpen ? span : undefined
}

/** Fields for the log lines of a request. */
export function traceFields(): { trace_id?: string; span_id?: string } {
  const span = currentRequestSpan()
  return span ? { trace_id: span.context.traceId, span_id: span.context.spanId } : {}
}

/** Polled by monitors. */
const untraced = new Set(['/healthz', '/readyz', '/metrics'])

type Sample = (traceId: string, parent: TraceContext | null) => boolean

const pathOf = (url: string): string => {
  const from = url.indexOf('/', url.indexOf('://') + 3)
  const query = url.indexOf('?', from)
  return from === -1 ? '/' : url.slice(from, query === -1 ? undefined : query)
}

/** Opens a span for each request. */
export const withRequestSpans =
  (sample: Sample) =>
  (handle: Handle): Handle =>
  (request) => {
    if (untraced.has(pathOf(request.url))) return handle(request)
    const { headers } = request
    const parent = readTraceContext(headers.get('traceparent'), headers.get('tracestate'))
    const traceId = parent?.traceId ?? newTraceId()
    const span: RequestSpan = {
      context: {
        traceId,
        spanId: newSpanId(),
        sampled: sample(traceId, parent),
        tracestate: parent?.tracestate ?? null,
      },
      parent,
      started: null,
      startedAt: performance.timeOrigin + performance.now(),
      isOpen: true,
      error: undefined,
    }
    return handled.run(span, handle, request)
  }

/** The facts about a request at its end. */
export interface EndedRequest {
  request: Request
  /** The path template. */
  route: string
  status: number
  requestId: string
}

/** The ids in a path by which traces are found. */
const namedInPath = { ':agentRunId': 'troupe.agent_run.id', ':workflowRunId': 'troupe.workflow_run.id' } as const

function idsIn(route: string, url: string): Record<string, string | undefined> {
  const ids: Record<string, string | undefined> = {}
  if (!route.includes('RunId')) return ids
  const places = route.split('/')
  const given = pathOf(url).split('/')
  for (const [name, attribute] of Object.entries(namedInPath)) {
    const place = places.indexOf(name)
    if (place !== -1) ids[attribute] = given[place]?.slice(0, 64)
  }
  return ids
}

/** Ends the request's span. Returns it for export; undefined if there is none or the trace is not sampled. */
export function endRequestSpan({ request, route, status, requestId }: EndedRequest): SpanRecord | undefined {
  const span = handled.getStore()
  if (!span?.isOpen) return undefined
  span.isOpen = false
  const { context, parent, started, startedAt, error } = span
  if (!context.sampled) return undefined
  const { method, url } = originalOf(request)
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    parentSpanId: parent?.spanId ?? started?.context.spanId ?? null,
    tracestate: context.tracestate,
    name: `${method} ${route}`,
    kind: 'server',
    startedAt,
    endedAt: performance.timeOrigin + performance.now(),
    attributes: attributesOf({
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'troupe.request.id': requestId,
      ...idsIn(route, url),
      // an error that the caller causes is no error of the server's span
      'error.type': status >= 400 ? shownCode(error) : undefined,
    }),
    ...(status >= 500 && { error: shownCode(error) }),
  }
}

/** The request is about to be answered with this error. */
export function failRequestSpan(code: string): void {
  const span = handled.getStore()
  if (span) span.error = code
}
