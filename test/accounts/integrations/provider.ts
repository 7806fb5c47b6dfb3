/** A token endpoint on loopback that sends configured responses and records the requests it receives. */
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Asked {
  path: string
  headers: Record<string, string>
  form: Record<string, string>
}

export type Answer = (asked: Asked) => Response | Promise<Response>

/** An OAuth error response. */
export const refusing =
  (error: unknown, status = 400): Answer =>
  () =>
    Response.json({ error, error_description: 'provider text' }, { status })

/** Responds like a provider that knows exactly this client, and no code. */
export const knowing =
  (clientId: string, clientSecret: string): Answer =>
  ({ headers }) => {
    const expected = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
    return headers.authorization === expected ? refused('invalid_grant') : refused('invalid_client', 401)
  }
const refused = (error: string, status = 400) => Response.json({ error }, { status })

export interface Provider {
  url: string
  asked: Asked[]
  /** Sets the response from now on. */
  answers(answer: Answer): void
  stop(): void
}

/** Starts a provider that knows every client until its response is changed. */
export function openProvider(): Provider {
  const asked: Asked[] = []
  let current: Answer = refusing('invalid_grant')
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const heard = {
        path: new URL(request.url).pathname,
        headers: Object.fromEntries(request.headers),
        form: Object.fromEntries(new URLSearchParams(await request.text())),
      }
      asked.push(heard)
      return current(heard)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    asked,
    answers(answer) {
      current = answer
    },
    stop: () => void server.stop(true),
  }
}

/** Listens, and passes each connection to `react`: for responses that are not HTTP. */
export async function openSocket(react: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    react(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    port,
    stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** A preset of the operator's presets file. */
export const presetAt = (presetKey: string, url: string) => ({
  presetKey,
  name: `Provider ${presetKey}`,
  authorizationEndpoint: `${url}/authorize`,
  tokenEndpoint: `${url}/token`,
  issuer: url,
  scopes: [{ name: 'openid', description: 'Know who the user is.' }],
  defaultScopes: ['openid'],
  principalBinding: 'user' as const,
  setupInstructions: 'Make a client.',
})

/** Runs `start` with the path of a presets file, which is read only at startup, and deletes the file afterwards. */
export async function withPresets<Made>(
  presets: readonly object[],
  start: (path: string) => Promise<Made>,
): Promise<Made> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-presets-'))
  const path = join(folder, 'presets.json')
  try {
    await Bun.write(path, JSON.stringify(presets))
    return await start(path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
