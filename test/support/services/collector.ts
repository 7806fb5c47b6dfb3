/**
 * A trace collector: accepts OTLP over HTTP, as Protobuf or JSON, and keeps the spans. The messages are declared here
 * from the protocol (opentelemetry-proto 1.9, `trace.proto`, `common.proto`, `resource.proto`), independently of the
 * tested exporter.
 */
import { Root } from 'protobufjs'

type AttributeValue = string | number | boolean | string[]

export interface CollectedSpan {
  traceId: string
  spanId: string
  /** '' for a root. */
  parentSpanId: string
  traceState: string
  name: string
  /** The numbers of the protocol: 1 internal, 2 server, 3 client, 4 producer. */
  kind: number
  /** Epoch milliseconds. */
  startedAt: number
  endedAt: number
  attributes: Record<string, AttributeValue>
  /** 0 unset, 2 error. */
  status: number
  message: string
  resource: Record<string, AttributeValue>
}

const field = (type: string, id: number, rule?: 'repeated') => ({ type, id, ...(rule && { rule }) })
const root = Root.fromJSON({
  nested: {
    AnyValue: {
      fields: {
        stringValue: field('string', 1),
        boolValue: field('bool', 2),
        intValue: field('int64', 3),
        doubleValue: field('double', 4),
        arrayValue: field('ArrayValue', 5),
      },
      oneofs: { value: { oneof: ['stringValue', 'boolValue', 'intValue', 'doubleValue', 'arrayValue'] } },
    },
    ArrayValue: { fields: { values: field('AnyValue', 1, 'repeated') } },
    KeyValue: { fields: { key: field('string', 1), value: field('AnyValue', 2) } },
    Resource: { fields: { attributes: field('KeyValue', 1, 'repeated') } },
    Status: { fields: { message: field('string', 2), code: field('int32', 3) } },
    Span: {
      fields: {
        traceId: field('bytes', 1),
        spanId: field('bytes', 2),
        traceState: field('string', 3),
        parentSpanId: field('bytes', 4),
        name: field('string', 5),
        kind: field('int32', 6),
        startTimeUnixNano: field('fixed64', 7),
        endTimeUnixNano: field('fixed64', 8),
        attributes: field('KeyValue', 9, 'repeated'),
        status: field('Status', 15),
      },
    },
    ScopeSpans: { fields: { spans: field('Span', 2, 'repeated') } },
    ResourceSpans: { fields: { resource: field('Resource', 1), scopeSpans: field('ScopeSpans', 2, 'repeated') } },
    ExportTraceServiceRequest: { fields: { resourceSpans: field('ResourceSpans', 1, 'repeated') } },
  },
})
const requestType = root.lookupType('ExportTraceServiceRequest')

interface AnyValue {
  stringValue?: string
  boolValue?: boolean
  intValue?: string | number
  doubleValue?: number
  arrayValue?: { values?: AnyValue[] }
}
type KeyValues = { key: string; value: AnyValue }[]
interface Message {
  resourceSpans?: {
    resource?: { attributes?: KeyValues }
    scopeSpans?: { spans?: Record<string, never>[] }[]
  }[]
}

const plain = ({ stringValue, boolValue, intValue, doubleValue, arrayValue }: AnyValue): AttributeValue =>
  arrayValue
    ? (arrayValue.values ?? []).map((each) => String(plain(each)))
    : (stringValue ?? boolValue ?? (intValue === undefined ? (doubleValue ?? '') : Number(intValue)))

const attributesOf = (pairs: KeyValues = []) => Object.fromEntries(pairs.map(({ key, value }) => [key, plain(value)]))

/** In JSON ids are hexadecimal; protobufjs returns bytes as Base64. */
const idOf = (id: string | undefined, isBase64: boolean) =>
  id === undefined ? '' : isBase64 ? Buffer.from(id, 'base64').toString('hex') : id.toLowerCase()

function spansIn({ resourceSpans = [] }: Message, isBase64: boolean): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans = [] }) =>
    scopeSpans.flatMap(({ spans = [] }) =>
      spans.map((span) => ({
        traceId: idOf(span.traceId, isBase64),
        spanId: idOf(span.spanId, isBase64),
        parentSpanId: idOf(span.parentSpanId, isBase64),
        traceState: span.traceState ?? '',
        name: span.name as unknown as string,
        kind: Number(span.kind),
        startedAt: Number(BigInt(span.startTimeUnixNano as unknown as string)) / 1e6,
        endedAt: Number(BigInt(span.endTimeUnixNano as unknown as string)) / 1e6,
        attributes: attributesOf(span.attributes),
        status: Number((span.status as { code?: number } | undefined)?.code ?? 0),
        message: String((span.status as { message?: string } | undefined)?.message ?? ''),
        resource: attributesOf(resource?.attributes),
      })),
    ),
  )
}

export interface Collector {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  url: string
  spans: CollectedSpan[]
  /** The headers of each request. */
  requests: Headers[]
  /** How it responds from now on: `away` refuses with 503, `full` with 429, `slow` never finishes a response. */
  behave(how: 'well' | 'away' | 'full' | 'slow'): void
  stop(): Promise<void>
}

export function openCollector(): Collector {
  const spans: CollectedSpan[] = []
  const requests: Headers[] = []
  let behaviour: Parameters<Collector['behave']>[0] = 'well'
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request, { timeout }) {
      if (new URL(request.url).pathname !== '/v1/traces') return new Response(null, { status: 404 })
      requests.push(request.headers)
      if (behaviour === 'away') return new Response('a text of the vendor', { status: 503 })
      if (behaviour === 'full') return new Response(null, { status: 429, headers: { 'retry-after': '1' } })
      if (behaviour === 'slow') {
        timeout.call(server, request, 0)
        return new Promise<Response>(() => {})
      }
      const sent = new Uint8Array(await request.arrayBuffer())
      const body = request.headers.get('content-encoding') === 'gzip' ? Bun.gunzipSync(sent) : sent
      if (request.headers.get('content-type') === 'application/json') {
        spans.push(...spansIn(JSON.parse(new TextDecoder().decode(body)) as Message, false))
      } else {
        const message = requestType.toObject(requestType.decode(body), { longs: String, bytes: String }) as Message
        spans.push(...spansIn(message, true))
      }
      return new Response(new Uint8Array(), { headers: { 'content-type': request.headers.get('content-type') ?? '' } })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    spans,
    requests,
    behave(how) {
      behaviour = how
    },
    stop: () => server.stop(true),
  }
}

/**
 * Fails if a span was exported twice, or has a parent that was not exported; `outside` are spans of other processes.
 */
export function assertWhole(spans: readonly CollectedSpan[], outside: readonly string[] = []): void {
  const ids = new Map<string, CollectedSpan>()
  for (const span of spans) {
    const key = `${span.traceId}/${span.spanId}`
    if (ids.has(key)) throw new Error(`Exported twice: ${span.name} ${key}`)
    ids.set(key, span)
  }
  for (const { name, traceId, parentSpanId } of spans) {
    if (parentSpanId === '' || outside.includes(parentSpanId)) continue
    if (!ids.has(`${traceId}/${parentSpanId}`))
      throw new Error(`The parent of ${name} was not exported: ${parentSpanId}`)
  }
}
