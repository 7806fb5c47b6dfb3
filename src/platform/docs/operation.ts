/** One operation of the API document, built from the facts of its route. Source: contract, first paragraph. */
import { Kind, type TSchema } from '@sinclair/typebox'
import { jsonBytesMax } from '../http/body/body.ts'
import type { Access, RouteFacts } from '../http/guard/route.ts'
import { isOptional } from '../http/validation/validation.ts'
import { examples } from './examples/all.ts'
import type { Example } from './examples/values.ts'
import type { Failures } from './failures.ts'
import type { AnswerHeaders } from './headers.ts'
import type { Parameters } from './parameters.ts'
import type { Schemas } from './schemas.ts'

interface Response {
  description?: string
  content?: Record<string, { schema?: TSchema; [word: string]: unknown }>
}
type Responses = Record<string, Response>

/** The hand-written part, which overrides the generated one. */
export interface Detail {
  operationId?: string
  summary?: string
  description?: string
  tags?: string[]
  security?: object[]
  hide?: boolean
  responses?: Responses
  [word: string]: unknown
}

/** `GET /api/v1/agent-runs/:id/cancel` is `getAgentRunsByIdCancel`. */
function defaultOperationId(method: string, path: string): string {
  const words = path
    .replace(/^\/api(\/v1)?\//, '/')
    .split('/')
    .filter(Boolean)
    .map((part) => (part.startsWith(':') ? `by-${part.slice(1)}` : part))
    .flatMap((part) => part.split(/[^A-Za-z0-9]+/))
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

/** The components that operations share. */
interface Shared {
  schemas: Schemas
  parameters: Parameters
  failures: Failures
  headers: AnswerHeaders
}

const isSchema = (value: object): value is TSchema => Kind in value

const kibibyte = 1024

function sizeOf(bytes: number): string {
  if (bytes % kibibyte !== 0) return `${bytes} bytes`
  return bytes % kibibyte ** 2 === 0 ? `${bytes / kibibyte ** 2} MiB` : `${bytes / kibibyte} KiB`
}

function requestBody(
  schemas: Schemas,
  { body, bodyLimit = jsonBytesMax, consumes }: RouteFacts,
  example: unknown,
): object | undefined {
  const taken = consumes ?? (body && { 'application/json': { schema: body, bytesMax: bodyLimit } })
  if (!taken) return undefined
  const limits = Object.entries(taken).map(([mediaType, { bytesMax }]) => `${mediaType}: at most ${sizeOf(bytesMax)}.`)
  const content = Object.entries(taken).map(([mediaType, { schema }]) => [
    mediaType,
    {
      schema: schemas.describe(schema, true),
      ...(example !== undefined && mediaType === 'application/json' && { example }),
    },
  ])
  return {
    required: !(body && isOptional(body)),
    description: limits.join(' '),
    content: Object.fromEntries(content),
  }
}

const statusTexts: Record<string, string> = { 200: 'Done.', 201: 'Created.', 202: 'Accepted.', 204: 'Done; no body.' }
const emptyKinds = ['Undefined', 'Void', 'Null']

function successes(
  { schemas, headers }: Shared,
  { response, headers: requested }: RouteFacts,
  example: Example = {},
): Responses {
  if (!response) return {}
  const byStatus: Record<string, TSchema> = isSchema(response) ? { 200: response } : response
  const replayable = requested?.properties['idempotency-key'] !== undefined
  const described = Object.entries(byStatus).map(([status, schema]) => {
    const isEmpty = status === '204' || emptyKinds.includes(schema[Kind])
    const answer = example.answers?.[Number(status)] ?? example.answer
    const content = {
      schema: schemas.describe(schema),
      ...(answer !== undefined && status.startsWith('2') && { example: answer }),
    }
    return [
      status,
      {
        description: schema.description ?? schema.properties?.data?.description ?? statusTexts[status] ?? 'The answer.',
        headers: headers.ofSuccess({ replayable }),
        ...(!isEmpty && { content: { 'application/json': content } }),
      },
    ]
  })
  return Object.fromEntries(described)
}

const securityOf: Record<Access['kind'], (session: object) => object[]> = {
  permission: (session) => [{ apiKey: [] }, session],
  identity: (session) => [{ apiKey: [] }, session],
  session: (session) => [session],
  public: () => [],
  registration: () => [{ runnerToken: [] }],
  attempt: () => [{ attemptToken: [] }],
}

/** The credentials that pass the guard; a session's change also needs its CSRF token. */
function security({ access, resource, csrfInBody, keysOnly, reportPermission }: RouteFacts): object[] {
  if (keysOnly) return [{ apiKey: [] }]
  if (reportPermission) return [{ attemptToken: [] }, { apiKey: [], attemptHeader: [] }]
  const isChange = resource !== undefined && !csrfInBody
  return securityOf[access.kind]({ session: [], ...(isChange && { csrfToken: [] }) })
}

/** Whether a session has to name its organization. */
const namesOrganization = ({ access, params, keysOnly }: RouteFacts): boolean =>
  access.kind === 'permission' && !keysOnly && !params?.properties.organizationIdOrSlug

/** The answers that a route describes itself: their schemas may be those of the routes, and have names. */
const describedAnswers = (schemas: Schemas, responses: Responses): Responses =>
  Object.fromEntries(
    Object.entries(responses).map(([status, { content, ...response }]) => {
      const kinds = Object.entries(content ?? {}).map(([mediaType, { schema, ...more }]) => [
        mediaType,
        { ...(schema && { schema: schemas.describe(schema) }), ...more },
      ])
      return [status, { ...response, ...(content && { content: Object.fromEntries(kinds) }) }]
    }),
  )

/** The successes, with what a route adds to one of them: further media types, another description. */
function merged(described: Responses, added: Responses): Responses {
  const both = Object.entries(described).map(([status, response]): [string, Response] => {
    const { content, ...more } = added[status] ?? {}
    return [status, { ...response, ...more, ...(content && { content: { ...response.content, ...content } }) }]
  })
  return Object.fromEntries(both)
}

const orList = new Intl.ListFormat('en', { type: 'disjunction' })

/** With those that suffice in its place. */
const permissionInWords = (permission: string, others: readonly string[] = []): string =>
  `Permission: ${orList.format([...new Set([permission, ...others])].map((name) => `\`${name}\``))}.`

/** The operation in the API document. */
export function describeOperation(
  shared: Shared,
  route: { method: string; path: string },
  facts: RouteFacts,
  detail: Detail = {},
): Detail {
  const { schemas, parameters, failures } = shared
  const { access, params, query, headers } = facts
  const permission = access.kind === 'permission' ? access.permission : undefined
  const described = [
    ...(detail.description ? [detail.description] : []),
    ...(permission ? [permissionInWords(permission, facts.orPermissions)] : []),
    ...(facts.reportPermission ? [`Permission of an API key: \`${facts.reportPermission}\`.`] : []),
  ]
  const operationId = detail.operationId ?? defaultOperationId(route.method, route.path)
  const example = examples[operationId]
  const body = requestBody(schemas, facts, example?.request)
  const listed = [
    ...parameters.describe('path', params),
    ...parameters.describe('query', query),
    ...parameters.describe('header', headers),
    ...(namesOrganization(facts) ? [parameters.ofOrganization()] : []),
  ]
  // the tags of the plugin come first and are listed last
  const { tags, responses = {}, ...documented } = detail
  const own = describedAnswers(schemas, responses)
  return {
    summary: operationId,
    ...documented,
    ...(tags && { tags }),
    operationId,
    ...(described.length > 0 && { description: described.join('\n\n') }),
    ...(permission && { 'x-permission': permission }),
    ...(facts.orPermissions && { 'x-or-permissions': [...new Set(facts.orPermissions)] }),
    security: security(facts),
    ...(listed.length > 0 && { parameters: listed }),
    ...(body && { requestBody: body }),
    responses: {
      ...failures.describe({ ...facts, method: route.method }),
      ...own,
      ...merged(successes(shared, facts, example), own),
    },
  }
}
