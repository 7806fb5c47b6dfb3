/**
 * Rules of a handler beyond its shape: where a path leads, which headers are the server's own, which placeholders there
 * are. Source: contract 3, `Handler`; contract 4, "Precise points"; trust 3.2.
 */
import type { Issue } from '../../platform/http/answers/errors.ts'
import { isObject, pointer } from '../../platform/json.ts'
import { firstEntriesOf, type Loose } from './loose.ts'
import { placeholderIssues, readPlaceholder } from './placeholders.ts'
import { operationTimeoutMsMax } from './source-schema.ts'

const controls = /\p{Cc}/u
/** A segment that climbs or stays, spelt out or percent-encoded. */
const dotSegment = /\/(?:\.|%2e){1,2}(?=[/?]|$)/i
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/
const headerText = /^[\t\x20-\x7e\x80-\xff]*$/
/** Authentication headers belong to the Connection, framing headers to the HTTP client. */
const reservedHeader =
  /^(authorization|cookie|host|content-length|transfer-encoding|accept-encoding|connection|keep-alive|upgrade|http2-settings|te|trailer|expect|proxy-.*)$/i
const withoutBody = new Set<unknown>(['GET', 'HEAD'])
const ofHttp = ['input', 'run', 'variables'] as const

/** Only a worker may take longer than that. */
export const timeoutIssues = ({ timeoutMs, handler }: Loose, path: string): Issue[] =>
  typeof timeoutMs === 'number' &&
  timeoutMs > operationTimeoutMsMax &&
  !(isObject(handler) && handler.type === 'worker')
    ? [
        {
          path: `${path}/timeoutMs`,
          message: `Must be at most ${operationTimeoutMsMax}, unless a worker makes the call.`,
        },
      ]
    : []

/** Problems of a handler beyond its shape. */
export function handlerIssues(handler: unknown, path: string): Issue[] {
  if (!isObject(handler)) return []
  // a variable may be a secret, and what an Agent is asked is kept and shown
  if (handler.type === 'agent') return placeholderIssues(handler.query, `${path}/query`, ['input'])
  return handler.type === 'http' ? httpIssues(handler, path) : []
}

function httpIssues(handler: Loose, path: string): Issue[] {
  const issues = [
    ...pathIssues(handler.path, `${path}/path`),
    ...headerIssues(handler.headers, `${path}/headers`),
    ...styleIssues(handler.styles, `${path}/styles`),
  ]
  if (handler.body !== undefined && withoutBody.has(handler.method)) {
    issues.push({ path: `${path}/body`, message: `A ${handler.method} has none.` })
  }
  for (const field of ['path', 'query', 'headers', 'body'] as const) {
    issues.push(...placeholderIssues(handler[field], `${path}/${field}`, ofHttp))
  }
  return issues
}

function pathIssues(value: unknown, path: string): Issue[] {
  if (typeof value !== 'string') return []
  const faults: [boolean, string][] = [
    [!value.startsWith('/'), 'Must begin with /.'],
    [value.startsWith('//'), 'Must begin with one / only: it goes behind the base URL of the Connection.'],
    [controls.test(value), 'Must have no line breaks or other control characters.'],
    [/[\\#]/.test(value), 'Must have no \\ and no #.'],
    [dotSegment.test(value), 'Must have no segments . and .. : it stays below the base URL of the Connection.'],
  ]
  const fault = faults.find(([applies]) => applies)
  return fault ? [{ path, message: fault[1] }] : []
}

function headerIssues(headers: unknown, path: string): Issue[] {
  const seen = new Set<string>()
  return firstEntriesOf(headers).flatMap(([name, value]) => {
    const at = `${path}${pointer(name)}`
    const isRepeated = seen.has(name.toLowerCase())
    seen.add(name.toLowerCase())
    if (!headerName.test(name)) return [{ path: at, message: 'Is no name of a header.' }]
    if (reservedHeader.test(name)) return [{ path: at, message: 'Cannot be set by an operation.' }]
    if (isRepeated) return [{ path: at, message: 'Is there twice.' }]
    if (typeof value === 'string' && !headerText.test(value)) {
      return [{ path: at, message: 'Has a line break or another character that HTTP does not allow.' }]
    }
    return []
  })
}

const styleIssues = (styles: unknown, path: string): Issue[] =>
  firstEntriesOf(styles).flatMap(([inner]) =>
    readPlaceholder(inner, ['input'])
      ? []
      : [{ path: `${path}${pointer(inner)}`, message: 'Must be a placeholder without its braces, like input.ids.' }],
  )
