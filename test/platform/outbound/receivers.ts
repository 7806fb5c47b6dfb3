/** Receivers on loopback with programmable answers, and clients that call them. */
import { afterAll } from 'bun:test'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { OutboundClient, type OutboundParts, type OutboundRequest } from '../../../src/platform/outbound/client.ts'
import { OutboundError } from '../../../src/platform/outbound/error.ts'

/** The policies of production and of development. */
export const closed = { allowPrivateAddresses: false, production: true }
export const open = { allowPrivateAddresses: true, production: false }

export const client = new OutboundClient(open)

/** A client for which each of these names has the address, and other names have none. */
export const knowing = (names: Record<string, string | string[]>, policy = open, parts: OutboundParts = {}) =>
  new OutboundClient(policy, {
    lookup: async (hostname) => [names[hostname] ?? []].flat().map((address) => ({ address })),
    ...parts,
  })

interface Receiver {
  port: number
  url: string
  /** The number of connections so far, and of open ones. */
  connections: number
  standing: number
  /** All received bytes. */
  text: string
}

/** Handles a connection once its first bytes have arrived. */
export type Reaction = (socket: Socket) => void

/** Writes the text and ends the connection. */
export const saying =
  (...parts: (string | Uint8Array)[]): Reaction =>
  (socket) => {
    for (const part of parts) socket.write(part)
    socket.end()
  }

/** Writes the beginning, then the text repeatedly until the connection is closed. */
export const dripping =
  (beginning: string, drop: string, everyMs = 10): Reaction =>
  (socket) => {
    socket.write(beginning)
    const timer = setInterval(() => socket.write(drop), everyMs)
    socket.on('close', () => clearInterval(timer))
  }

export const ok = (body = '') => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`

/** A receiver without TLS. */
export const receive = (react: Reaction): Promise<Receiver> => listen('http', (serve) => createServer(serve), react)

/** A receiver with TLS and this certificate. */
export const receiveSecurely = (identity: { key: string; cert: string }, react: Reaction): Promise<Receiver> =>
  listen('https', (serve) => createTlsServer(identity, serve), react)

async function listen(scheme: string, create: (serve: Reaction) => Server, react: Reaction): Promise<Receiver> {
  const receiver: Receiver = { port: 0, url: '', connections: 0, standing: 0, text: '' }
  const sockets = new Set<Socket>()
  const server = create((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => react(socket))
    socket.on('data', (chunk) => {
      receiver.text += chunk.toString('latin1')
    })
  })
  server.on('connection', (socket: Socket) => {
    receiver.connections++
    receiver.standing++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      receiver.standing--
      sockets.delete(socket)
    })
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  receiver.port = (server.address() as { port: number }).port
  receiver.url = `${scheme}://127.0.0.1:${receiver.port}/`
  afterAll(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return receiver
}

/** A request with limits suitable for tests by default. */
export const wanted = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  url,
  method: 'POST',
  body: 'ping',
  timeoutMs: 5000,
  bodyBytesMax: 16_384,
  ...more,
})

/** The error of the request; throws if it succeeded, or failed otherwise than by an OutboundError. */
export async function failure(request: Promise<unknown>): Promise<OutboundError> {
  const error = await request.then(
    (answer) => new Error(`answered: ${JSON.stringify(answer)}`),
    (error) => error,
  )
  if (!(error instanceof OutboundError)) throw error
  return error
}

/** Resolves when the condition holds; the test's timeout ends a wait in vain. */
export async function until(condition: () => boolean) {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}

/** Runs with these environment variables, and restores the previous ones. */
export async function withEnvironment(values: Record<string, string>, act: () => Promise<void>) {
  const before = Object.keys(values).map((name) => [name, process.env[name]] as const)
  try {
    Object.assign(process.env, values)
    await act()
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}
