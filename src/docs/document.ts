/** The API document (OpenAPI 3.1), made from the routes themselves when first asked for. Source: contract 9, `/docs/json`. */
import { type DocumentDecoration, Elysia } from 'elysia'
import { factsOf } from '../http/route.ts'
import { publicApiErrorSchema } from './failures.ts'
import { type Detail, describeOperation } from './operation.ts'
import { Components } from './schemas.ts'
import { tagDescriptions } from './tags.ts'

/** The part of an Elysia route that the document is made from. */
export interface DocumentedRoute {
  method: string
  path: string
  hooks: { detail?: unknown; transform?: unknown }
}

export type ApiDocument = Record<string, unknown> & { paths: Record<string, Record<string, Detail>> }

export interface DocumentParts {
  routes: readonly DocumentedRoute[]
  publicUrl: string
  version: string
}

const bearer = (description: string, bearerFormat?: string) => ({
  type: 'http',
  scheme: 'bearer',
  description,
  ...(bearerFormat && { bearerFormat }),
})

const allSecuritySchemes = {
  apiKey: bearer('An API key: `trp_` and 49 letters and digits.'),
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'troupe_session',
    description: "A user's session, as the console has it; changes carry its token as `X-CSRF-Token`.",
  },
  runnerToken: bearer('The registration token of runners.'),
  attemptToken: bearer('The token of one attempt, as the lease handed it out.', 'JWT'),
}

const headers = {
  XRequestId: {
    description: "The request's id: the caller's own `X-Request-Id`, when it is usable, else a new one.",
    schema: { type: 'string', minLength: 1, maxLength: 128 },
  },
}

/** Where the collecting plugin answers; no route of ours is there. */
const collectorPath = '/-collector'

/** Two operations of one name would be one function in a generated client. */
function assertUnique(operations: Detail[]): void {
  const seen = new Set<string>()
  for (const { operationId = '' } of operations) {
    if (seen.has(operationId)) throw new Error(`Two operations are called ${operationId}`)
    seen.add(operationId)
  }
}

/** A server that nobody has given a public address is where its document was read. */
const serverUrl = (publicUrl: string): string => (new URL(publicUrl).hostname === 'localhost' ? '/' : publicUrl)

/** The whole document. Throws when two operations have the same name. */
export async function apiDocument({ routes, publicUrl, version }: DocumentParts): Promise<ApiDocument> {
  // loaded when the document is first asked for: a server starts without it
  const { swagger } = await import('@elysiajs/swagger')
  const components = new Components()
  const documented = routes.flatMap(({ method, path, hooks }) => {
    const facts = factsOf(hooks)
    const detail = (hooks.detail ?? {}) as Detail
    if (!facts || detail.hide) return []
    return [{ method, path, detail: describeOperation(components, { method, path }, facts, detail) }]
  })
  assertUnique(documented.map(({ detail }) => detail))
  const usedTags = new Set(documented.flatMap(({ detail }) => detail.tags ?? []))

  const catalogue = new Elysia({ normalize: false }).use(
    swagger({
      path: collectorPath,
      excludeStaticFile: false,
      documentation: {
        info: {
          title: 'Troupe',
          version,
          description: 'Manages and runs AI agents for many organizations, durably.',
          license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
        },
        servers: [{ url: serverUrl(publicUrl) }],
        tags: [...usedTags].sort().map((name) => ({ name, description: tagDescriptions[name] ?? name })),
      },
    }),
  )
  // the plugin collects what routes say: these say everything, and are never called
  for (const { method, path, detail } of documented) {
    catalogue.route(method, path, () => '', { detail: detail as DocumentDecoration })
  }
  const answer = await catalogue.handle(new Request(`http://localhost${collectorPath}/json`))
  const collected = (await answer.json()) as ApiDocument
  const usedSchemes = new Set(documented.flatMap(({ detail }) => (detail.security ?? []).flatMap(Object.keys)))
  const securitySchemes = Object.fromEntries(
    Object.entries(allSecuritySchemes).filter(([name]) => usedSchemes.has(name)),
  )
  const schemas = { PublicApiError: publicApiErrorSchema, ...components.schemas }
  return { ...collected, openapi: '3.1.0', components: { schemas, headers, securitySchemes } }
}
