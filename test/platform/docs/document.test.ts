/** The API document: complete, each schema once; and the test client notices answers that differ from it. */
import { describe, expect, test } from 'bun:test'
import { Elysia, t } from 'elysia'
import { errorCatalogue } from '../../../src/platform/http/answers/catalogue.ts'
import { eventStreamOf, SentEvent } from '../../../src/platform/http/event-stream.ts'
import { dataOf } from '../../../src/platform/http/schema.ts'
import { api } from '../../support/client.ts'
import { allKey, testApp, thingId } from '../http/fixture.ts'

const { app } = testApp()
// biome-ignore lint/suspicious/noExplicitAny: a document has any shape
const document: any = await (await app.handle(new Request('http://localhost/docs/json'))).json()
const operations: [string, string, { operationId: string }][] = Object.entries(document.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods as object).map(([method, operation]): [string, string, { operationId: string }] => [
      method,
      path,
      operation,
    ]),
)
const operation = (method: string, path: string) => document.paths[path][method]
/** The value, or the target of its reference. */
// biome-ignore lint/suspicious/noExplicitAny: a document has any shape
function at(place: any): any {
  const names: string[] = place.$ref?.split('/').slice(1) ?? []
  return names.reduce((part, name) => part[name], place.$ref ? document : place)
}

test('has a title and an address', () => {
  expect(document.openapi).toBe('3.1.0')
  expect(document.info).toMatchObject({ title: 'Troupe', version: '1.2.3' })
  expect(document.servers).toEqual([{ url: 'https://troupe.test' }])
})

test('is compressed for clients that support it', async () => {
  const headers = { 'accept-encoding': 'gzip' }
  const answer = await app.handle(new Request('http://localhost/docs/json', { headers }))
  expect(answer.headers.get('content-encoding')).toBe('gzip')
  expect(answer.headers.get('vary')).toBe('accept-encoding')
  expect(JSON.parse(new TextDecoder().decode(Bun.gunzipSync(await answer.bytes())))).toEqual(document)
})

test('has every route except the pages for people', () => {
  const documented = operations.map(
    ([method, path]) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
  )
  const reader = [
    '/docs',
    '/docs/style.css',
    '/docs/search.js',
    '/swagger',
    '/swagger/json',
    '/swagger/openapi-3.0.json',
    '/swagger/swagger-ui.css',
    '/swagger/swagger-ui-bundle.js',
  ]
  const console = [
    '/',
    '/favicon.ico',
    '/assets/*',
    '/o/*',
    '/device',
    '/invitation',
    '/forgot-password',
    '/password-reset',
    '/verification',
    '/pricing',
    '/embed/actors/*',
  ]
  const billing = ['/billing', '/billing/success', '/billing/canceled']
  const pages = [...reader, ...console, ...billing]
  const hidden = pages.flatMap((path) => [`GET ${path}`, `HEAD ${path}`])
  const routes = app.routes.flatMap(({ method, path }) =>
    (method === 'GET' ? ['GET', 'HEAD'] : [method]).map((answered) => `${answered} ${path}`),
  )
  expect(documented.sort()).toEqual(routes.filter((route) => !hidden.includes(route)).sort())
})

test('names every operation once, in camel case', () => {
  const names = operations.map(([, , { operationId }]) => operationId)
  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(name).toMatch(/^[a-z][A-Za-z0-9]*$/)
})

test('HEAD exists beside every GET, and its answers have no bodies', () => {
  for (const [method, path, { operationId }] of operations) {
    if (method !== 'get') continue
    const head = operation('head', path)
    expect(head.operationId).toBe(`head${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}`)
    expect(Object.keys(head.responses)).toEqual(Object.keys(operation('get', path).responses))
    for (const response of Object.values(head.responses)) expect(at(response)).not.toHaveProperty('content')
    expect(head.parameters).toEqual(operation('get', path).parameters)
  }
})

test('an operation without a body refuses one, and documents that; so does one without parameters', () => {
  const poked = operation('post', '/api/v1/things/{thingId}/poke').responses
  expect(Object.keys(poked)).toEqual(expect.arrayContaining(['400', '413', '422']))
  expect(at(poked['422']).description).toContain('`unknown_parameter`')
  expect(at(operation('get', '/api/v1/things/{thingId}').responses['422']).description).not.toContain(
    '`validation_failed`',
  )
  expect(Object.keys(operation('get', '/healthz').responses)).not.toContain('422')
})

