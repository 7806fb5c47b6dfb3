/**
 * The proxy in front of several servers: each request goes to the next server that was ready at the last probe, and
 * unreachable servers are skipped.
 */
import { registerServer, unregisterServer } from '../client.ts'

/** Not forwarded: these headers belong to a single connection. */
const ofConnection = ['connection', 'keep-alive', 'transfer-encoding', 'host']
const askAgainMs = 250

export interface FrontProxy {
  url: string
  /** All servers, ready or not. */
  servers: string[]
  stop(): void
}

const isRefused = (error: unknown) => (error as { code?: string }).code === 'ConnectionRefused'

/** `probes`: whether it checks which servers are ready; true by default. */
export function openProxy({ probes = true } = {}): FrontProxy {
  const servers: string[] = []
  const away = new Set<string>()
  let turn = 0

  const probe = async (server: string) => {
    const ready = await fetch(`${server}/readyz`, { signal: AbortSignal.timeout(1_000) }).then(
      ({ ok }) => ok,
      () => false,
    )
    if (ready) away.delete(server)
    else away.add(server)
  }
  const probeAll = () => {
    for (const server of servers) void probe(server)
  }
  const timer = probes ? setInterval(probeAll, askAgainMs) : undefined

  /** Round robin; when none is ready, any. */
  const next = () => {
    const ready = servers.filter((server) => !away.has(server))
    const chosen = ready.length > 0 ? ready : servers
    return chosen[turn++ % chosen.length]
  }

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
      for (let tries = 0; tries <= servers.length; tries += 1) {
        const server = next()
        if (server === undefined) break
        try {
          const init = { method: request.method, headers, body, redirect: 'manual', decompress: false } as const
          const answer = await fetch(server + pathname + search, { ...init, signal: request.signal })
          return new Response(answer.body, { status: answer.status, headers: answer.headers })
        } catch (error) {
          // nothing was sent: another server may serve the request
          if (!isRefused(error)) return Response.json({ error: 'The server has gone.' }, { status: 502 })
          away.add(server)
        }
      }
      return Response.json({ error: 'No server is there.' }, { status: 502 })
    },
  })
  const url = `http://127.0.0.1:${proxy.port}`
  registerServer(url)
  return {
    url,
    servers,
    stop() {
      unregisterServer(url)
      clearInterval(timer)
      void proxy.stop(true)
    },
  }
}
