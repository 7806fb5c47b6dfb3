/** Reads what a vendor says is wrong, whichever of the usual shapes it says it in. */

export interface Answer {
  status: number | undefined
  headers: Record<string, string> | undefined
  body: unknown
  /** The vendor's own sentence, as it was sent. */
  text: string | undefined
  /** The vendor's words for the kind of error, such as `overloaded_error`. */
  reason: string
  /** Whether the answer broke off, or there was none. */
  broken: boolean
  /** Whether it came in a stream that had begun well. */
  inStream: boolean
}

/** A property of something unknown. */
export const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined

const bodyCharactersMax = 65_536

/** Reads an `APICallError` of the AI SDK, or an error as a vendor's stream carried it. */
export function readAnswer(value: unknown): Answer {
  const responseBody = field(value, 'responseBody')
  const isApiCall = field(value, 'name') === 'AI_APICallError'
  const body = isApiCall ? (parsed(responseBody) ?? field(value, 'data')) : value
  const statusCode = field(value, 'statusCode')
  return {
    status: typeof statusCode === 'number' ? statusCode : isApiCall ? undefined : statusIn(body),
    headers: field(value, 'responseHeaders') as Answer['headers'],
    body,
    text: textIn(body),
    reason: reasonIn(body),
    broken: isApiCall && (statusCode === undefined || field(value, 'cause') != null),
    inStream: !isApiCall,
  }
}

function parsed(text: unknown): unknown {
  if (typeof text !== 'string' || text.length > bodyCharactersMax) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Where the details are: `{error: {…}}`, `{response: {error: {…}}}`, `[{error: {…}}]`, or flat. */
function detailsIn(body: unknown): unknown {
  const first = Array.isArray(body) ? body[0] : body
  return field(first, 'error') ?? field(field(first, 'response'), 'error') ?? first
}

function textIn(body: unknown): string | undefined {
  const details = detailsIn(body)
  for (const text of [details, field(details, 'message'), field(details, 'detail'), field(body, 'message')]) {
    if (typeof text === 'string' && text !== '') return text
  }
  return undefined
}

function reasonIn(body: unknown): string {
  const details = detailsIn(body)
  if (typeof details === 'string') return details
  return ['type', 'code', 'status'].map((name) => String(field(details, name) ?? '')).join(' ')
}

function statusIn(body: unknown): number | undefined {
  const code = Number(field(detailsIn(body), 'code'))
  return code >= 400 && code < 600 ? code : undefined
}
