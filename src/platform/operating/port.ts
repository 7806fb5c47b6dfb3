/** The port of the server, taken before anything is made: a start that cannot serve leaves nothing behind. */
import type { Socket } from 'bun'
import { InvalidSetting } from './variable.ts'

export interface HeldPort {
  /** Gives it up to the server, which `listen` starts. Throws `InvalidSetting` when another program was faster. */
  handTo(listen: () => void): void
}

const sentences: Record<string, (port: number, host: string) => string> = {
  EADDRINUSE: (port) =>
    `PORT: ${port} is in use by another program; end that one, or choose another port, such as PORT=${port < 65_535 ? port + 1 : port - 1}`,
  EACCES: (port) => `PORT: ${port} is not open to this user; choose one above 1023, such as PORT=3000`,
  EADDRNOTAVAIL: (_, host) =>
    `TROUPE_HOST: ${host} is not an address of this machine; use 127.0.0.1, or 0.0.0.0 for all of its addresses`,
}

/**
 * Holds the port, or finds that port 0 can be served; whoever connects meanwhile is hung up on. Throws `InvalidSetting`,
 * whose line names the setting that helps.
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
