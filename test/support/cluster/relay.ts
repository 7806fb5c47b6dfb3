/**
 * A TCP relay to a server whose connections can be cut, so that a test can take the server away from one of its
 * clients.
 */
import type { Socket } from 'bun'

type Way = 'open' | 'cut' | 'silent'

interface Pair {
  other: Socket<Pair> | undefined
  /** Bytes that could not be written yet. */
  waiting: Uint8Array[]
}

export interface Relay {
  port: number
  /** Closes all connections, and refuses new ones. */
  cut(): void
  /** Forwards nothing in either direction, and closes nothing. */
  silence(): void
  /** Forwards again; silenced connections continue. */
  mend(): void
  stop(): void
}

function pass({ data: pair }: Socket<Pair>, bytes: Uint8Array, way: Way) {
  const { other } = pair
  if (!other || way === 'silent' || pair.waiting.length > 0) return void pair.waiting.push(bytes)
  const written = other.write(bytes)
  if (written < bytes.length) pair.waiting.push(bytes.subarray(Math.max(0, written)))
}

function flush({ data: pair }: Socket<Pair>) {
  for (let next = pair.waiting.shift(); next && pair.other; next = pair.waiting.shift()) {
    const written = pair.other.write(next)
    if (written === next.length) continue
    pair.waiting.unshift(next.subarray(Math.max(0, written)))
    return
  }
}

/** Listens on a loopback port and forwards to the target; `changed` may rewrite the bytes that the target sends. */
export function openRelay(target: number, changed = (bytes: Uint8Array) => bytes): Relay {
  let way: Way = 'open'
  const sockets = new Set<Socket<Pair>>()
  const events = {
    data: (socket: Socket<Pair>, bytes: Uint8Array) => pass(socket, new Uint8Array(bytes), way),
    drain: (socket: Socket<Pair>) => socket.data.other && flush(socket.data.other),
    close(socket: Socket<Pair>) {
      sockets.delete(socket)
      socket.data.other?.end()
    },
    error: (socket: Socket<Pair>) => void socket.end(),
  }
  const listener = Bun.listen<Pair>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      ...events,
      async open(socket) {
        socket.data = { other: undefined, waiting: [] }
        if (way === 'cut') return void socket.terminate()
        sockets.add(socket)
        try {
          const data: Pair = { other: socket, waiting: [] }
          const answering = {
            ...events,
            data: (from: Socket<Pair>, bytes: Uint8Array) => events.data(from, changed(bytes)),
          }
          const other = await Bun.connect<Pair>({ hostname: '127.0.0.1', port: target, data, socket: answering })
          sockets.add(other)
          socket.data.other = other
          if (way === 'open') flush(socket)
        } catch {
          socket.terminate()
        }
      },
    },
  })
  const end = () => {
    for (const socket of sockets) socket.terminate()
    sockets.clear()
  }
  return {
    port: listener.port,
    cut() {
      way = 'cut'
      end()
    },
    silence() {
      way = 'silent'
    },
    mend() {
      way = 'open'
      for (const socket of sockets) flush(socket)
    },
    stop() {
      listener.stop(true)
      end()
    },
  }
}