test('a guarded operation names its permission, its credential and its errors', () => {
  const {
    'x-permission': permission,
    description,
    security,
    responses,
  } = operation('patch', '/api/v1/things/{thingId}')
  expect(permission).toBe('agent-runs:update')
  expect(description).toContain('`agent-runs:update`')
  expect(security).toEqual([{ apiKey: [] }, { session: [], csrfToken: [] }])
  expect(Object.keys(responses)).toEqual(['200', '400', '401', '403', '404', '405', '413', '422', '429', '500', '503'])
  expect(at(responses['422']).description).toContain('`invalid_cursor`')
  expect(at(at(responses['503']).headers['Retry-After']).schema.minimum).toBe(1)
})

test('an error answer has the shape of all errors, and its possible codes', () => {
  const { content } = at(operation('patch', '/api/v1/things/{thingId}').responses['403'])
  const { schema, example } = content['application/json']
  const [shape, narrower] = schema.allOf
  expect(shape).toEqual({ $ref: '#/components/schemas/PublicApiError' })
  expect(narrower.properties.error.properties.code).toEqual({ enum: ['permission_denied', 'csrf_required'] })
  expect(example.error.code).toBe('permission_denied')
})

test('error answers of several operations are components, named by their codes', () => {
  const { responses } = operation('get', '/api/v1/things/{thingId}')
  expect(responses['401']).toEqual({ $ref: '#/components/responses/Unauthenticated' })
  expect(responses['404']).toEqual({ $ref: '#/components/responses/NotFound' })
  expect(operation('post', '/api/v1/things').responses['403']).toEqual({ $ref: '#/components/responses/Forbidden' })
})

test('a change by a session requires its token, a read does not', () => {
  expect(operation('post', '/api/v1/things').security).toContainEqual({ session: [], csrfToken: [] })
  expect(operation('get', '/api/v1/things').security).toContainEqual({ session: [] })
})

test('an operation that hides from those without permission lists no 403', () => {
  expect(Object.keys(operation('get', '/api/v1/things/{thingId}/secret').responses)).not.toContain('403')
})

test('an operation lists the codes that it adds', () => {
  expect(at(operation('post', '/api/v1/fail/{how}').responses['409']).description).toContain('`invalid_transition`')
})

test('the runner protocol and public operations have their own credentials', () => {
  expect(operation('post', '/api/v1/runner/leases').security).toEqual([{ runnerToken: [] }])
  expect(operation('post', '/api/v1/runner/heartbeat').security).toEqual([{ attemptToken: [] }])
  expect(operation('get', '/healthz').security).toEqual([])
})

test('schemas are the enforced ones: closed, with numbers as numbers', () => {
  const { schema } = operation('post', '/api/v1/things').requestBody.content['application/json']
  expect(schema.additionalProperties).toBe(false)
  expect(schema.properties.nested.additionalProperties).toBe(false)
  expect(schema.properties.size).toEqual({ type: 'integer', minimum: 0, maximum: 10 })
  expect(schema.properties.state.default).toBeUndefined()
})

test('parameters are described, with their bounds and defaults; common ones are components', () => {
  const { parameters } = operation('get', '/api/v1/things')
  expect(parameters[0]).toEqual({ $ref: '#/components/parameters/Limit' })
  expect(at(parameters[0])).toEqual({
    name: 'limit',
    in: 'query',
    required: false,
    description: 'Page size.',
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  })
  expect(parameters.map(at)).toContainEqual(expect.objectContaining({ name: 'states', in: 'query' }))
  const [thing, organization] = operation('get', '/api/v1/things/{thingId}').parameters.map(at)
  expect(thing).toMatchObject({
    name: 'thingId',
    in: 'path',
    required: true,
    schema: { $ref: '#/components/schemas/AgentRunId' },
  })
  expect(organization).toMatchObject({ name: 'X-Troupe-Organization', in: 'header', required: false })
})

test('a body with files is described for both media types', () => {
  const { content, description } = operation('post', '/api/v1/form').requestBody
  expect(content['multipart/form-data'].schema.properties.files).toEqual({
    type: 'array',
    maxItems: 3,
    items: { type: 'string', format: 'binary' },
  })
  expect(description).toContain('multipart/form-data: at most 1 MiB.')
})

