/** Reserves the server's port before anything is created, so that a failed start leaves nothing behind. */
import type { Socket } from 'bun'
import { InvalidSetting } from './variable.ts'

interface HeldPort {
  /** Hands the port to `listen`. Throws `InvalidSetting` if another program takes it first. */
  handTo(listen: () => void): void
}

const sentences: Record<string, (port: number, host: string) => string> = {
  EADDRINUSE: (port) =>
    `PORT: ${port} is in use by another program; stop that program, or choose another port, such as PORT=${port < 65_535 ? port + 1 : port - 1}`,
  EACCES: (port) => `PORT: ${port} requires privileges; choose one above 1023, such as PORT=3000`,
  EADDRNOTAVAIL: (_, host) =>
    `TROUPE_HOST: ${host} is not an address of this machine; use 127.0.0.1, or 0.0.0.0 for all of its addresses`,
}

/**
 * Holds the port (or checks port 0), closing all connections meanwhile. Throws `InvalidSetting`, which names the setting to
 * change.
 */
export function holdPort({ port, host }: { port: number; host: string }): HeldPort {
  try {
    const listener = Bun.listen({
      port,
      hostname: host,
      socket: { open: (socket: Socket) => socket.terminate(), data() {} },
    })
    return {
      handTo(listen) {
        listener.stop(true)
        try {
          listen()
        } catch (error) {
          throw inWords(error, port, host)
        }
      },
    }
  } catch (error) {
    throw inWords(error, port, host)
  }
}

function inWords(error: unknown, port: number, host: string): Error {
  const { code = '', message } = error as { code?: string; message: string }
  const sentence = sentences[code]?.(port, host)
  return new InvalidSetting(sentence ?? `TROUPE_HOST, PORT: ${host}:${port} cannot be served: ${code || message}`)
}
