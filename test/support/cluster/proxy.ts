/** The proxy in front of several servers: each request goes to the next one, and one that is not there is passed over. */
import { isNoServer, isServer } from '../client.ts'

/** Not passed on: they are about one connection. */
const ofConnection = ['connection', 'keep-alive', 'transfer-encoding', 'host']

export interface FrontProxy {
  url: string
  /** Who serves, in this order. */
  servers: string[]
  stop(): void
}

const isRefused = (error: unknown) => (error as { code?: string }).code === 'ConnectionRefused'

export function openProxy(): FrontProxy {
  let turn = 0
  const proxy = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const headers = new Headers(request.headers)
      for (const name of ofConnection) headers.delete(name)
      const body = request.body ? await request.arrayBuffer() : null
      for (let tries = 0; tries < servers.length; tries += 1) {
        const server = servers[turn++ % servers.length] as string
        try {
          const init = { method: request.method, headers, body, redirect: 'manual', decompress: false } as const
          const answer = await fetch(server + pathname + search, { ...init, signal: request.signal })
          return new Response(answer.body, { status: answer.status, headers: answer.headers })
        } catch (error) {
          // nothing was sent: another one may serve it
          if (!isRefused(error)) return Response.json({ error: 'The server has gone.' }, { status: 502 })
        }
      }
      return Response.json({ error: 'No server is there.' }, { status: 502 })
    },
  })
  const servers: string[] = []
  const url = `http://127.0.0.1:${proxy.port}`
  isServer(url)
  return {
    url,
    servers,
    stop() {
      isNoServer(url)
      void proxy.stop(true)
    },
  }
}
