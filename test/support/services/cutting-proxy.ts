import type { Socket } from 'bun'

/** Forwards to a local PostgreSQL, and cuts a connection at a `commit` on demand. */
export function cuttingProxy(port: number) {
  interface Side {
    other?: Promise<Socket<Side>>
    cutting?: boolean
  }
  const clients = new Set<Socket<Side>>()
  let wanted: 'request' | 'answer' | undefined
  let cuts = 0
  /** Whether new connections to the database are refused after the cut. */
  let goesAway = false
  let isAway = false
  const proxy = Bun.listen<Side>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(client) {
        if (isAway) {
          client.data = {}
          return void client.terminate()
        }
        clients.add(client)
        client.data = {
          other: Bun.connect<Side>({
            hostname: '127.0.0.1',
            port,
            socket: {
              data(_, bytes) {
                if (!client.data.cutting) return void client.write(bytes)
                cuts += 1
                isAway = goesAway
                for (const each of isAway ? clients : [client]) each.terminate()
              },
              close: () => void client.end(),
            },
          }),
        }
      },
      async data(client, bytes) {
        if (wanted && /\bcommit\b/.test(Buffer.from(bytes).toString('latin1'))) {
          const at = wanted
          wanted = undefined
          if (at === 'request') {
            cuts += 1
            return void client.terminate()
          }
          client.data.cutting = true
        }
        const copy = Uint8Array.from(bytes)
        ;(await client.data.other)?.write(copy)
      },
      close(client) {
        clients.delete(client)
        client.data.other?.then((server) => server.end())
      },
    },
  })
  return {
    port: proxy.port,
    /** Before it arrives, or in place of its response. */
    cutNextCommit(at: 'request' | 'answer', { andStayAway = false } = {}) {
      wanted = at
      goesAway = andStayAway
    },
    comeBack() {
      isAway = false
    },
    cuts: () => cuts,
    stop: () => proxy.stop(true),
  }
}
