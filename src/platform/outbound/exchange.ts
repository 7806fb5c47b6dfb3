/** Sends one HTTP/1.1 request over an open connection and reads the answer. Source: design 6; trust 0 and 2.2. */
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { OutboundError } from './error.ts'
import { GatheredBytes } from './gathered-bytes.ts'

export interface Message {
  method: string
  url: URL
  headers: Record<string, string>
  body: Uint8Array | undefined
}

export interface Answer {
  status: number
  /** Lower-case names; repeated headers are joined with a comma. */
  headers: Record<string, string>
  /** The body as received, with its content encoding. */
  body: Uint8Array
  /** Whether the body was longer than the bound; the rest was not read. */
  truncated: boolean
}

const headerBytesMax = 16 * 1024
const interimAnswersMax = 16
export const redirects = new Set([301, 302, 303, 307, 308])
const nothing = new Uint8Array()

/**
 * Sends the message and reads the answer up to `bodyBytesMax`. Throws OutboundError `reset`, `invalid_response`,
 * `tls_error` or, unless `redirects` is 'answer', `redirect`; once aborted, the signal's reason (`expired` for a
 * timeout).
 */
export function exchange(
  socket: Socket,
  message: Message,
  { bodyBytesMax, bodyOf, redirects: onRedirect, signal }: ExchangeOptions,
): Promise<Answer> {
  return new Promise<Answer>((resolve, reject) => {
    let status: number | null = null
    let settleForLess: (() => void) | undefined
    const fail = (error: unknown) => (settleForLess ? settleForLess() : reject(classified(error, status)))
    const stop = () => (settleForLess ? settleForLess() : reject(signal.reason))
    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })

    const sent = send(socket, message)
    sent.on('error', fail)
    sent.on('close', () => status === null && fail(undefined)) // after the headers, close may precede buffered data
    sent.on('upgrade', () => fail(invalid('The answer switches protocols.')))
    onInterimFlood(sent, fail)
    sent.on('response', (response) => {
      status = response.statusCode ?? 0
      if (status < 200 || status > 599) return fail(invalid('The status of the answer is not valid.'))
      if (redirects.has(status) && onRedirect !== 'answer') return fail(redirected(status))
      const answered = (body: Uint8Array, truncated: boolean) =>
        resolve({ status: response.statusCode!, headers: headersOf(response), body, truncated })
      response.on('error', fail)
      if (bodyOf && !bodyOf(status)) return answered(nothing, true)
      response.on('close', () => fail(undefined))
      const soFar = collect(response, bodyBytesMax, answered)
      if (bodyOf) settleForLess = () => answered(soFar(), true)
    })
    sent.end(message.body)
  })
}

interface ExchangeOptions {
  bodyBytesMax: number
  /**
   * Whether to read the body for this status. If not, the answer is complete with its headers. A body that is read may
   * be incomplete if the connection breaks or the time runs out.
   */
  bodyOf?: ((status: number) => boolean) | undefined
  /** Whether a redirect is a failure or an answer; it is never followed. */
  redirects: 'refuse' | 'answer'
  signal: AbortSignal
}

/** Calls back with the error once an answer has more informational responses than any server sends. */
export function onInterimFlood(sent: ClientRequest, fail: (error: OutboundError) => void) {
  let interim = 0
  sent.on('information', () => {
    interim += 1
    if (interim > interimAnswersMax) fail(invalid('The answer has too many informational responses.'))
  })
}

export function send(socket: Socket, { method, url, headers, body }: Message): ClientRequest {
  return request({
    createConnection: () => socket,
    host: 'the-connection-is-given.invalid', // a runtime that ignores it (as Bun does with `agent: false`) cannot connect
    method,
    path: url.pathname + url.search,
    headers: {
      'user-agent': 'Troupe/1',
      accept: '*/*',
      ...lowered(headers),
      host: url.host,
      'accept-encoding': 'identity',
      connection: 'close',
      ...((body || !['GET', 'HEAD'].includes(method)) && { 'content-length': String(body?.length ?? 0) }),
    },
    maxHeaderSize: headerBytesMax,
    insecureHTTPParser: false,
  })
}

/**
 * Reads to the end or one byte past the bound; the error event reports an answer that breaks off. Returns a function
 * for the part received so far.
 */
function collect(response: IncomingMessage, bytesMax: number, done: (body: Uint8Array, truncated: boolean) => void) {
  const body = new GatheredBytes()
  let room = bytesMax
  response.on('data', (chunk: Uint8Array) => {
    body.add(chunk.subarray(0, room))
    room -= chunk.length
    if (room >= 0) return
    room = 0
    response.pause()
    done(body.take(), true)
  })
  response.on('end', () => response.complete && done(body.take(), false))
  return () => body.take()
}

const lowered = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

export const headersOf = ({ headers }: IncomingMessage) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]))

export function classified(error: unknown, status: number | null): OutboundError {
  if (error instanceof OutboundError) return error
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? ''
  if (code.startsWith('HPE_')) return invalid('The answer is not valid HTTP.', error, status)
  if (/^ERR_(SSL|TLS)/.test(code))
    return new OutboundError('tls_error', 'The TLS connection broke.', status, { cause: error })
  return new OutboundError('reset', 'The connection broke before the end of the answer.', status, { cause: error })
}

export const invalid = (message: string, cause?: unknown, status: number | null = null) =>
  new OutboundError('invalid_response', message, status, { cause })
export const redirected = (status: number) =>
  new OutboundError('redirect', 'The answer is a redirect; redirects are not followed.', status)
