/** A proxy between a browser and a server that can be cut: data in transit is lost. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

interface Relay {
  url: string
  /** Ends every connection; new ones are accepted. */
  cut(): void
  stop(): void
}

export async function openRelay(to: string): Promise<Relay> {
  const { hostname, port } = new URL(to)
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one.pipe(other)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
    }
  })
  await new Promise<void>((listens) => server.listen(0, '127.0.0.1', listens))
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    stop() {
      cut()
      server.close()
    },
  }
}
