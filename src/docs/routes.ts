/** `/docs`, the reader of the API, and `/docs/json`, what it reads. Source: contract 9. */
import { Elysia } from 'elysia'
import type { Guarded } from '../http/guarded.ts'
import { JsonText } from '../http/json-text.ts'
import { apiDocument, type DocumentedRoute } from './document.ts'
import { readerPage, readerPolicy, readerScript } from './reader.ts'

export interface DocsParts {
  guarded: Guarded
  /** All routes of the server; asked for when the document is made. */
  allRoutes: () => readonly DocumentedRoute[]
  /** Asked for when the document is made. */
  publicUrl: () => string
  version: string
}

const hidden = { hide: true }
const takesGzip = ({ headers }: Request) => /\bgzip\b/.test(headers.get('accept-encoding') ?? '')
const immutable = 'public, max-age=31536000, immutable'

export function docsRoutes({ guarded, allRoutes, publicUrl, version }: DocsParts) {
  let kept: { plain: JsonText; gzipped: Uint8Array<ArrayBuffer> } | undefined

  /** The document, made and compressed once. */
  function made() {
    if (kept) return kept
    const text = JSON.stringify(apiDocument({ routes: allRoutes(), publicUrl: publicUrl(), version }))
    kept = { plain: new JsonText(text), gzipped: Bun.gzipSync(text) }
    return kept
  }

  return new Elysia({ name: 'docs' })
    .use(guarded)
    .get(
      '/docs',
      async ({ set }) => {
        const { version: scriptVersion } = await readerScript()
        set.headers['content-type'] = 'text/html; charset=utf-8'
        set.headers['content-security-policy'] = readerPolicy
        return readerPage(scriptVersion)
      },
      { publicAccess: true, anyQuery: true, detail: hidden },
    )
    .get(
      '/docs/reader.js',
      async ({ request, set }) => {
        const { plain, gzipped } = await readerScript()
        const compressed = takesGzip(request)
        set.headers['content-type'] = 'text/javascript; charset=utf-8'
        set.headers['cache-control'] = immutable
        set.headers.vary = 'accept-encoding'
        if (compressed) set.headers['content-encoding'] = 'gzip'
        return new Response(compressed ? gzipped : plain)
      },
      { publicAccess: true, anyQuery: true, detail: hidden },
    )
    .get(
      '/docs/json',
      ({ request, set }) => {
        const { plain, gzipped } = made()
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