test('named schemas are components, sorted, and so are their answers', () => {
  const names = Object.keys(document.components.schemas).slice(2)
  expect(names).toEqual([...names].sort())
  for (const name of ['Thing', 'ThingPage', 'Pagination']) expect(names).toContain(name)
  expect(operation('get', '/api/v1/things').responses['200'].content['application/json'].schema).toEqual({
    $ref: '#/components/schemas/ThingPage',
  })
  expect(JSON.stringify(document)).not.toMatch(/"\$id"|elysiaMeta|"fault"|"original"/)
})

test('the error lists every error code', () => {
  const { code } = document.components.schemas.PublicApiError.properties.error.properties
  expect(at(code).enum).toEqual(Object.keys(errorCatalogue))
})

describe('the test client', () => {
  const lying = ({ guarded }: ReturnType<typeof testApp>) =>
    new Elysia({ prefix: '/lies' })
      .use(guarded)
      .get(
        '/status',
        ({ set }) => {
          set.status = 202
          return { data: {} }
        },
        { publicAccess: true, response: { 200: dataOf(t.Object({})) } },
      )
      .get('/shape', () => ({ data: { size: 'large' as unknown as number } }), {
        publicAccess: true,
        response: { 200: dataOf(t.Object({ size: t.Integer() })) },
      })
      .get('/extra', () => ({ data: { size: 1, secret: 2 } }), {
        publicAccess: true,
        response: { 200: dataOf(t.Object({ size: t.Integer() })) },
      })
      .get(
        '/event',
        ({ set }) => {
          set.headers['content-type'] = 'text/event-stream'
          return 'retry: 1\n\nid: 1\nevent: sized\ndata: {"size": "one"}\n\n'
        },
        {
          publicAccess: true,
          detail: { responses: { 200: eventStreamOf(SentEvent('sized', t.Object({ size: t.Integer() }))) } },
        },
      )
      .get(
        '/text',
        ({ set }) => {
          set.headers['content-type'] = 'text/plain'
          return 'text'
        },
        {
          publicAccess: true,
          detail: { responses: { 200: { description: 'x', content: { 'application/json': {} } } } },
        },
      )
  const parts = testApp()
  const liar = testApp({ guarded: parts.guarded, areas: [lying(parts)] }).app
  const client = api(liar, allKey)
  const lies: [string, RegExp][] = [
    ['/lies/status', /documents no such status/],
    ['/lies/shape', /body\/data\/size must be integer/],
    ['/lies/extra', /must NOT have additional properties/],
    ['/lies/event', /stream\/0\/data\/size must be integer/],
    ['/lies/text', /content type text\/plain is not documented/],
  ]
  test.each(lies)('notices %s', async (path, problem) => {
    const caught = await client.get(path).then(
      () => undefined,
      (error: Error) => error,
    )
    expect(caught?.name).toBe('Nonconformity')
    expect(caught?.message).toMatch(problem)
  })

  test('accepts an answer that matches the document', async () => {
    expect((await api(app, allKey).get(`/api/v1/things/${thingId}`)).status).toBe(200)
  })
})

describe('two definitions with one name are refused:', () => {
  const shape = (size: number) => t.Object({ size: t.Integer({ minimum: size }) }, { $id: 'Shape' })
  const path = (description: string) => t.Object({ thingId: t.String({ description }) })
  const common = { publicAccess: true, params: path('one'), find: () => {} }
  type Route = Parameters<ReturnType<typeof testApp>['guarded']['get']>[2]
  const pairs: [string, Route, Route][] = [
    ['operations', { detail: { operationId: 'same' } }, { detail: { operationId: 'same' } }],
    ['shapes', { response: { 200: shape(1) } }, { response: { 200: shape(2) } }],
    ['parameters', { params: path('one') }, { params: path('another') }],
  ]
  test.each(pairs)('%s', async (_, one, other) => {
    const parts = testApp()
    const twice = new Elysia()
      .use(parts.guarded)
      .get('/one/:thingId', () => ({}) as never, { ...common, ...one } as never)
      .get('/two/:thingId', () => ({}) as never, { ...common, ...other } as never)
    const { status } = await testApp({ guarded: parts.guarded, areas: [twice] }).app.handle(
      new Request('http://localhost/docs/json'),
    )
    expect(status).toBe(500)
  })
})
