/**
 * The only client for addresses that tenants choose. Every request has its own connection: a pooled one could leak
 * excess bytes of an answer to the next tenant, and would outlive the check of its address. Source: design 6, "Every
 * outbound request"; trust 3.2.
 */
import type { Socket } from 'node:net'
import { connectToFirst, type Dial, secure, systemDial } from './connect.ts'
import { OutboundError, type OutboundErrorClass, UnsendableRequest } from './error.ts'
import { type Answer, exchange } from './exchange.ts'
import { assertHeaders, assertMethod } from './headers.ts'
import type { OutboundPolicy } from './policy.ts'
import { type Lookup, resolveAllowed, systemLookup } from './resolve.ts'
import { exchangeStreamed, type StreamedAnswer } from './streamed.ts'
import { AddressRefused, assertHostAllowed, assertUrlAllowed, isPlain } from './url.ts'
import { expired, within } from './wait.ts'

export interface OutboundRequest {
  url: string
  method: string
  /** Without the headers for connection and message length, which the client sets. */
  headers?: Record<string, string>
  body?: string | Uint8Array
  /** For the whole request: name resolution, connection, TLS, headers and body. */
  timeoutMs: number
  /** A longer body is truncated. */
  bodyBytesMax: number
  /** Whether the body is read for this status; see `exchange`. Default: yes. */
  bodyOf?: (status: number) => boolean
  /** Whether a redirect is a failure (default) or an answer; it is never followed. */
  redirects?: 'refuse' | 'answer'
  /** Aborts the request, which then rejects with the signal's reason. */
  signal?: AbortSignal
  /**
   * Called once the connection is open, before anything of the request is sent, with a signal that is aborted when the
   * request has timed out or is aborted. If it rejects, nothing is sent and the request rejects alike.
   */
  beforeSending?: (signal: AbortSignal) => Promise<void>
}

export interface OutboundAnswer extends Answer {
  durationMs: number
}

/** The dependencies of the client, each with a default. */
export interface OutboundParts {
  lookup?: Lookup
  dial?: Dial
  /** PEM of the trusted certificate authorities, in place of the system's. */
  ca?: string
  /** The time limit for connecting, within that of the request. */
  connectMs?: number
}

const connectMsMax = 5000
const timerMsMax = 2_147_483_647

export class OutboundClient {
  readonly #parts: Required<Omit<OutboundParts, 'ca'>> & { ca: string | undefined }

  constructor(
    readonly policy: OutboundPolicy,
    { lookup = systemLookup, dial = systemDial, ca, connectMs = connectMsMax }: OutboundParts = {},
  ) {
    this.#parts = { lookup, dial, ca, connectMs }
  }

  /**
   * Sends one request without retries. Throws OutboundError, whose class says how it failed; UnsendableRequest for an
   * invalid header, method or bound; the reason of `signal` once aborted.
   */
  async request(wanted: OutboundRequest): Promise<OutboundAnswer> {
    const { method, headers = {}, timeoutMs, bodyBytesMax } = wanted
    assertMethod(method)
    assertHeaders(headers)
    assertBound('timeoutMs', timeoutMs, 1)
    assertBound('bodyBytesMax', bodyBytesMax, 0)

    const start = performance.now()
    const { signal, stop } = within(timeoutMs, wanted.signal)
    try {
      const answer = await this.#ask(wanted, headers, signal)
      return { ...answer, durationMs: since(start) }
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      error.durationMs = since(start)
      throw error
    } finally {
      stop()
    }
  }

  /**
   * As `request`, but returns the body as a stream, which the caller must read or cancel; a body longer than
   * `bodyBytesMax` is an error of the stream. Redirects are failures.
   */
  async open(wanted: Omit<OutboundRequest, 'bodyOf' | 'redirects' | 'beforeSending'>): Promise<StreamedAnswer> {
    const { method, headers = {}, timeoutMs, bodyBytesMax } = wanted
    assertMethod(method)
    assertHeaders(headers)
    assertBound('timeoutMs', timeoutMs, 1)
    assertBound('bodyBytesMax', bodyBytesMax, 0)
    const { signal, stop } = within(timeoutMs, wanted.signal)
    try {
      const { socket, connection, url } = await this.#connect(wanted.url, signal)
      const done = () => {
        stop()
        socket.destroy()
      }
      const message = { method, url, headers, body: bytesOf(wanted.body) }
      return await inTime('timeout', exchangeStreamed(connection, message, { bodyBytesMax, signal, done }))
    } catch (error) {
      stop()
      throw error
    }
  }

  async #ask(wanted: OutboundRequest, headers: Record<string, string>, signal: AbortSignal): Promise<Answer> {
    const { method, bodyBytesMax, bodyOf, redirects = 'refuse', beforeSending } = wanted
    const { socket, connection, url } = await this.#connect(wanted.url, signal)
    try {
      const message = { method, url, headers, body: bytesOf(wanted.body) }
      if (beforeSending) await inTime('timeout', beforeSending(signal))
      // nothing would tell of a close that came before the request
      if (connection.destroyed) throw new OutboundError('connect_refused', 'The host closed the connection.')
      return await inTime('timeout', exchange(connection, message, { bodyBytesMax, bodyOf, redirects, signal }))
    } finally {
      socket.destroy()
    }
  }

  /** A connection to an allowed address; the caller must destroy `socket`. */
  async #connect(address: string, signal: AbortSignal): Promise<{ socket: Socket; connection: Socket; url: URL }> {
    const { lookup, dial, ca, connectMs } = this.#parts
    const { policy } = this
    const url = await checked(() => assertUrlAllowed(address, policy))
    const host = assertHostAllowed(url.hostname, policy)
    const plain = isPlain(url)
    const port = Number(url.port) || (plain ? 80 : 443)

    const addresses = await checked(() => inTime('dns_error', resolveAllowed(host, { lookup, policy, plain, signal })))
    const socket = await connectToFirst(addresses, port, { dial, policy, connectMs, signal })
    try {
      const connection = plain ? socket : await inTime('timeout', secure(socket, { host, ca, signal }))
      return { socket, connection, url }
    } catch (error) {
      socket.destroy()
      throw error
    }
  }
}

/** Converts AddressRefused to an OutboundError `blocked_address`. */
async function checked<Value>(rule: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await rule()
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error
    throw new OutboundError('blocked_address', error.message, null, { cause: error })
  }
}

/** Converts a timeout in this part of the request to an OutboundError of the part's class. */
const inTime = <Value>(errorClass: OutboundErrorClass, part: Promise<Value>) =>
  part.catch((error) => {
    if (error !== expired) throw error
    throw new OutboundError(errorClass, lateness[errorClass] ?? 'The answer did not arrive in time.')
  })

const lateness: Partial<Record<OutboundErrorClass, string>> = { dns_error: 'The host name was not resolved in time.' }

const bytesOf = (body: string | Uint8Array | undefined) =>
  typeof body === 'string' ? new TextEncoder().encode(body) : body

const since = (start: number) => Math.round(performance.now() - start)

function assertBound(name: string, value: number, min: number) {
  if (Number.isInteger(value) && value >= min && value <= timerMsMax) return
  throw new UnsendableRequest(`${name} must be a whole number from ${min}.`)
}
