/** Operations generated from OpenAPI documents, over HTTP, published and called. Source: contract 11, "import". */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cutDocument, operationsOfDocument } from '../../../sdk/src/define/openapi.ts'
import type { Client } from '../../support/client.ts'
import { data } from '../../support/world/replies.ts'
import { type Operations, openOperations } from '../operations/world.ts'
import { documentOf, largeDocument } from './documents.ts'

type Schema = { properties: Record<string, Schema>; $defs: Record<string, Schema> }
type Imported = {
  source: {
    operations: {
      name: string
      effect: string
      idempotent: boolean
      inputSchema: Schema
      handler: { query?: object }
    }[]
  }
  skipped: { name: string; reason: string }[]
  suggestedConnection: object
}

let world: Operations
let path: string
let count = 0
beforeAll(async () => {
  world = await openOperations()
  path = await definition()
})
afterAll(() => world?.stop())

/** Creates a Definition and returns its path. */
async function definition(kind = 'operations') {
  const { project } = await world.place()
  count += 1
  const { id } = await data(world.owner.post(`${project}/definitions`, { name: `imported-${count}`, kind }))
  return `${project}/definitions/${id}`
}
const post = (body: object, client: Client = world.owner, at = path) =>
  client.post(`${at}/import`, { connection: 'shop', ...body })
const imported = (openapi: object, more: object = {}) => data<Imported>(post({ openapi, ...more }))
const only = async (openapi: object) => {
  const { source, skipped } = await imported(openapi)
  expect(skipped).toEqual([])
  return source.operations[0]!
}
/** The reason why the only operation of the document is skipped. */
const reason = async (openapi: object) => {
  const { source, skipped } = await imported(openapi)
  expect([source.operations, skipped.length]).toEqual([[], 1])
  return skipped[0]!.reason
}
const query = (parameter: object) => documentOf({ parameters: [{ name: 'x', in: 'query', ...parameter }] })

test('forty operations of a large document are imported and published, and send the requests of the document', async () => {
  const { document, calls } = largeDocument()
  const { source, skipped, suggestedConnection } = await imported(document)
  expect(skipped).toEqual([])
  expect(source.operations).toHaveLength(40)
  expect(suggestedConnection).toEqual({
    baseUrl: 'https://eu.shop.example.com/v1',
    auth: 'header',
    headerName: 'X-Shop-Key',
  })
  const served = await world.serving(source.operations)
  const heard: unknown[] = []
  for (const { operation, input } of calls) {
    const { body } = await served.invoke(`shop.${operation}`, { input })
    expect([operation, body.data?.state ?? body.error]).toEqual([operation, 'succeeded'])
    const { method, path: asked, text } = world.shop.asked.at(-1)!
    heard.push({ operation, method, path: asked, body: text === '' ? undefined : JSON.parse(text) })
  }
  expect(heard).toEqual(calls.map(({ input: _, body, ...call }) => ({ ...call, path: `/v1${call.path}`, body })))
  const wrong = await served.invoke('shop.orders_create', { input: { body: { label: 'x', price: { amount: 0 } } } })
  expect(wrong.status).toBe(422)
})

test('safe methods have the effect read, and idempotent methods are idempotent', async () => {
  const { source } = await imported(largeDocument().document, {
    operations: ['orders/list', 'orders/create', 'orders/update', 'orders_delete', 'nothing'],
  })
  expect(source.operations.map(({ name, effect, idempotent }) => [name, effect, idempotent])).toEqual([
    ['orders_list', 'read', true],
    ['orders_create', 'write', false],
    ['orders_delete', 'write', true],
    ['orders_update', 'write', false],
  ])
})

test('requested operations that are missing are reported', async () => {
  const { skipped } = await imported(largeDocument().document, { operations: ['orders/list', 'nothing'] })
  expect(skipped).toEqual([{ name: 'nothing', reason: 'There is no such operation in the document.' }])
})

test('a path with an external reference is reported, unless only others are requested', async () => {
  const get = { operationId: 'here', responses: {} }
  const paths = { '/out': { $ref: 'https://example.com/paths.json' }, '/none': { $ref: '#/x' }, '/here': { get } }
  const openapi = { openapi: '3.1.0', info: {}, paths }
  const { source, skipped } = await imported(openapi)
  expect(source.operations.map(({ name }) => name)).toEqual(['here'])
  expect(skipped).toEqual([
    {
      name: '/out',
      reason:
        'Refers to https://example.com/paths.json, which is outside the document: bundle it into one document first.',
    },
    { name: '/none', reason: 'Refers to #/x, which is not in the document.' },
  ])
  expect((await imported(openapi, { operations: ['here'] })).skipped).toEqual([])
})

