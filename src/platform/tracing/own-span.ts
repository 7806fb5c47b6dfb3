/**
 * The span of a thing that outlives processes (a run, a run of a workflow, an invocation), stored with it at its admission:
 * whichever server ends the thing exports the span, and what others do for it hangs below it. Source: contract 13, "Traces".
 */
import { readTraceContext, type TraceContext, traceparentOf } from './trace-context.ts'

export interface OwnSpan {
  /** Its own context, which its parts and others continue. */
  context: TraceContext
  /** The span above it; null for the root of a trace. */
  parentSpanId: string | null
  /** It has been exported, though what it is of goes on. */
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
