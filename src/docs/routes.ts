/** `/docs`, the API for people, and `/docs/json`, for programs. Source: contract 9. */
import { Elysia } from 'elysia'
import type { Guarded } from '../http/guarded.ts'
import { JsonText } from '../http/json-text.ts'
import { apiDocument, type DocumentedRoute } from './document.ts'
import { type Compressed, compressed, inPieces, once } from './made-once.ts'
import { pagePieces, pagePolicy } from './page/page.ts'
import { search } from './page/search.ts'
import { style } from './page/style.ts'

const script = `(${search})()`
const addressOf = (path: string, text: string) => `${path}?v=${Bun.hash(text).toString(36)}`
const pageFiles = { style: addressOf('/docs/style.css', style), script: addressOf('/docs/search.js', script) }

export interface DocsParts {
  guarded: Guarded
  /** All routes of the server; asked for when the document is made. */
  allRoutes: () => readonly DocumentedRoute[]
  /** Asked for when the document is made. */
  publicUrl: () => string
  version: string
}

const hidden = { hide: true }
const publicPage = { publicAccess: true, anyQuery: true, detail: hidden } as const
const takesGzip = ({ headers }: Request) => /\bgzip\b/.test(headers.get('accept-encoding') ?? '')
const immutable = 'public, max-age=31536000, immutable'

interface Answering {
  request: Request
  set: { headers: Record<string, string | number> }
}

/** A text of ours, compressed for whoever can read that. */
function send({ plain, gzipped }: Compressed, type: string, { request, set }: Answering): Response {
  const compressed = takesGzip(request)
  set.headers['content-type'] = `${type}; charset=utf-8`
  set.headers.vary = 'accept-encoding'
  if (compressed) set.headers['content-encoding'] = 'gzip'
  return new Response(compressed ? gzipped : plain)
}

export function docsRoutes({ guarded, allRoutes, publicUrl, version }: DocsParts) {
  const document = once(() => apiDocument({ routes: allRoutes(), publicUrl: publicUrl(), version }))
  const json = once(async () => {
    const text = JSON.stringify(document())
    return { ...(await compressed(text)), plain: new JsonText(text) }
  })
  const page = once(async () => compressed(await inPieces(pagePieces(document(), pageFiles))))
  const pageStyle = once(() => compressed(style))
  const pageScript = once(() => compressed(script))

  return new Elysia({ name: 'docs' })
    .use(guarded)
    .get(
      '/docs',
      async ({ request, set }) => {
        set.headers['content-security-policy'] = pagePolicy
        return send(await page(), 'text/html', { request, set })
      },
      publicPage,
    )
    .get(
      '/docs/style.css',
      async ({ request, set }) => {
        set.headers['cache-control'] = immutable
        return send(await pageStyle(), 'text/css', { request, set })
      },
      publicPage,
    )
    .get(
      '/docs/search.js',
      async ({ request, set }) => {
        set.headers['cache-control'] = immutable
        return send(await pageScript(), 'text/javascript', { request, set })
      },
      publicPage,
    )
    .get(
      '/docs/json',
      async ({ request, set }) => {
        const { plain, gzipped } = await json()
        set.headers.vary = 'accept-encoding'
        // typed as what the text says
        if (!takesGzip(request)) return plain as never
        set.headers['content-type'] = 'application/json;charset=utf-8'
        set.headers['content-encoding'] = 'gzip'
        return new Response(gzipped)
      },
      {
        publicAccess: true,
        anyQuery: true,
        detail: {
          operationId: 'getApiDocument',
          summary: 'This document',
          tags: ['Operating'],
          responses: {
            200: { description: 'OpenAPI 3.1.', content: { 'application/json': { schema: { type: 'object' } } } },
          },
        },
      },
    )
}
