/** One operation of the API document, made from what its route says. Source: contract, first paragraph. */
import type { TObject, TSchema } from '@sinclair/typebox'
import { Kind } from '@sinclair/typebox'
import { jsonBytesMax } from '../http/body.ts'
import type { Access, RouteFacts } from '../http/route.ts'
import { strict } from '../http/strict.ts'
import { isOptional } from '../http/validation.ts'
import { describeFailures } from './failures.ts'
import type { Components } from './schemas.ts'

/** What an area writes by hand: anything here wins over what is made. */
export interface Detail {
  operationId?: string
  summary?: string
  description?: string
  tags?: string[]
  security?: object[]
  hide?: boolean
  responses?: Record<string, object>
  [word: string]: unknown
}

/** `GET /api/v1/agent-runs/:id/cancel` is `getAgentRunsByIdCancel`. */
export function defaultOperationId(method: string, path: string): string {
  const words = path
    .replace(/^\/api(\/v1)?\//, '/')
    .split('/')
    .filter(Boolean)
    .map((part) => (part.startsWith(':') ? `by-${part.slice(1)}` : part))
    .flatMap((part) => part.split(/[^A-Za-z0-9]+/))
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

const isSchema = (value: object): value is TSchema => Kind in value

function parameters(components: Components, where: 'path' | 'query' | 'header', schema: TObject | undefined): object[] {
  if (!schema) return []
  const { properties, required = [] } = strict(schema) as TObject
  return Object.entries(properties).map(([name, property]) => {
    const { description = name, ...rest } = components.describe(property)
    const isRequired = where === 'path' || (required.includes(name) && property.default === undefined)
    return { name, in: where, required: isRequired, description, schema: rest }
  })
}

function requestBody(
  components: Components,
  { body, bodyLimit = jsonBytesMax, consumes }: RouteFacts,
): object | undefined {
  const taken = consumes ?? (body && { 'application/json': { schema: body, bytesMax: bodyLimit } })
  if (!taken) return undefined
  const limits = Object.entries(taken).map(([mediaType, { bytesMax }]) => `${mediaType}: at most ${bytesMax} bytes.`)
  const content = Object.entries(taken).map(([mediaType, { schema }]) => [
    mediaType,
    { schema: components.describe(strict(schema)) },
  ])
  return {
    required: !(body && isOptional(body)),
    description: limits.join(' '),
    content: Object.fromEntries(content),
  }
}

const statusTexts: Record<string, string> = { 200: 'Done.', 201: 'Created.', 202: 'Accepted.', 204: 'Done; no body.' }

function successes(components: Components, response: RouteFacts['response']): Record<string, object> {
  if (!response) return {}
  const byStatus: Record<string, TSchema> = isSchema(response) ? { 200: response } : response
  const described = Object.entries(byStatus).map(([status, schema]) => {
    const isEmpty = status === '204' || ['Undefined', 'Void', 'Null'].includes(schema[Kind])
    return [
      status,
      {
        description: schema.description ?? statusTexts[status] ?? 'The answer.',
        headers: { 'X-Request-Id': { $ref: '#/components/headers/XRequestId' } },
        ...(!isEmpty && { content: { 'application/json': { schema: components.describe(schema) } } }),
      },
    ]
  })
  return Object.fromEntries(described)
}

const securityOf: Record<Access['kind'], object[]> = {
  permission: [{ apiKey: [] }, { session: [] }],
  identity: [{ apiKey: [] }, { session: [] }],
  session: [{ session: [] }],
  public: [],
  registration: [{ runnerToken: [] }],
  attempt: [{ attemptToken: [] }],
}

/** The operation in the document's words. */
export function describeOperation(
  components: Components,
  route: { method: string; path: string },
  facts: RouteFacts,
  detail: Detail = {},
): Detail {
  const { access, params, query, headers, response } = facts
  const permission = access.kind === 'permission' ? access.permission : undefined
  const described = [
    ...(detail.description ? [detail.description] : []),
    ...(permission ? [`Permission: \`${permission}\`.`] : []),
  ]
  const operationId = detail.operationId ?? defaultOperationId(route.method, route.path)
  const body = requestBody(components, facts)
  return {
    summary: operationId,
    ...detail,
    operationId,
    ...(described.length > 0 && { description: described.join('\n\n') }),
    ...(permission && { 'x-permission': permission }),
    security: securityOf[access.kind],
    parameters: [
      ...parameters(components, 'path', params),
      ...parameters(components, 'query', query),
      ...parameters(components, 'header', headers),
    ],
    ...(body && { requestBody: body }),
    responses: { ...successes(components, response), ...describeFailures(facts), ...detail.responses },
  }
}
