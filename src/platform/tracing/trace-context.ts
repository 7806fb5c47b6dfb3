/**
 * The context of a trace in requests between programs: `traceparent` and `tracestate`. Source: W3C Trace Context,
 * levels 1 and 2. `baggage` is neither read nor sent: it is for the operator's programs, and would pass text of tenants
 * to others.
 */

/** A span's identity, for code that continues its trace. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  traceId: string
  /** 16 hexadecimal digits. */
  spanId: string
  /** Whether spans of this trace are exported. */
  sampled: boolean
  /** The `tracestate` of vendors, passed on unchanged. */
  tracestate: string | null
}

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const noTrace = '0'.repeat(32)
const noSpan = '0'.repeat(16)

const member = String.raw`[a-z0-9][\w\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]`
const states = new RegExp(String.raw`^${member}(?:[ \t]*,[ \t]*(?:${member})?){0,31}$`)
const tracestateCharactersMax = 512

/** Reads the headers of a request. null: there is no valid `traceparent`, and so no trace to continue. */
export function readTraceContext(traceparent: string | null, tracestate: string | null): TraceContext | null {
  if (traceparent === null || traceparent.length > 512) return null
  const [, version, traceId = '', spanId = '', flags = '', more] = form.exec(traceparent) ?? []
  if (version === undefined || version === 'ff' || traceId === noTrace || spanId === noSpan) return null
  // a later version may have more fields, this one may not
  if (version === '00' && more !== undefined) return null
  const isKept = tracestate !== null && tracestate.length <= tracestateCharactersMax && states.test(tracestate)
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1, tracestate: isKept ? tracestate : null }
}

/** The value of `traceparent`: its receiver makes its spans children of this one. */
export const traceparentOf = ({ traceId, spanId, sampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`

/** `traceparent` and `tracestate`, as headers or as members of an object. */
export const tracePairs = (context: TraceContext): { traceparent: string; tracestate?: string } => ({
  traceparent: traceparentOf(context),
  ...(context.tracestate !== null && { tracestate: context.tracestate }),
})

const random = new Uint32Array(256)
let used = random.length

/** Random groups of eight hexadecimal digits, generated many at a time. */
function randomHex(groups: number): string {
  if (used + groups > random.length) {
    crypto.getRandomValues(random)
    used = 0
  }
  let digits = ''
  for (let count = 0; count < groups; count += 1) digits += hex8(random[used++] as number)
  return digits
}
const hex8 = (value: number): string => value.toString(16).padStart(8, '0')

/** A new trace id; its last 56 bits are random, as samplers expect. */
export function newTraceId(): string {
  for (;;) {
    const id = randomHex(4)
    if (id !== noTrace) return id
  }
}

export function newSpanId(): string {
  for (;;) {
    const id = randomHex(2)
    if (id !== noSpan) return id
  }
}

const word = 2 ** 32

/**
 * The span id of a numbered part of a span: the same in every process, and different for each number from 1 to 2^53 -
 * 1, so that a part can be named to others before any server exports its span.
 */
export function spanIdOfPart(spanId: string, number: number): string {
  const high = Number.parseInt(spanId.slice(0, 8), 16) ^ Math.floor(number / word)
  const low = Number.parseInt(spanId.slice(8), 16) ^ ((number % word) | 0)
  const id = hex8(high >>> 0) + hex8(low >>> 0)
  // one number in 2^64 would yield the invalid id
  return id === noSpan ? spanId.replace(/.$/, (digit) => (digit === '1' ? '2' : '1')) : id
}
