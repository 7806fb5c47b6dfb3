/**
 * The spans of deliveries, one for each attempt: children of the span of the event's subject, else in a separate trace.
 * Source: contract 13, "Traces".
 */
import type { Write } from '../../../storage/store.ts'
import type { DeliveryRow } from '../../../storage/tables.ts'
import { readStoredSpan, storedSpan } from '../../platform/tracing/own-span.ts'
import { attributesOf, type SpanRecord, shownCode } from '../../platform/tracing/span.ts'
import { spanIdOfPart, type TraceContext } from '../../platform/tracing/trace-context.ts'
import type { Tracing } from '../../platform/tracing/tracing.ts'
import type { EndedAttempt } from './kept-attempt.ts'

/** The span of an attempt, sent to the receiver; null without a trace. */
export function contextOfAttempt(stored: string | null, claim: number): TraceContext | null {
  const own = readStoredSpan(stored)
  return own && { ...own.context, spanId: spanIdOfPart(own.context.spanId, claim) }
}

export class DeliveryTraces {
  constructor(private readonly tracing: Tracing) {}

  /** The trace context stored with a new delivery; `event`: the span of the event's cause. */
  begin(event: string | null): string {
    const above = readStoredSpan(event)?.context
    return storedSpan(above ? this.tracing.below(above) : this.tracing.root())
  }

  /** The trace context of a delivery that a request creates. */
  beginInRequest(): string {
    return storedSpan(this.tracing.inRequest())
  }

  /** The statements that commit the spans of attempts together with their ends. */
  writes(row: DeliveryRow, attempts: readonly EndedAttempt[]): Write[] {
    if (row.trace === null || attempts.length === 0) return []
    const own = readStoredSpan(row.trace)
    if (!own?.context.sampled) return []
    const { traceId, spanId, tracestate } = own.context
    const spans = attempts.map(({ claim, number, status, errorClass, durationMs, at }): SpanRecord => {
      const failure = errorClass === null ? undefined : shownCode(errorClass)
      return {
        traceId,
        spanId: spanIdOfPart(spanId, claim),
        parentSpanId: own.parentSpanId,
        tracestate,
        name: `deliver ${row.event_type}`,
        kind: 'client',
        startedAt: at,
        endedAt: at + durationMs,
        attributes: attributesOf({
          'http.request.method': 'POST',
          'http.response.status_code': status,
          'http.request.resend_count': number > 1 ? number - 1 : undefined,
          'troupe.delivery.id': row.id,
          'troupe.delivery.attempt': number,
          'troupe.webhook.id': row.webhook_id,
          'troupe.event.id': row.event_id,
          'troupe.event.type': row.event_type,
          'troupe.organization.id': row.organization_id,
          'troupe.project.id': row.project_id,
          'troupe.environment.id': row.environment_id,
          'error.type': failure,
        }),
        ...(failure !== undefined && { error: failure }),
      }
    })
    return this.tracing.ended(spans)
  }
}
