/** Builds the API document (OpenAPI 3.1) from the routes on first request. Source: contract 9, `/docs/json`. */
import { factsOf } from '../http/guard/route.ts'
import { slices } from '../time/next-turn.ts'
import { errorCodeSchema, Failures, publicApiErrorSchema } from './failures.ts'
import { AnswerHeaders } from './headers.ts'
import { Heads } from './heads.ts'
import { introduction } from './introduction.ts'
import { type Detail, describeOperation } from './operation.ts'
import { Parameters } from './parameters.ts'
import { Schemas } from './schemas.ts'
import { securitySchemes } from './security.ts'
import { tagGroups, tags } from './tags.ts'
import { type SentEvent, webhooksOf } from './webhooks.ts'

/** The part of an Elysia route that the document is built from. */
export interface DocumentedRoute {
  method: string
  path: string
  hooks: { detail?: unknown; transform?: unknown }
}

export type ApiDocument = Record<string, unknown> & { paths: Record<string, Record<string, Detail>> }

interface DocumentParts {
  routes: readonly DocumentedRoute[]
  /** The events that webhooks send. */
  sent: readonly SentEvent[]
  publicUrl: string
  version: string
}

/** A generated client has one function per operation name, so names must be unique. */
function assertUnique(operations: Detail[]): void {
  const seen = new Set<string>()
  for (const { operationId = '' } of operations) {
    if (seen.has(operationId)) throw new Error(`Two operations are named ${operationId}`)
    seen.add(operationId)
  }
}

/** Without a configured public URL, the server is the one that the document was read from. */
const server = (publicUrl: string) =>
  new URL(publicUrl).hostname === 'localhost'
    ? { url: '/', description: 'The server that this document was read from.' }
    : { url: publicUrl }

const template = (path: string) => path.replaceAll(/:([A-Za-z]+)/g, '{$1}')

/** The whole document. Pauses for other work. Throws if two different things have the same name. */
export async function apiDocument({ routes, sent, publicUrl, version }: DocumentParts): Promise<ApiDocument> {
  const documented = routes.flatMap(({ method, path, hooks }) => {
    const facts = factsOf(hooks)
    const detail = (hooks.detail ?? {}) as Detail
    return !facts || detail.hide ? [] : [{ method, path, facts, detail }]
  })
  const schemas = new Schemas()
  const parameters = new Parameters(schemas)
  const headers = new AnswerHeaders()
  const failures = new Failures(
    documented.map(({ method, facts }) => ({ ...facts, method })),
    headers,
  )
  const heads = new Heads(failures.components)
  const shared = { schemas, parameters, failures, headers }

  const paths: ApiDocument['paths'] = {}
  const turn = slices()
  for (const { method, path, facts, detail } of documented) {
    await turn()
    const operation = describeOperation(shared, { method, path }, facts, detail)
    paths[template(path)] = {
      ...paths[template(path)],
      [method.toLowerCase()]: operation,
      ...(method === 'GET' && { head: heads.of(operation) }),
    }
  }
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const usedTags = new Set(operations.flatMap(({ tags: used = [] }) => used))
  // without webhook routes the document describes no webhook events
  const webhooks = usedTags.has('Webhooks') ? webhooksOf(sent, schemas) : {}
  assertUnique([...operations, ...Object.values(webhooks).map(({ post }) => post)])
  const usedSchemes = new Set(operations.flatMap(({ security = [] }) => security.flatMap(Object.keys)))

  return {
    openapi: '3.1.0',
    info: {
      title: 'Troupe',
      version,
      summary: 'Manages and durably runs AI agents for many organizations.',
      description: introduction(publicUrl),
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [server(publicUrl)],
    tags: tags(usedTags),
    'x-tagGroups': tagGroups(usedTags),
    paths,
    ...(Object.keys(webhooks).length > 0 && { webhooks }),
    components: {
      schemas: { ErrorCode: errorCodeSchema, PublicApiError: publicApiErrorSchema, ...schemas.components },
      parameters: parameters.components,
      responses: { ...failures.components, ...heads.components },
      headers: headers.components,
      securitySchemes: Object.fromEntries(Object.entries(securitySchemes).filter(([name]) => usedSchemes.has(name))),
    },
  }
}
