/** A document like those of large services: kinds of resources with the same five operations, and shared schemas. */

const kinds = ['customer', 'order', 'invoice', 'product', 'refund', 'shipment', 'warehouse', 'voucher'] as const
const json = (schema: object) => ({ content: { 'application/json': { schema } } })
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const answers = { 200: { description: 'Good.' } }

/** A call with this input, and the request that the service must receive. */
interface Expected {
  operation: string
  input: object
  method: string
  path: string
  body?: unknown
}

/** Forty operations of OpenAPI 3.0, with calls of each. */
export function largeDocument() {
  const paths: Record<string, object> = {}
  const schemas: Record<string, object> = {
    Category: {
      type: 'object',
      properties: { name: { type: 'string' }, parent: ref('Category') },
    },
    Money: {
      type: 'object',
      properties: { amount: { type: 'integer', minimum: 0, exclusiveMinimum: true }, currency: { type: 'string' } },
      required: ['amount'],
    },
  }
  const calls: Expected[] = []
  for (const kind of kinds) {
    schemas[kind] = {
      allOf: [
        {
          type: 'object',
          required: ['id', 'label'],
          properties: {
            id: { type: 'string', readOnly: true },
            label: { type: 'string', nullable: true },
            price: ref('Money'),
            category: ref('Category'),
          },
        },
      ],
    }
    paths[`/${kind}s`] = {
      get: {
        operationId: `${kind}s/list`,
        summary: `List ${kind}s`,
        parameters: [
          { $ref: '#/components/parameters/limit' },
          { name: 'tag', in: 'query', schema: { type: 'array' } },
        ],
        responses: answers,
      },
      post: { operationId: `${kind}s/create`, requestBody: { required: true, ...json(ref(kind)) }, responses: answers },
    }
    paths[`/${kind}s/{id}`] = {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      get: { operationId: `${kind}s/get`, responses: answers },
      patch: { operationId: `${kind}s/update`, requestBody: json(ref(kind)), responses: answers },
      delete: { operationId: `${kind}s/delete`, responses: { 204: { description: 'Gone.' } } },
    }
    const thing = { label: null, price: { amount: 5 }, category: { name: 'a', parent: { name: 'b' } } }
    const at = (operation: string) => `${kind}s_${operation}`
    calls.push(
      { operation: at('list'), input: { tag: ['a', 'b c'] }, method: 'GET', path: `/${kind}s?tag=a&tag=b%20c` },
      { operation: at('create'), input: { body: thing }, method: 'POST', path: `/${kind}s`, body: thing },
      { operation: at('get'), input: { id: 'a/b' }, method: 'GET', path: `/${kind}s/a%2Fb` },
      {
        operation: at('update'),
        input: { id: '7', body: { label: 'x' } },
        method: 'PATCH',
        path: `/${kind}s/7`,
        body: { label: 'x' },
      },
      { operation: at('delete'), input: { id: '7' }, method: 'DELETE', path: `/${kind}s/7` },
    )
  }
  const document = {
    openapi: '3.0.3',
    info: { title: 'Shop', version: '1' },
    servers: [{ url: 'https://{region}.shop.example.com/v1', variables: { region: { default: 'eu' } } }],
    security: [{ token: [] }],
    paths,
    components: {
      schemas,
      parameters: { limit: { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } } },
      securitySchemes: { token: { type: 'apiKey', in: 'header', name: 'X-Shop-Key' } },
    },
  }
  return { document, calls }
}

/** A document of OpenAPI 3.1 with one operation. */
export const documentOf = (
  operation: object,
  { path = '/things', method = 'get', ...rest }: Record<string, unknown> = {},
) => ({
  openapi: '3.1.0',
  info: { title: 'Things', version: '1' },
  paths: { [path as string]: { [method as string]: { operationId: 'do', ...operation } } },
  ...rest,
})
