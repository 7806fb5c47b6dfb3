/** `/docs`, the API for people; `/docs/json`, for programs; `/swagger`, to try it out. Source: contract 9. */
import { Elysia } from 'elysia'
import { doc } from '../http/doc.ts'
import type { Guarded } from '../http/guard/guarded.ts'
import { apiDocument, type DocumentedRoute } from './document.ts'
import { compressed, inPieces, once } from './made-once.ts'
import { pageDocument } from './page/document.ts'
import { pagePieces, pagePolicy } from './page/page.ts'
import { search } from './page/search.ts'
import { style } from './page/style.ts'
import { send, sendJson } from './send.ts'
import { swaggerRoutes } from './swagger/routes.ts'
import type { SentEvent } from './webhooks.ts'

const script = `(${search})()`
const addressOf = (path: string, text: string) => `${path}?v=${Bun.hash(text).toString(36)}`
const pageFiles = { style: addressOf('/docs/style.css', style), script: addressOf('/docs/search.js', script) }

interface DocsParts {
  guarded: Guarded
  /** All routes of the server; called when the document is built. */
  allRoutes: () => readonly DocumentedRoute[]
  /** The events that webhooks send. */
  sent: readonly SentEvent[]
  /** Called when the document is built. */
  publicUrl: () => string
  version: string
}

const hidden = { hide: true }
const publicPage = { publicAccess: true, anyQuery: true, detail: hidden } as const
const immutable = 'public, max-age=31536000, immutable'

export function docsRoutes({ guarded, allRoutes, sent, publicUrl, version }: DocsParts) {
  const document = once(() => apiDocument({ routes: allRoutes(), sent, publicUrl: publicUrl(), version }))
  const json = once(async () => compressed(JSON.stringify(await document())))
  const page = once(async () => compressed(await inPieces(pagePieces(await document(), pageFiles))))
  const pageStyle = once(() => compressed(style))
  const pageScript = once(() => compressed(script))
  const info = async () => {
    const { title, summary, version: ofDocument } = pageDocument(await document()).info
    return { title: `${title} API`, description: summary, version: ofDocument }
  }

  return new Elysia({ name: 'docs', tags: ['Operating'] })
    .use(guarded)
    .use(swaggerRoutes({ guarded, json, document, info }))
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
    .get('/docs/json', async ({ request, set }) => sendJson(await json(), { request, set }), {
      publicAccess: true,
      anyQuery: true,
      detail: doc('getApiDocument', 'This document', undefined, {
        responses: {
          200: { description: 'OpenAPI 3.1.', content: { 'application/json': { schema: { type: 'object' } } } },
        },
      }),
    })
}
