/**
 * Serves the console with hot reload, against a running server:
 *
 *     TROUPE_URL=http://localhost:3000 bun src/console/develop.ts
 */
import page from './index.html'
import { addresses } from './serve.ts'

const server = process.env.TROUPE_URL ?? 'http://localhost:3000'

/** Proxies everything but pages to the server. */
const passOn = (request: Request): Promise<Response> => {
  const { pathname, search } = new URL(request.url)
  return fetch(server + pathname + search, new Request(request, { redirect: 'manual' }))
}

const { url } = Bun.serve({
  port: Number(process.env.PORT ?? 3001),
  development: true,
  idleTimeout: 0,
  routes: { ...Object.fromEntries(['/', ...addresses].map((address) => [address, page])), '/*': passOn },
})
process.stdout.write(`The console is at ${url}, its API at ${server}\n`)
