/** The API document: complete, lint-clean, usable by generators; and the client notices when answers differ from it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Elysia, t } from 'elysia'
import { errorCatalogue } from '../../src/http/catalogue.ts'
import { dataOf } from '../../src/http/schema.ts'
import { api } from '../support/client.ts'
import { allKey, testApp, thingId } from './fixture.ts'

const root = resolve(import.meta.dir, '../..')
const { app } = testApp()
// biome-ignore lint/suspicious/noExplicitAny: a document is looked at freely
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

test('says what and where it is', () => {
  expect(document.openapi).toBe('3.1.0')
  expect(document.info).toMatchObject({ title: 'Troupe', version: '1.2.3' })
  expect(document.servers).toEqual([{ url: 'https://troupe.test' }])
})

test('has every route but the pages for people', () => {
  const documented = operations.map(
    ([method, path]) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
  )
  const reader = ['/docs', '/docs/reader.js']
  const console = ['/', '/assets/*', '/o/*', '/invitation', '/pricing']
  const billing = ['/billing', '/billing/success', '/billing/canceled']
  const hidden = [...reader, ...console, ...billing].map((path) => `GET ${path}`)
  const routes = app.routes.map(({ method, path }) => `${method} ${path}`)
  expect(documented.sort()).toEqual(routes.filter((route) => !hidden.includes(route)).sort())
})

test('names every operation once, in camel case', () => {
  const names = operations.map(([, , { operationId }]) => operationId)
  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(name).toMatch(/^[a-z][A-Za-z0-9]*$/)
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
  expect(security).toEqual([{ apiKey: [] }, { session: [] }])
  expect(Object.keys(responses)).toEqual(['200', '400', '401', '403', '404', '405', '413', '422', '429', '500', '503'])
  expect(responses['422'].description).toContain('`invalid_cursor`')
  expect(responses['422'].content['application/json'].schema).toEqual({ $ref: '#/components/schemas/PublicApiError' })
  expect(responses['503'].headers['Retry-After'].schema.minimum).toBe(1)
})

test('an operation that hides from those without permission lists no 403', () => {
  expect(Object.keys(operation('get', '/api/v1/things/{thingId}/secret').responses)).not.toContain('403')
})

test('an operation lists the codes that it adds', () => {
  expect(operation('post', '/api/v1/fail/{how}').responses['409'].description).toContain('`invalid_transition`')
})

test('the runner protocol and public operations have their own credentials', () => {
  expect(operation('post', '/api/v1/runner/leases').security).toEqual([{ runnerToken: [] }])
  expect(operation('post', '/api/v1/runner/heartbeat').security).toEqual([{ attemptToken: [] }])
  expect(operation('get', '/healthz').security).toEqual([])
})

test('schemas are those that are enforced: closed, with numbers as numbers', () => {
  const { schema } = operation('post', '/api/v1/things').requestBody.content['application/json']
  expect(schema.additionalProperties).toBe(false)
  expect(schema.properties.nested.additionalProperties).toBe(false)
  expect(schema.properties.size).toEqual({ type: 'integer', minimum: 0, maximum: 10 })
  expect(schema.properties.state.default).toBeUndefined()
})

test('parameters are described, with their bounds and defaults', () => {
  const { parameters } = operation('get', '/api/v1/things')
  expect(parameters[0]).toEqual({
    name: 'limit',
    in: 'query',
    required: false,
    description: 'Page size.',
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  })
  expect(operation('get', '/api/v1/things/{thingId}').parameters[0]).toMatchObject({
    name: 'thingId',
    in: 'path',
    required: true,
  })
})

test('a body with files is described for both media types', () => {
  const { content, description } = operation('post', '/api/v1/form').requestBody
  expect(content['multipart/form-data'].schema.properties.files).toEqual({
    type: 'array',
    maxItems: 3,
    items: { type: 'string', format: 'binary' },
  })
  expect(description).toContain('multipart/form-data: at most 1048576 bytes.')
})

test('named shapes are components, and every error code is in the error', () => {
  expect(Object.keys(document.components.schemas)).toContain('Thing')
  expect(Object.keys(document.components.schemas)).toContain('Pagination')
  const { code } = document.components.schemas.PublicApiError.properties.error.properties
  expect(code.enum).toEqual(Object.keys(errorCatalogue))
  expect(JSON.stringify(document)).not.toMatch(/"\$id"|elysiaMeta|"fault"/)
})

describe('the tools of others', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(root, 'node_modules', '.document-'))
    await Bun.write(join(folder, 'openapi.json'), JSON.stringify(document))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const run = async (tool: string, ...args: string[]) => {
    const child = Bun.spawn([join(root, 'node_modules/.bin', tool), ...args], {
      cwd: folder,
      stdout: 'pipe',
      stderr: 'pipe',
      env: {
        PATH: process.env.PATH ?? '',
        HOME: folder,
        REDOCLY_TELEMETRY: 'off',
        REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
      },
    })
    const output = (await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])).join(
      '\n',
    )
    return { code: await child.exited, output }
  }

  test('redocly finds nothing, not even a warning', async () => {
    const { code, output } = await run('redocly', 'lint', 'openapi.json', '--format=json')
    if (code !== 0 || !output.includes('"warnings": 0')) console.error(output)
    expect({ code, found: /"totals":\s*\{[^}]*\}/.exec(output)?.[0].replaceAll(/\s/g, '') }).toEqual({
      code: 0,
      found: '"totals":{"errors":0,"warnings":0,"ignored":0}',
    })
  }, 15_000)

  test('openapi-typescript makes types that compile and describe the answers', async () => {
    const generated = await run('openapi-typescript', 'openapi.json', '-o', 'api.ts')
    expect(generated).toMatchObject({ code: 0 })
    await Bun.write(
      join(folder, 'client.ts'),
      `import createClient from 'openapi-fetch'
       import type { paths } from './api.ts'
       const client = createClient<paths>({ baseUrl: 'https://troupe.test' })
       export async function sizeOf(thingId: string): Promise<number> {
         const { data, error } = await client.GET('/api/v1/things/{thingId}', { params: { path: { thingId } } })
         if (error) throw new Error(error.error.message)
         const state: 'on' | 'off' = data.data.state
         return state === 'on' ? data.data.size : 0
       }
       // @ts-expect-error the body wants a name
       export const wrong = () => client.POST('/api/v1/things', { body: { size: 1 } })`,
    )
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--allowImportingTsExtensions',
      '--moduleResolution',
      'bundler',
      '--module',
      'preserve',
      '--target',
      'esnext',
      '--lib',
      'esnext,dom',
    ]
    expect(await run('tsc', ...options, 'client.ts')).toEqual({ code: 0, output: '\n' })
  }, 15_000)
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
    ['/lies/text', /content type text\/plain is not documented/],
  ]
  test.each(lies)('notices what is wrong with %s', async (path, problem) => {
    const caught = await client.get(path).then(
      () => undefined,
      (error: Error) => error,
    )
    expect(caught?.name).toBe('Nonconformity')
    expect(caught?.message).toMatch(problem)
  })

  test('lets an answer pass that is as documented', async () => {
    expect((await api(app, allKey).get(`/api/v1/things/${thingId}`)).status).toBe(200)
  })
})

test('two operations of one name are refused', async () => {
  const parts = testApp()
  const twice = new Elysia()
    .use(parts.guarded)
    .get('/one', () => '', { publicAccess: true, detail: { operationId: 'same' } })
    .get('/two', () => '', { publicAccess: true, detail: { operationId: 'same' } })
  const { status } = await testApp({ guarded: parts.guarded, areas: [twice] }).app.handle(
    new Request('http://localhost/docs/json'),
  )
  expect(status).toBe(500)
})
