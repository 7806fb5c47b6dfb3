/** `/swagger` and its files; `/swagger/json` is `/docs/json`. */
import { Elysia } from 'elysia'
import type { Guarded } from '../../http/guard/guarded.ts'
import type { ApiDocument } from '../document.ts'
import { type Compressed, compressed, inPieces, once } from '../made-once.ts'
import { send, sendJson } from '../send.ts'
import { olderDialect } from './dialect.ts'
import { type Info, type SwaggerFile, swaggerFile, swaggerFiles, swaggerPage } from './page.ts'

interface SwaggerParts {
  guarded: Guarded
  json: () => Promise<Compressed>
  document: () => Promise<ApiDocument>
  info: () => Promise<Info>
}

const publicPage = { publicAccess: true, anyQuery: true, detail: { hide: true } } as const

export function swaggerRoutes({ guarded, json, document, info }: SwaggerParts) {
  const page = once(async () => swaggerPage(await info()))
  const older = once(async () => compressed(await inPieces(olderDialect({ ...(await document()) }))))
  const app = new Elysia({ name: 'swagger' })
    .use(guarded)
    .get(
      '/swagger',
      async ({ request, set }) => {
        const { html, policy } = await page()
        set.headers['content-security-policy'] = policy
        return send(html, 'text/html', { request, set })
      },
      publicPage,
    )
    .get('/swagger/json', async ({ request, set }) => sendJson(await json(), { request, set }), publicPage)
    .get('/swagger/openapi-3.0.json', async ({ request, set }) => sendJson(await older(), { request, set }), publicPage)
  for (const [name, type] of Object.entries(swaggerFiles)) {
    const file = once(() => swaggerFile(name as SwaggerFile))
    app.get(`/swagger/${name}`, async ({ request, set }) => send(await file(), type, { request, set }), publicPage)
  }
  return app
}
