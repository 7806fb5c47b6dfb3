/**
 * `/swagger`: the API document in Swagger UI, which can send requests. The page is that of `@elysiajs/swagger`; its files are
 * served from the npm package by this server, so that it works in a closed network. Source: design, "API document".
 */
import { createHash } from 'node:crypto'
import { type Compressed, compressed } from '../made-once.ts'

const folder = '/swagger'
/** The address of the script in the plugin's page, which the plugin does not let us configure. */
const elsewhere = /src="https:\/\/unpkg\.com\/swagger-ui-dist@[^/]+\/([a-z-]+\.js)" crossorigin/

/** The Swagger UI files that the page loads, with their media types. */
export const swaggerFiles = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
} as const
export type SwaggerFile = keyof typeof swaggerFiles

/** One file from the npm package. */
export async function swaggerFile(name: SwaggerFile): Promise<Compressed> {
  return compressed(await Bun.file(Bun.resolveSync(`swagger-ui-dist/${name}`, import.meta.dir)).text())
}

/** The page and its Content-Security-Policy. */
interface SwaggerPage {
  html: Compressed
  policy: string
}

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Loads from and sends to this server only. Swagger UI sets inline styles and draws its icons from data URLs. */
const policyOf = (script: string) =>
  [
    "default-src 'none'",
    `script-src 'self' ${hashOf(script)}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** Title and description of the page. */
export interface Info {
  title: string
  description: string
  version: string
}

/** The page, which loads the document itself. */
export async function swaggerPage(info: Info): Promise<SwaggerPage> {
  // loaded with the first page, so that the start does not wait for it
  const { swagger } = await import('@elysiajs/swagger')
  const plugin = swagger({
    provider: 'swagger-ui',
    path: folder,
    specPath: `${folder}/openapi-3.0.json`,
    theme: `${folder}/swagger-ui.css`,
    documentation: { info },
    swaggerOptions: { docExpansion: 'none', defaultModelsExpandDepth: -1, deepLinking: true, filter: true },
  })
  const answer = await plugin.handle(new Request(`http://localhost${folder}`))
  const page = (await answer.text()).replace(elsewhere, `src="${folder}/$1"`)
  const script = /<script>([\s\S]*?)<\/script>/.exec(page)?.[1]
  if (script === undefined || page.includes('https:'))
    throw new Error('The page of @elysiajs/swagger is not as expected')
  return { html: await compressed(page), policy: policyOf(script) }
}
