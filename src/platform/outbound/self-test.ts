/**
 * Checks at every start that the guard works on this runtime: Bun once silently ignored a pinned lookup. Source: design
 * 6, "A self-test at start"; trust 0 and 3.2, point 9.
 */
import { createServer } from 'node:net'
import { OutboundClient, type OutboundParts } from './client.ts'
import { systemDial } from './connect.ts'
import { OutboundError } from './error.ts'

const timeoutMs = 5000
const publicName = 'receiver.example.com'
const publicAddress = '8.8.8.8'

/**
 * Sends requests to a loopback listener in every way that a tenant might try, and throws unless the guard refuses all
 * of them and the listener receives nothing. Nothing leaves the machine. Tests the guard as if
 * `TROUPE_ALLOW_PRIVATE_ADDRESSES` were off, and the given client too if it is off.
 */
export async function selfTest(client: OutboundClient): Promise<void> {
  const { policy } = client
  const listener = await listen()
  const strict = (parts: OutboundParts) =>
    new OutboundClient(
      { ...policy, allowPrivateAddresses: false },
      { dial: (address) => systemDial(address, listener.port), ...parts },
    )
  const privately = strict({ lookup: async () => [{ address: '127.0.0.1' }] })
  const astray = strict({
    lookup: async () => [{ address: publicAddress }],
    dial: () => systemDial('127.0.0.1', listener.port),
  })
  try {
    await mustRefuse('a private address', privately, 'https://127.0.0.1/')
    await mustRefuse('a name with a private address', privately, `https://${publicName}/`)
    if (listener.connections > 0) throw broken('a connection was made before the address was checked')
    await mustRefuse('a connection that ends elsewhere', astray, `https://${publicName}/`)
    if (!policy.allowPrivateAddresses) await mustRefuse('the address of a listener', client, listener.url)
    if (listener.bytes > 0) throw broken('bytes were sent to a private address')
  } finally {
    listener.close()
  }
}

async function mustRefuse(what: string, client: OutboundClient, url: string) {
  const outcome = await client.request({ url, method: 'GET', timeoutMs, bodyBytesMax: 0 }).then(
    () => 'answered',
    (error: unknown) => error,
  )
  if (outcome instanceof OutboundError && outcome.errorClass === 'blocked_address') return
  throw broken(`${what} was not refused`, outcome)
}

const broken = (what: string, cause?: unknown) =>
  new Error(`The guard for outbound requests does not hold on this runtime: ${what}.`, { cause })

async function listen() {
  const heard = { connections: 0, bytes: 0 }
  const server = createServer((socket) => {
    heard.connections++
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      heard.bytes += chunk.length
      socket.destroy()
    })
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return Object.assign(heard, { port, url: `https://127.0.0.1:${port}/`, close: () => server.close() })
}
