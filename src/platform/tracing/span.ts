/** A span that has ended, as plain JSON, so that it can be stored and exported by another process. */

export type SpanKind = 'internal' | 'server' | 'client' | 'producer'

type SpanAttributes = Record<string, string | number | boolean | string[]>

export interface SpanRecord {
  traceId: string
  spanId: string
  /** null: the root of its trace. */
  parentSpanId: string | null
  tracestate: string | null
  name: string
  kind: SpanKind
  /** Epoch milliseconds, possibly with fractions. */
  startedAt: number
  endedAt: number
  attributes: SpanAttributes
  /** The error code of a failure; never text of a vendor or a tenant. */
  error?: string
}

const code = /^[a-z0-9][a-z0-9_.-]{0,63}$/

/** The error code of an error, as a span may show it. */
export const shownCode = (given: unknown): string => (typeof given === 'string' && code.test(given) ? given : '_OTHER')

/** Without members that are null or undefined. */
export function attributesOf(
  given: Record<string, string | number | boolean | string[] | null | undefined>,
): SpanAttributes {
  const attributes: SpanAttributes = {}
  for (const name in given) {
    const value = given[name]
    if (value !== null && value !== undefined) attributes[name] = value
  }
  return attributes
}