test('the subset of a document that some operations need imports like the whole document', async () => {
  const { document } = largeDocument()
  const before = JSON.stringify(document)
  const ids = operationsOfDocument(document)
    .map(({ id }) => id)
    .filter((_, index) => index % 3 === 0)
  const part = cutDocument(document, ids)
  expect(JSON.stringify(part).length).toBeLessThan(before.length / 2)
  expect(JSON.stringify(document)).toBe(before)
  expect(await imported(part, { operations: ids })).toEqual(await imported(document, { operations: ids }))
})

test('the subset contains everything that is referred to, also in cycles and inside other paths', () => {
  const body = (schema: object) => ({ requestBody: { content: { 'application/json': { schema } } } })
  const ref = (to: string) => ({ $ref: `#/${to}` })
  const paths = {
    '/a/{b}': {
      parameters: [ref('components/parameters/b')],
      post: { operationId: 'a', ...body(ref('components/schemas/Tree')), responses: { 200: ref('components/x') } },
      get: { responses: {} },
    },
    '/c': { put: { operationId: 'c', ...body({ type: 'array', items: [{ type: 'string' }] }) } },
    '/d': { put: { ...body(ref('paths/~1c/put/requestBody/content/application~1json/schema/items/0')) } },
  }
  const schemas = { Tree: { properties: { child: ref('components/schemas/Tree') } }, Other: {} }
  const parameters = { b: { name: 'b', in: 'path', schema: ref('nowhere') } }
  const document = { openapi: '3.1.0', paths, components: { schemas, parameters }, 'x-more': 1 }
  expect(operationsOfDocument(document).map(({ id }) => id)).toEqual(['get/a/{b}', 'a', 'c', 'put/d'])
  expect(cutDocument(document, ['a', 'put/d'])).toEqual({
    openapi: '3.1.0',
    paths: {
      '/a/{b}': {
        parameters: [ref('components/parameters/b')],
        post: { operationId: 'a', ...body(ref('components/schemas/Tree')) },
      },
      '/c': { put: { requestBody: { content: { 'application/json': { schema: { items: [{ type: 'string' }] } } } } } },
      '/d': paths['/d'],
    },
    components: { parameters, schemas: { Tree: schemas.Tree } },
  })
  for (const none of [null, [], {}, { paths: [] }, { paths: { '/a': null } }]) {
    expect(operationsOfDocument(none)).toEqual([])
  }
})

test('nothing is stored', async () => {
  await imported(largeDocument().document)
  expect((await data(world.owner.get(path))).latestRevisionId).toBeNull()
})

describe('parameters', () => {
  test.each<[string, object, unknown, string]>([
    ['a list repeats', { schema: { type: 'array' } }, ['a', 'b'], 'x=a&x=b'],
    ['a list as one value', { schema: { type: 'array' }, explode: false }, ['a', 'b'], 'x=a%2Cb'],
    ['spaceDelimited', { schema: { type: 'array' }, style: 'spaceDelimited', explode: false }, ['a', 'b'], 'x=a%20b'],
    ['pipeDelimited', { schema: { type: 'array' }, style: 'pipeDelimited' }, ['a', 'b'], 'x=a%7Cb'],
    ['an object by its fields', { schema: { type: 'object' } }, { a: 1, b: 'c' }, 'a=1&b=c'],
    ['an object as one value', { schema: { type: 'object' }, explode: false }, { a: 1, b: 'c' }, 'x=a%2C1%2Cb%2Cc'],
    [
      'deepObject',
      { schema: { type: 'object' }, style: 'deepObject' },
      { a: { b: [1, 2] } },
      'x%5Ba%5D%5Bb%5D%5B%5D=1&x%5Ba%5D%5Bb%5D%5B%5D=2',
    ],
    ['JSON', { content: { 'application/json': { schema: { type: 'array' } } } }, [1, 'a'], 'x=%5B1%2C%22a%22%5D'],
    ['a missing optional one', { schema: { type: 'string' } }, undefined, ''],
  ])('in the query: %s', async (_, parameter, value, expected) => {
    const served = await world.serving([await only(query(parameter))])
    const { body } = await served.invoke('shop.do', { input: value === undefined ? {} : { x: value } })
    expect(body.data.state).toBe('succeeded')
    expect(world.shop.asked.at(-1)!.path).toBe(`/v1/things${expected && `?${expected}`}`)
  })

  test.each<[string, object, unknown, string]>([
    ['simple', { schema: { type: 'array' } }, ['a', 'b/c'], 'a,b%2Fc'],
    ['simple object', { schema: { type: 'object' }, explode: true }, { a: 1, b: 2 }, 'a=1,b=2'],
    ['label', { style: 'label', schema: { type: 'array' }, explode: true }, ['a', 'b'], '.a.b'],
    ['matrix', { style: 'matrix', schema: { type: 'array' } }, ['a', 'b'], ';x.y=a,b'],
    ['matrix, exploded', { style: 'matrix', explode: true, schema: { type: 'object' } }, { a: 1, b: 2 }, ';a=1;b=2'],
    ['matrix style of a text', { style: 'matrix', schema: { type: 'string' } }, 'a', ';x.y=a'],
  ])('in the path: %s', async (_, parameter, value, expected) => {
    const document = documentOf(
      { parameters: [{ name: 'x.y', in: 'path', required: true, ...parameter }] },
      { path: '/things/{x.y}/end' },
    )
    const served = await world.serving([await only(document)])
    const { body } = await served.invoke('shop.do', { input: { x_y: value } })
    expect([body.data.state, world.shop.asked.at(-1)!.path]).toEqual(['succeeded', `/v1/things/${expected}/end`])
  })

  test('in headers, except those that the document leaves to others', async () => {
    const operation = await only(
      documentOf({
        parameters: [
          { name: 'X-Ids', in: 'header', schema: { type: 'array' } },
          { name: 'Accept', in: 'header', required: true, schema: { type: 'string' } },
          { name: 'session', in: 'cookie', schema: { type: 'string' } },
        ],
      }),
    )
    expect(Object.keys(operation.inputSchema.properties)).toEqual(['X-Ids'])
    const served = await world.serving([operation])
    await served.invoke('shop.do', { input: { 'X-Ids': ['a', 'b'] } })
    expect(world.shop.asked.at(-1)!.headers['x-ids']).toBe('a,b')
  })

  test('colliding names are made unique', async () => {
    const operation = await only(
      documentOf({
        parameters: [
          { name: 'a.b', in: 'query', schema: { type: 'string' } },
          { name: 'a b', in: 'query', schema: { type: 'string' } },
        ],
      }),
    )
    expect(operation.handler.query).toEqual({ 'a.b': '{{input.a_b}}', 'a b': '{{input.a_b_2}}' })
  })
})

