/** Operations that are imported from OpenAPI documents: their parameters, bodies and schemas. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { documentOf } from './documents.ts'
import { type ImportWorld, openImports } from './world.ts'

let world: ImportWorld
beforeAll(async () => {
  world = await openImports()
})
afterAll(() => world?.stop())

const query = (parameter: object) => documentOf({ parameters: [{ name: 'x', in: 'query', ...parameter }] })

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
    const served = await world.serving([await world.only(query(parameter))])
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
    const served = await world.serving([await world.only(document)])
    const { body } = await served.invoke('shop.do', { input: { x_y: value } })
    expect([body.data.state, world.shop.asked.at(-1)!.path]).toEqual(['succeeded', `/v1/things/${expected}/end`])
  })

  test('in headers, except those that the document leaves to others', async () => {
    const operation = await world.only(
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

  test.each([
    ['query', '?__proto__=a'],
    ['header', ''],
  ])('a parameter named __proto__ in a %s is sent', async (place, search) => {
    const schema = { type: 'string' }
    const operation = await world.only(
      documentOf({ parameters: [{ name: '__proto__', in: place, required: true, schema }] }),
    )
    const served = await world.serving([operation])
    expect((await served.invoke('shop.do', { input: { proto: 'a' } })).body.data.state).toBe('succeeded')
    const { path, headers } = world.shop.asked.at(-1)!
    expect(path).toBe(`/v1/things${search}`)
    if (place === 'header') expect(Object.entries(headers)).toContainEqual(['__proto__', 'a'])
  })

  test('colliding names are made unique', async () => {
    const operation = await world.only(
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
    const served = await world.serving([await world.only(document)])
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

  test('JSON is preferred to a JSON Patch that the document lists first', async () => {
    const patch = { 'application/json-patch+json': { schema: { type: 'array' } } }
    const document = body({ ...patch, 'application/json': { schema: { type: 'object' } } })
    expect(await sent(document, { body: { a: 1 } })).toEqual(['application/json', '{"a":1}'])
    const utf8 = 'application/json; charset=utf-8'
    expect(await sent(body({ ...patch, [utf8]: { schema: { type: 'object' } } }), { body: {} })).toEqual([utf8, '{}'])
  })

  test.each([true, false])('a body of files skips the operation, required: %p', async (required) => {
    const files = { 'multipart/form-data': { schema: { type: 'object' } } }
    expect(await world.reason(body(files, required))).toContain('multipart/form-data')
    const { inputSchema } = await world.only(body({ ...files, 'application/json': { schema: {} } }, required))
    expect(Object.keys(inputSchema.properties as object)).toEqual(['body'])
  })

  test('an optional body without any type is omitted', async () => {
    expect((await world.only(body({}, false))).inputSchema.properties).toEqual({})
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
    const { inputSchema } = await world.only(ofBody({ $ref: '#/components/schemas/Node' }, { Node: node }))
    expect<unknown>(inputSchema.properties.body).toEqual({ $ref: '#/$defs/Node' })
    expect<unknown>(inputSchema.$defs.Node!.properties.next).toEqual({ $ref: '#/$defs/Node' })
  })

  test('what stands beside a reference holds in OpenAPI 3.1, and is ignored in 3.0', async () => {
    const beside = { description: 'The short one.', minLength: 1, readOnly: false }
    const pet = { properties: { name: { $ref: '#/components/schemas/Name', ...beside } } }
    const of = async (openapi: string) =>
      (await world.only(ofBody(pet, { Name: { type: 'string', maxLength: 9 } }, openapi))).inputSchema
    const now = await of('3.1.0')
    expect<unknown>(now.$defs.Name).toEqual({ type: 'string', maxLength: 9 })
    expect<unknown>(now.properties.body!.properties.name).toEqual({
      $ref: '#/$defs/Name',
      description: 'The short one.',
      minLength: 1,
    })
    expect<unknown>((await of('3.0.3')).properties.body!.properties.name).toEqual({ $ref: '#/$defs/Name' })
  })

  test('a parameter and its schema by reference have the description that stands beside it', async () => {
    const size = { name: 'size', in: 'query', schema: { $ref: '#/components/schemas/Size' } }
    const document = (parameter: object, openapi: string) => ({
      ...documentOf(
        { parameters: [parameter] },
        {
          components: {
            schemas: { Size: { type: 'integer' } },
            parameters: { Size: { ...size, description: 'Old.' } },
          },
        },
      ),
      openapi,
    })
    const shared = { $ref: '#/components/parameters/Size', description: 'Of the page.' }
    const described = async (parameter: object, openapi: string) =>
      (await world.only(document(parameter, openapi))).inputSchema.properties.size
    const $ref = '#/$defs/Size'
    expect<unknown>(await described({ ...size, description: 'Its own.' }, '3.1.0')).toEqual({
      $ref,
      description: 'Its own.',
    })
    expect<unknown>(await described(shared, '3.1.0')).toEqual({ $ref, description: 'Of the page.' })
    expect<unknown>(await described(shared, '3.0.3')).toEqual({ $ref, description: 'Old.' })
  })

  test('a schema too large to check is reduced to an outline', async () => {
    const tree = {
      type: 'object',
      allOf: [1, 2].map(() => ({ properties: { all: { items: { $ref: '#/components/schemas/Tree' } } } })),
    }
    const { inputSchema } = await world.only(ofBody({ $ref: '#/components/schemas/Tree' }, { Tree: tree }))
    expect(JSON.stringify(inputSchema)).not.toContain('$ref')
  })

  test('OpenAPI 3.0 schemas keep their meaning', async () => {
    const schema = { type: 'string', nullable: true, example: 'x' }
    const { inputSchema } = await world.only(ofBody({ type: 'object', properties: { nullable: schema } }, {}, '3.0.1'))
    expect<unknown>(inputSchema.properties.body!.properties).toEqual({ nullable: { type: ['string', 'null'] } })
  })

  describe('read-only properties are omitted, required or not,', () => {
    const readOnly = { type: 'string', readOnly: true }
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
    const text = { type: 'string' }
    test.each<[string, object, object]>([
      ['behind a reference', ref('Id'), { Id: readOnly }],
      ['behind several', ref('Key'), { Key: ref('Id'), Id: readOnly }],
      ['behind a reference in allOf', { allOf: [ref('Id')], description: 'Its id.' }, { Id: readOnly }],
      ['beside allOf', { allOf: [ref('Id')], readOnly: true }, { Id: text }],
    ])('%s', async (_, id, schemas) => {
      for (const openapi of ['3.0.3', '3.1.0']) {
        const pet = { type: 'object', properties: { id, name: text }, required: ['id', 'name'] }
        const { inputSchema } = await world.only(ofBody(ref('Pet'), { Pet: pet, ...schemas }, openapi))
        expect<unknown>(inputSchema.$defs.Pet).toEqual({
          type: 'object',
          properties: { name: text },
          required: ['name'],
        })
      }
    })

    test('where another part of allOf requires them', async () => {
      const base = { type: 'object', properties: { id: ref('Id'), name: text } }
      const pet = { allOf: [ref('Base'), { required: ['id', 'name'] }], required: ['id'] }
      const { inputSchema } = await world.only(ofBody(ref('Pet'), { Pet: pet, Base: base, Id: readOnly }))
      expect<unknown>(inputSchema.$defs.Pet).toEqual({
        allOf: [{ $ref: '#/$defs/Base' }, { required: ['name'] }],
        required: [],
      })
      expect<unknown>(inputSchema.$defs.Base).toEqual({ type: 'object', properties: { name: text } })
    })

    test('in circles', async () => {
      const node = { type: 'object', properties: { next: ref('Node'), id: ref('Loop') }, allOf: [ref('Node')] }
      const loop = { allOf: [ref('Loop'), { readOnly: true }] }
      const { inputSchema } = await world.only(
        ofBody({ properties: { a: ref('Loop'), b: text } }, { Node: node, Loop: loop }),
      )
      expect<unknown>(inputSchema.properties.body).toEqual({ properties: { b: text } })
    })
  })

  test('patterns with look-around are omitted', async () => {
    expect<unknown>(
      (await world.only(query({ schema: { type: 'string', pattern: '^(?!a)b$' } }))).inputSchema.properties.x,
    ).toEqual({
      type: 'string',
    })
  })

  test.each<[string, object, string]>([
    ['another document', query({ $ref: 'https://example.com/all.json#/x' }), 'outside the document'],
    ['nothing', query({ $ref: '#/components/parameters/none' }), 'not in the document'],
    [
      'too many parameters',
      documentOf({ parameters: Array.from({ length: 65 }, (_, at) => ({ name: `p${at}`, in: 'query', schema: {} })) }),
      'more than 64 parameters',
    ],
    ['itself', documentOf({ parameters: [{ $ref: '#/a' }] }, { a: { $ref: '#/a' } }), 'circle'],
  ])('a reference to %s skips the operation', async (_, document, expected) => {
    expect(await world.reason(document)).toContain(expected)
  })
})
