/** A proxy to Redis that fails on demand: it loses an answer, hangs, or leads to another server. */
import type { Socket } from 'bun'

export interface Detour {
  url: string
  /** The next command arrives, and its connection is closed before the client gets the answer. */
  loseNextAnswer(): void
  /** Open connections stay open but transfer nothing. New ones work. */
  fallSilent(): void
  /** New connections lead to this port. */
  leadTo(port: number): void
  stop(): void
}

interface Side {
  peer?: Socket<Side>
  silent: boolean
}

export function detourTo(firstPort: number): Detour {
  let port = firstPort
  let losing = false
  const open = new Set<Socket<Side>>()
  const close = (side: Socket<Side>) => {
    open.delete(side)
    side.data.peer?.end()
  }
  const error = () => {} // a refused or reset connection is closed as well

  const listener = Bun.listen<Side>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      async open(client) {
        client.data = { silent: false }
        open.add(client)
        client.pause() // until there is a target
        const server = await Bun.connect<Side>({
          hostname: '127.0.0.1',
          port,
          data: { peer: client, silent: false },
          socket: {
            data(server, answer) {
              if (server.data.silent) return
              if (!losing) return void client.write(answer)
              losing = false
              client.terminate()
              server.terminate()
            },
            close,
            error,
          },
        }).catch(() => undefined)
        // there is no target: the client's connection is closed
        if (!server) return client.terminate()
        client.data.peer = server
        open.add(server)
        client.resume()
      },
      data(client, command) {
        if (!client.data.silent) client.data.peer?.write(command)
      },
      close,
      error,
    },
  })

  return {
    url: `redis://127.0.0.1:${listener.port}`,
    loseNextAnswer() {
      losing = true
    },
    fallSilent() {
      for (const side of open) side.data.silent = true
    },
    leadTo(newPort) {
      port = newPort
    },
    stop() {
      listener.stop(true)
      for (const side of open) side.terminate()
    },
  }
}