describe('bodies', () => {
  const body = (content: object, required = true) =>
    documentOf({ requestBody: { required, content } }, { method: 'post' })
  const sent = async (document: object, input: object) => {
    const served = await world.serving([await only(document)])
    expect((await served.invoke('shop.do', { input })).body.data.state).toBe('succeeded')
    const { headers, text } = world.shop.asked.at(-1)!
    return [headers['content-type'], text]
  }

  test('a form with lists and objects in the notation of Stripe', async () => {
    const document = body({
      'application/x-www-form-urlencoded': {
        schema: {
          type: 'object',
          properties: { expand: { type: 'array' }, address: { type: 'object' }, name: { type: 'string' } },
        },
        encoding: { expand: { style: 'deepObject', explode: true }, address: { style: 'deepObject', explode: true } },
      },
    })
    expect(await sent(document, { body: { expand: ['a', 'b'], address: { city: 'Ulm' } } })).toEqual([
      'application/x-www-form-urlencoded',
      'expand%5B%5D=a&expand%5B%5D=b&address%5Bcity%5D=Ulm',
    ])
  })

  test('a text, and JSON with a vendor type', async () => {
    expect(await sent(body({ 'text/plain': { schema: { type: 'string' } } }), { body: 'Hello' })).toEqual([
      'text/plain',
      'Hello',
    ])
    const patch = 'application/merge-patch+json'
    expect(await sent(body({ [patch]: { schema: { type: 'object' } } }), { body: { a: null } })).toEqual([
      patch,
      '{"a":null}',
    ])
  })

  test.each([true, false])('a body of files skips the operation, required: %p', async (required) => {
    const files = { 'multipart/form-data': { schema: { type: 'object' } } }
    expect(await reason(body(files, required))).toContain('multipart/form-data')
    const { inputSchema } = await only(body({ ...files, 'application/json': { schema: {} } }, required))
    expect(Object.keys(inputSchema.properties as object)).toEqual(['body'])
  })

  test('an optional body without any type is omitted', async () => {
    expect((await only(body({}, false))).inputSchema.properties).toEqual({})
  })
})

