/**
 * Connects only to a checked address. The socket is given the address, so that nothing resolves the name again, and its
 * remote address is verified before a byte is sent, in case a runtime ignores the given one. Source: design 6; trust 0
 * and 3.2, points 5 and 6.
 */
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { isAllowedAddress, isSameAddress } from './addresses.ts'
import { OutboundError } from './error.ts'
import type { OutboundPolicy } from './policy.ts'
import { blocked } from './resolve.ts'
import { expired, within } from './wait.ts'

/** Starts a connection to an IP address. */
export type Dial = (address: string, port: number) => Socket

export const systemDial: Dial = (host, port) => connectTcp({ host, port })

/** The maximum number of addresses of a name to try. */
const addressesMax = 4

/**
 * Connects to the first address that accepts; each gets an equal share of the remaining time. Throws OutboundError
 * `connect_refused`, `connect_timeout` or `blocked_address`, or the signal's reason.
 */
export async function connectToFirst(
  addresses: readonly string[],
  port: number,
  { dial, policy, connectMs, signal }: { dial: Dial; policy: OutboundPolicy; connectMs: number; signal: AbortSignal },
): Promise<Socket> {
  const tried = addresses.slice(0, addressesMax)
  const end = performance.now() + connectMs
  let failure: unknown
  for (const [index, address] of tried.entries()) {
    const share = within(Math.max(1, (end - performance.now()) / (tried.length - index)), signal)
    try {
      return await connectTo(address, port, { dial, policy, signal: share.signal })
    } catch (error) {
      if (signal.aborted) throw signal.reason === expired ? tooLate(address) : signal.reason
      failure = error === expired ? tooLate(address) : error
      if (failure instanceof OutboundError && failure.errorClass === 'blocked_address') throw failure
    } finally {
      share.stop()
    }
  }
  throw failure
}

async function connectTo(
  address: string,
  port: number,
  { dial, policy, signal }: { dial: Dial; policy: OutboundPolicy; signal: AbortSignal },
): Promise<Socket> {
  if (signal.aborted) throw signal.reason
  const socket = dial(address, port)
  try {
    await event(socket, 'connect', signal).catch((cause) => {
      if (signal.aborted) throw cause
      throw codeOf(cause) === 'ETIMEDOUT' ? tooLate(address, cause) : refused(cause)
    })
    const remote = socket.remoteAddress
    if (remote === undefined && socket.destroyed) throw refused(new Error(`${address} hung up`))
    if (remote === undefined || !isSameAddress(remote, address) || !isAllowedAddress(remote, policy)) {
      throw blocked(`asked for ${address}, connected to ${remote}`, policy)
    }
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/**
 * Starts TLS on the socket and verifies the certificate for the URL's host, whatever `NODE_TLS_REJECT_UNAUTHORIZED` is.
 * Throws OutboundError `tls_error`, or the signal's reason.
 */
export async function secure(
  socket: Socket,
  { host, ca, signal }: { host: string; ca: string | undefined; signal: AbortSignal },
): Promise<TLSSocket> {
  const secured = connectTls({
    socket,
    host,
    ...(isIP(host) === 0 && { servername: host.replace(/\.$/, '') }),
    ...(ca !== undefined && { ca }),
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  })
  try {
    await event(secured, 'secureConnect', signal)
    if (!secured.authorized) throw secured.authorizationError
    return secured
  } catch (cause) {
    secured.destroy()
    if (signal.aborted) throw cause
    throw new OutboundError('tls_error', tlsMessage(cause), null, { cause })
  }
}

/** Resolves at the event; rejects with the socket's error, on close, or with the signal's reason. */
function event(socket: Socket, name: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  socket.on('error', () => {}) // the reader reports later errors
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => () => {
      signal.removeEventListener('abort', aborted)
      act()
    }
    const aborted = settle(() => reject(signal.reason))
    signal.addEventListener('abort', aborted, { once: true })
    socket.once(name, settle(resolve))
    socket.once('error', (error) => settle(() => reject(error))())
    socket.once(
      'close',
      settle(() => reject(new Error('closed'))),
    )
  })
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException | undefined)?.code

const refused = (cause: unknown) =>
  new OutboundError('connect_refused', 'The host refused the connection.', null, { cause })
const tooLate = (address: string, cause: unknown = new Error(address)) =>
  new OutboundError('connect_timeout', 'The host did not accept the connection in time.', null, { cause })

function tlsMessage(cause: unknown): string {
  const code = codeOf(cause) ?? ''
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return "The host's certificate is for another name."
  if (code === 'CERT_HAS_EXPIRED') return "The host's certificate has expired."
  if (/CERT|SIGN|ISSUER/.test(code)) return "The host's certificate is not trusted."
  return 'The TLS handshake with the host failed.'
}
