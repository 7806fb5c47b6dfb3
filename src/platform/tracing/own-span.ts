/**
 * The span of a resource that outlives processes (a run, a workflow run, an invocation), stored with its admission: the
 * server that ends the resource exports the span, and the spans of its parts are children. Source: contract 13,
 * "Traces".
 */
import { readTraceContext, type TraceContext, traceparentOf } from './trace-context.ts'

export interface OwnSpan {
  /** Its own context, which its parts and its callees continue. */
  context: TraceContext
  /** The parent span; null for the root of a trace. */
  parentSpanId: string | null
  /** It has been exported, although the resource is not finished. */
  isExported?: boolean
}

const none = '-'
const exported = '!'

/** The text of the column `trace`: `traceparent`, the parent's span id or `-`, with a `!` once it is exported, and `tracestate` if there is one. */
export const storedSpan = ({ context, parentSpanId, isExported = false }: OwnSpan): string =>
  [
    traceparentOf(context),
    (parentSpanId ?? none) + (isExported ? exported : ''),
    ...(context.tracestate === null ? [] : [context.tracestate]),
  ].join(' ')

/** Reads the column; null without a trace. */
export function readStoredSpan(stored: string | null): OwnSpan | null {
  if (stored === null) return null
  const [traceparent = '', parent = none, ...states] = stored.split(' ')
  const context = readTraceContext(traceparent, states.length > 0 ? states.join(' ') : null)
  const [parentSpanId = none] = parent.split(exported)
  const isExported = parent.endsWith(exported)
  return context && { context, parentSpanId: parentSpanId === none ? null : parentSpanId, isExported }
}
