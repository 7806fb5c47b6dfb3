/** The API document as the generator reads it, and the facts that it derives for each operation. */

/** A JSON Schema of the document. */
interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  items?: Schema
  properties?: Record<string, Schema>
}

interface Content {
  schema: Schema
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: Schema
}

interface OperationObject {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  parameters?: (Parameter | { $ref: string })[]
  requestBody?: { required?: boolean; content: Record<string, Content> }
  responses: Record<string, { content?: Record<string, Content> }>
}

export interface ApiDocument {
  openapi: string
  info: object
  paths: Record<string, Record<string, OperationObject>>
  webhooks: Record<string, { post: OperationObject }>
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> }
}

/**
 * The content of an answer: a single value in `data`, a list, the body itself, nothing, server-sent events, text, or a
 * raw stream.
 */
export type Answer =
  | { kind: 'data' | 'body'; type: string }
  | { kind: 'list'; type: string; pagination: string | undefined; items: string | undefined }
  | { kind: 'nothing' | 'events' | 'text' | 'response' }

/** One operation, ready to become a method. */
export interface Operation {
  id: string
  chapter: string
  summary: string
  description: string
  method: string
  path: string
  parameters: Parameter[]
  /** Whether it takes an Idempotency-Key. */
  keyed: boolean
  /** The name of the body's schema. */
  body: { type: string; required: boolean } | undefined
  answer: Answer
}

const nameIn = (reference: string) => reference.slice(reference.lastIndexOf('/') + 1)

/** The type for a parameter's schema: a name, a scalar, a choice, or a list of these. Throws for any other schema. */
export function parameterType(schema: Schema): string {
  if (schema.$ref) return nameIn(schema.$ref)
  if (schema.enum) return schema.enum.map((value) => `'${value}'`).join(' | ')
  if (schema.type === 'array' && schema.items) return `(${parameterType(schema.items)})[]`
  if (schema.type === 'integer' || schema.type === 'number') return 'number'
  if (schema.type === 'string' || schema.type === 'boolean') return schema.type
  throw new Error(`No type for the parameter ${JSON.stringify(schema)}`)
}

/** The type of a schema: its name, or a member of a named schema. */
function typeAt(schema: Schema, path: string): string {
  return schema.$ref ? nameIn(schema.$ref) : path
}

function answerOf(document: ApiDocument, responses: OperationObject['responses']): Answer {
  const [status, response] = Object.entries(responses).find(([code]) => code < '400') ?? []
  const content = response?.content ?? {}
  if (status?.startsWith('3')) return { kind: 'response' }
  if (content['text/event-stream'] && !content['application/json']) return { kind: 'events' }
  if (content['text/plain']) return { kind: 'text' }
  const schema = content['application/json']?.schema
  if (!schema) return { kind: Object.keys(content).length > 0 ? 'response' : 'nothing' }
  if (!schema.$ref) return { kind: 'body', type: 'Record<string, unknown>' }
  const name = nameIn(schema.$ref)
  const properties = document.components.schemas[name]?.properties ?? {}
  const { data, pagination } = properties
  const dataSchema = data?.$ref ? document.components.schemas[nameIn(data.$ref)] : data
  const list = dataSchema?.properties?.items
  const pages = pagination && typeAt(pagination, `${name}['pagination']`)
  if (list?.items) {
    return {
      kind: 'list',
      type: typeAt(list.items, `${name}['data']['items'][number]`),
      pagination: pages,
      items: undefined,
    }
  }
  if (data) return { kind: 'data', type: typeAt(data, `${name}['data']`) }
  const [items, ownList] = Object.entries(properties).find(([, { type }]) => type === 'array') ?? []
  if (pages && items && ownList?.items) {
    return { kind: 'list', type: typeAt(ownList.items, `${name}['${items}'][number]`), pagination: pages, items }
  }
  return { kind: 'body', type: name }
}

/** Every operation of the document except `HEAD`, which is `GET` without a body. */
export function operationsOf(document: ApiDocument): Operation[] {
  const resolve = (parameter: Parameter | { $ref: string }) =>
    '$ref' in parameter ? (document.components.parameters[nameIn(parameter.$ref)] as Parameter) : parameter
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== 'head')
      .map(([method, { operationId, summary, description = '', tags, parameters = [], requestBody, responses }]) => {
        const all = parameters.map(resolve)
        const body = requestBody?.content['application/json']?.schema.$ref
        return {
          id: operationId,
          chapter: tags[0] as string,
          summary,
          description,
          method: method.toUpperCase(),
          path,
          parameters: all.filter((parameter) => parameter.in !== 'header'),
          keyed: all.some(({ name }) => name === 'Idempotency-Key'),
          body: body ? { type: nameIn(body), required: requestBody?.required === true } : undefined,
          answer: answerOf(document, responses),
        }
      }),
  )
}

/** The names of the events that webhooks deliver. */
export const eventTypesOf = (document: ApiDocument): string[] =>
  Object.values(document.webhooks).map(({ post }) =>
    nameIn(post.requestBody?.content['application/json']?.schema.$ref ?? ''),
  )
