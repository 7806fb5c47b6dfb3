/** Reads a vendor's error response in any of the usual formats. */

export interface Answer {
  status: number | undefined
  headers: Record<string, string> | undefined
  body: unknown
  /** The vendor's unchanged message. */
  text: string | undefined
  /** The vendor's error type, such as `overloaded_error`. */
  reason: string
  /** Whether the response was incomplete or missing. */
  broken: boolean
  /** Whether the error was sent in a stream with a successful status. */
  inStream: boolean
}

/** Reads a property of an unknown value. */
export const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined

const bodyCharactersMax = 65_536

/** Reads an `APICallError` of the AI SDK, or an error from a vendor's stream. */
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

/** Finds the error details: `{error: {…}}`, `{response: {error: {…}}}`, `[{error: {…}}]`, or flat. */
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
