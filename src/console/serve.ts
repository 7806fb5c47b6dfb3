/** Serves the console: its HTML page at `/` and all console addresses, its assets below `/assets`. Source: contract 9; design 6. */
import { Elysia } from 'elysia'
import { notFound } from '../platform/http/answers/errors.ts'
import type { Guarded } from '../platform/http/guard/guarded.ts'
import { type ConsoleFile, consoleBundle } from './bundle.ts'
import { favicon } from './favicon.ts'

/** Content Security Policy: own files only, no inline script or style, framed by `ancestors`. */
export const policyFramedBy = (ancestors: string): string =>
  [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${ancestors}`,
  ].join('; ')

/** The policy of the console, which no page may frame. */
const consolePolicy = policyFramedBy("'none'")

const immutable = 'public, max-age=31536000, immutable'

/** Entry paths; the browser resolves pages, see `routes.tsx`. */
export const addresses = [
  '/o/*',
  '/invitation',
  '/device',
  '/forgot-password',
  '/password-reset',
  '/verification',
  '/billing',
  '/billing/success',
  '/billing/canceled',
  '/pricing',
]

const takes = (request: Request, name: string, value: string): boolean =>
  request.headers.get(name)?.toLowerCase().includes(value) ?? false

interface Answering {
  request: Request
  set: { headers: Record<string, string | number> }
}

export function sendFile({ contentType, plain, gzipped }: ConsoleFile, { request, set }: Answering): Response {
  const compressed = takes(request, 'accept-encoding', 'gzip')
  set.headers['content-type'] = contentType
  set.headers.vary = set.headers.vary ? `${set.headers.vary}, accept-encoding` : 'accept-encoding'
  if (compressed) set.headers['content-encoding'] = 'gzip'
  return new Response(compressed ? gzipped : plain)
}

/** The HTML page may change with a release; its hashed assets never change. */
async function sendPage(answering: Answering): Promise<Response> {
  const { page } = await consoleBundle()
  answering.set.headers['content-security-policy'] = consolePolicy
  answering.set.headers['cache-control'] = 'no-cache'
  return sendFile(page, answering)
}

export function consoleRoutes({ guarded, version }: { guarded: Guarded; version: string }) {
  // accept any query parameters
  const options = { publicAccess: true, anyQuery: true, detail: { hide: true } } as const
  const app = new Elysia({ name: 'console' })
    .use(guarded)
    // browsers get the console, other clients a JSON summary
    .get(
      '/',
      async ({ request, set }) => {
        set.headers.vary = 'accept'
        if (takes(request, 'accept', 'text/html')) return sendPage({ request, set })
        return { name: 'Troupe', version, documentation: '/docs', apiDocument: '/docs/json' }
      },
      options,
    )
    .get(
      '/favicon.ico',
      ({ set }) => {
        set.headers['content-type'] = 'image/x-icon'
        set.headers['cache-control'] = 'public, max-age=86400'
        return new Response(favicon)
      },
      options,
    )
    .get(
      '/assets/*',
      async ({ request, set }) => {
        const { assets } = await consoleBundle()
        const file = assets.get(new URL(request.url).pathname)
        if (!file) throw notFound()
        set.headers['cache-control'] = immutable
        return sendFile(file, { request, set })
      },
      options,
    )
  for (const address of addresses) app.get(address, ({ request, set }) => sendPage({ request, set }), options)
  return app
}
