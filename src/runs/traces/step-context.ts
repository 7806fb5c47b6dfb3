/** The span of a step, for the work that belongs to it. */
import { readStoredSpan } from '../../platform/tracing/own-span.ts'
import { spanIdOfPart, type TraceContext } from '../../platform/tracing/trace-context.ts'

/** `stored`: the column of the run; null without a trace. */
export function contextOfStep(stored: string | null, agentStepId: number): TraceContext | null {
  const own = readStoredSpan(stored)
  return own && { ...own.context, spanId: spanIdOfPart(own.context.spanId, agentStepId) }
}
