/** Operations generated from OpenAPI documents, over HTTP, published and called. Source: contract 11, "import". */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cutDocument, operationsOfDocument } from '../../../sdk/src/define/openapi.ts'
import { data } from '../../support/world/replies.ts'
import { documentOf, largeDocument } from './documents.ts'
import { type ImportWorld, openImports } from './world.ts'

let world: ImportWorld
beforeAll(async () => {
  world = await openImports()
})
afterAll(() => world?.stop())

test('forty operations of a large document are imported and published, and send the requests of the document', async () => {
  const { document, calls } = largeDocument()
  const { source, skipped, suggestedConnection } = await world.imported(document)
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
  const { source } = await world.imported(largeDocument().document, {
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
  const { skipped } = await world.imported(largeDocument().document, { operations: ['orders/list', 'nothing'] })
  expect(skipped).toEqual([{ name: 'nothing', reason: 'There is no such operation in the document.' }])
})

test('a path with an external reference is reported, unless only others are requested', async () => {
  const get = { operationId: 'here', responses: {} }
  const paths = { '/out': { $ref: 'https://example.com/paths.json' }, '/none': { $ref: '#/x' }, '/here': { get } }
  const openapi = { openapi: '3.1.0', info: {}, paths }
  const { source, skipped } = await world.imported(openapi)
  expect(source.operations.map(({ name }) => name)).toEqual(['here'])
  expect(skipped).toEqual([
    {
      name: '/out',
      reason:
        'Refers to https://example.com/paths.json, which is outside the document: bundle it into one document first.',
    },
    { name: '/none', reason: 'Refers to #/x, which is not in the document.' },
  ])
  expect((await world.imported(openapi, { operations: ['here'] })).skipped).toEqual([])
})

test('an operation in another file, as in documents that are not bundled, is not imported as one without input', async () => {
  const own = { description: 'Makes one.', requestBody: { content: { 'application/json': { schema: {} } } } }
  const paths = { '/keys': { get: { $ref: 'keys/list.yml' }, post: { $ref: '#/x-operations/make' } } }
  const openapi = { openapi: '3.0.0', info: {}, paths, 'x-operations': { make: own } }
  const reason = 'Refers to keys/list.yml, which is outside the document: bundle it into one document first.'
  const { source, skipped } = await world.imported(openapi)
  expect(source.operations).toMatchObject([
    { name: 'post_keys', description: 'Makes one.', handler: { body: '{{input.body}}' } },
  ])
  expect(skipped).toEqual([{ name: 'get/keys', reason }])
  const { skipped: chosen } = await world.imported(cutDocument(openapi, ['get/keys']), { operations: ['get/keys'] })
  expect(chosen).toEqual([{ name: 'get/keys', reason }])
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
  expect(await world.imported(part, { operations: ids })).toEqual(await world.imported(document, { operations: ids }))
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
  await world.imported(largeDocument().document)
  expect((await data(world.owner.get(world.path))).latestRevisionId).toBeNull()
})

test.each<[string, object, string]>([
  ['a required cookie', documentOf({ parameters: [{ name: 'c', in: 'cookie', required: true }] }), 'cookie'],
  ['another server', documentOf({ servers: [{ url: 'https://other.example.com' }] }), 'server of its own'],
  ['an unsupported method', documentOf({}, { method: 'trace' }), 'TRACE'],
  ['a path without its parameter', documentOf({}, { path: '/a/{b}' }), 'no parameter'],
  ['a path with ..', documentOf({}, { path: '/../admin' }), 'segments'],
  ['a path without its first slash', documentOf({}, { path: 'orders' }), 'begin with /'],
  ['a GET with a required body', documentOf({ requestBody: { required: true } }, { method: 'get' }), 'with GET'],
  ['parameters that are not a list', documentOf({ parameters: {} }), 'not a list'],
])('%s is skipped with a reason', async (_, document, expected) => {
  expect(await world.reason(document)).toContain(expected)
})

test('an API key in the query becomes a variable', async () => {
  const operation = await world.only(
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
  const { source, skipped } = await world.imported({ openapi: '3.1.0', paths })
  expect(new Set(source.operations.map(({ name }) => name)).size).toBe(100)
  expect(skipped).toHaveLength(30)
  const { status } = await world.owner.post(`${world.path}/revisions`, { source })
  expect(status).toBe(201)
})

test('only those that can be published count towards the hundred', async () => {
  const deep = (levels: number): object => (levels === 0 ? {} : { type: 'array', items: deep(levels - 1) })
  const body = (schema: object) => ({ requestBody: { content: { 'application/json': { schema } } } })
  const faulty: Record<string, object> = {
    // only found once the operation is whole
    name: { parameters: [{ name: 'bad header', in: 'header', schema: { type: 'string' } }] },
    // only found once its schema is made
    reference: body({ type: 'object', properties: { a: { $ref: '#/components/schemas/None' } } }),
  }
  const good = (count: number, from: number) =>
    Array.from({ length: count }, (_, index) => [
      `/a${from + index}`,
      { post: { operationId: `a${from + index}`, ...body(deep(1)) } },
    ])
  const bad = Object.entries(faulty).map(([id, operation]) => [`/${id}`, { post: { operationId: id, ...operation } }])
  const paths = Object.fromEntries([...good(50, 0), ...bad, ...good(55, 50)])
  const { source, skipped } = await world.imported({ openapi: '3.1.0', paths })
  expect(source.operations.map(({ name }) => name)).toEqual(Array.from({ length: 100 }, (_, index) => `a${index}`))
  expect(skipped.map(({ name }) => name)).toEqual(['name', 'reference', 'a100', 'a101', 'a102', 'a103', 'a104'])
  expect(skipped.at(-1)?.reason).toContain('at most 100 operations')
  expect((await world.owner.post(`${world.path}/revisions`, { source })).status).toBe(201)
})

test('a document whose operations cannot be published is given up at some point, with the reason', async () => {
  const operation = { requestBody: { content: { 'application/json': { schema: { $ref: '#/none' } } } } }
  const paths = Object.fromEntries(
    Array.from({ length: 600 }, (_, index) => [`/a${index}`, { post: { operationId: `a${index}`, ...operation } }]),
  )
  const { source, skipped } = await world.imported({ openapi: '3.1.0', paths })
  expect([source.operations, skipped.length]).toEqual([[], 600])
  expect(skipped[499]?.reason).toContain('not in the document')
  expect(skipped[500]?.reason).toContain('tries 500 operations')
})

describe('rejected is', () => {
  test.each<[string, object, string]>([
    ['Swagger 2.0', { swagger: '2.0', paths: {} }, '/body/openapi/openapi'],
    ['a document without paths', { openapi: '3.1.0' }, '/body/openapi/paths'],
  ])('%s', async (_, openapi, at) => {
    const { status, body } = await world.post({ openapi })
    expect([status, body.error.code, body.error.details.issues[0].path]).toEqual([422, 'validation_failed', at])
  })

  test('a document of more than 15 MiB', async () => {
    const { status } = await world.post({
      openapi: { openapi: '3.1.0', paths: {}, 'x-long': 'x'.repeat(15 * 1024 * 1024) },
    })
    expect(status).toBe(413)
  })

  test('a Definition of another kind', async () => {
    const { status } = await world.post(
      { openapi: { openapi: '3.1.0', paths: {} } },
      world.owner,
      await world.definition('workflow'),
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
  const { source, skipped } = await world.imported({ openapi: '3.1.0', paths })
  expect([source.operations.length, skipped.length, skipped.at(-1)?.reason]).toEqual([
    100,
    1_001,
    '7,900 more were skipped.',
  ])
})