describe('schemas', () => {
  const ofBody = (schema: object, schemas: object, openapi = '3.1.0') => ({
    ...documentOf(
      { requestBody: { content: { 'application/json': { schema } } } },
      { method: 'post', components: { schemas } },
    ),
    openapi,
  })

  test('circular references stay circular', async () => {
    const node = {
      type: 'object',
      properties: { next: { $ref: '#/components/schemas/Node' } },
      additionalProperties: false,
    }
    const { inputSchema } = await only(ofBody({ $ref: '#/components/schemas/Node' }, { Node: node }))
    expect<unknown>(inputSchema.properties.body).toEqual({ $ref: '#/$defs/Node' })
    expect<unknown>(inputSchema.$defs.Node!.properties.next).toEqual({ $ref: '#/$defs/Node' })
  })

  test('a schema too large to check is reduced to an outline', async () => {
    const tree = {
      type: 'object',
      allOf: [1, 2].map(() => ({ properties: { all: { items: { $ref: '#/components/schemas/Tree' } } } })),
    }
    const { inputSchema } = await only(ofBody({ $ref: '#/components/schemas/Tree' }, { Tree: tree }))
    expect(JSON.stringify(inputSchema)).not.toContain('$ref')
  })

  test('OpenAPI 3.0 schemas keep their meaning', async () => {
    const schema = { type: 'string', nullable: true, example: 'x' }
    const { inputSchema } = await only(ofBody({ type: 'object', properties: { nullable: schema } }, {}, '3.0.1'))
    expect<unknown>(inputSchema.properties.body!.properties).toEqual({ nullable: { type: ['string', 'null'] } })
  })

  test('patterns with look-around are omitted', async () => {
    expect<unknown>(
      (await only(query({ schema: { type: 'string', pattern: '^(?!a)b$' } }))).inputSchema.properties.x,
    ).toEqual({
      type: 'string',
    })
  })

  test.each<[string, object, string]>([
    ['another document', query({ $ref: 'https://example.com/all.json#/x' }), 'outside the document'],
    ['nothing', query({ $ref: '#/components/parameters/none' }), 'not in the document'],
    ['itself', documentOf({ parameters: [{ $ref: '#/a' }] }, { a: { $ref: '#/a' } }), 'circle'],
  ])('a reference to %s skips the operation', async (_, document, expected) => {
    expect(await reason(document)).toContain(expected)
  })
})

test.each<[string, object, string]>([
  ['a required cookie', documentOf({ parameters: [{ name: 'c', in: 'cookie', required: true }] }), 'cookie'],
  ['another server', documentOf({ servers: [{ url: 'https://other.example.com' }] }), 'server of its own'],
  ['an unsupported method', documentOf({}, { method: 'trace' }), 'TRACE'],
  ['a path without its parameter', documentOf({}, { path: '/a/{b}' }), 'no parameter'],
  ['a path with ..', documentOf({}, { path: '/../admin' }), 'segments'],
  ['parameters that are not a list', documentOf({ parameters: {} }), 'not a list'],
])('%s is skipped with a reason', async (_, document, expected) => {
  expect(await reason(document)).toContain(expected)
})

test('an API key in the query becomes a variable', async () => {
  const operation = await only(
    documentOf(
      {},
      {
        security: [{ apiKey: [] }],
        components: { securitySchemes: { apiKey: { type: 'apiKey', in: 'query', name: 'key' } } },
      },
    ),
  )
  expect(operation.handler.query).toEqual({ key: '{{variables.API_KEY}}' })
})

test('of more than a hundred operations the first hundred are imported, and names are unique', async () => {
  const paths = Object.fromEntries(
    Array.from({ length: 130 }, (_, index) => [`/a${index}`, { get: { operationId: 'same' } }]),
  )
  const { source, skipped } = await imported({ openapi: '3.1.0', paths })
  expect(new Set(source.operations.map(({ name }) => name)).size).toBe(100)
  expect(skipped).toHaveLength(30)
  const { status } = await world.owner.post(`${path}/revisions`, { source })
  expect(status).toBe(201)
})

describe('rejected is', () => {
  test.each<[string, object, string]>([
    ['Swagger 2.0', { swagger: '2.0', paths: {} }, '/body/openapi/openapi'],
    ['a document without paths', { openapi: '3.1.0' }, '/body/openapi/paths'],
  ])('%s', async (_, openapi, at) => {
    const { status, body } = await post({ openapi })
    expect([status, body.error.code, body.error.details.issues[0].path]).toEqual([422, 'validation_failed', at])
  })

  test('a document of more than 15 MiB', async () => {
    const { status } = await post({ openapi: { openapi: '3.1.0', paths: {}, 'x-long': 'x'.repeat(15 * 1024 * 1024) } })
    expect(status).toBe(413)
  })

  test('a Definition of another kind', async () => {
    const { status } = await post(
      { openapi: { openapi: '3.1.0', paths: {} } },
      world.owner,
      await definition('workflow'),
    )
    expect(status).toBe(422)
  })
})

test('a document of 9 MiB is imported', async () => {
  const paths = Object.fromEntries(
    Array.from({ length: 9_000 }, (_, index) => [
      `/a${index}`,
      { get: { operationId: `o${index}`, description: 'x'.repeat(950) } },
    ]),
  )
  const { source, skipped } = await imported({ openapi: '3.1.0', paths })
  expect([source.operations.length, skipped.length, skipped.at(-1)?.reason]).toEqual([
    100,
    1_001,
    '7,900 more were skipped.',
  ])
})
