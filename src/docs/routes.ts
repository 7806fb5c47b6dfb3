/** `/docs`, the reader of the API, and `/docs/json`, what it reads. Source: contract 9. */
import { Elysia } from 'elysia'
import type { Guarded } from '../http/guarded.ts'
import { type ApiDocument, apiDocument, type DocumentedRoute } from './document.ts'
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
const immutable = 'public, max-age=31536000, immutable'

export function docsRoutes({ guarded, allRoutes, publicUrl, version }: DocsParts) {
  let document: Promise<ApiDocument> | undefined

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
      { publicAccess: true, detail: hidden },
    )
    .get(
      '/docs/reader.js',
      async ({ request, set }) => {
        const { plain, gzipped } = await readerScript()
        const takesGzip = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '')
        set.headers['content-type'] = 'text/javascript; charset=utf-8'
        set.headers['cache-control'] = immutable
        set.headers.vary = 'accept-encoding'
        if (takesGzip) set.headers['content-encoding'] = 'gzip'
        return new Response(takesGzip ? gzipped : plain)
      },
      { publicAccess: true, detail: hidden },
    )
    .get(
      '/docs/json',
      () => {
        document ??= apiDocument({ routes: allRoutes(), publicUrl: publicUrl(), version })
        return document
      },
      {
        publicAccess: true,
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
