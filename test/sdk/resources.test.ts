/** The operations of the API as methods: parameters, pages of lists, error classes, streams of actors. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  ApiError,
  AuthenticationError,
  ConflictError,
  NotFoundError,
  PermissionError,
  type Project,
  Troupe,
  TroupeError,
  ValidationError,
} from '@troupe/sdk'
import { openTroupe, type Troupe as Server } from '../support/troupe.ts'
import { openShop } from './shop.ts'

let server: Server
let troupe: Troupe
beforeAll(async () => {
  server = await openTroupe()
  troupe = new Troupe({ baseUrl: `${server.url}/`, apiKey: server.key })
})
afterAll(() => server?.stop())

const refusalOf = (answer: Promise<unknown>) =>
  answer.then(
    () => undefined,
    (error: unknown) => error,
  )

test('a created resource can be read, changed and removed', async () => {
  const made: Project = await troupe.projects.create({ slug: 'life', name: 'Life' })
  const projectId = made.id
  expect(await troupe.projects.get({ projectId })).toEqual(made)
  expect((await troupe.projects.update({ projectId, name: 'Longer life' })).name).toBe('Longer life')
  const grant = await troupe.agents.create({ projectId, slug: 'clerk', name: 'Clerk' })
  expect(grant.slug).toBe('clerk')
  const [environment] = (await troupe.environments.list({ projectId })).items
  const place = { projectId, environmentId: environment!.id }
  const { id: variableId } = await troupe.variables.create({ ...place, name: 'TOKEN', value: 'secret' })
  await troupe.variables.delete({ ...place, variableId })
  expect((await troupe.variables.list(place)).items).toEqual([])
  expect((await troupe.projects.delete({ projectId })).status).toBe('deleting')
})

test('a list is its first page, or all its pages in a loop', async () => {
  const { id: projectId } = await troupe.projects.create({ slug: 'pages', name: 'Pages' })
  for (let number = 1; number <= 5; number++) {
    await troupe.agents.create({ projectId, slug: `agent-${number}`, name: `Agent ${number}` })
  }
  const page = await troupe.agents.list({ projectId, limit: 2 })
  expect(page.items.map(({ slug }) => slug)).toEqual(['agent-5', 'agent-4'])
  expect(page.pagination).toMatchObject({ limit: 2, hasMore: true })
  const slugs: string[] = []
  for await (const { slug } of troupe.agents.list({ projectId, limit: 2 })) slugs.push(slug)
  expect(slugs).toEqual(['agent-5', 'agent-4', 'agent-3', 'agent-2', 'agent-1'])
})

test('lists of other shapes, and lists without pages, work too', async () => {
  const shop = await openShop(troupe, 'shapes')
  const run = await troupe.runs.start({ agent: 'shapes/development/clerk', query: 'Hello' })
  await run.output()
  const runs = await troupe.runs.list({ projectId: shop.projectId, states: ['completed', 'failed'] })
  expect(runs.items.map(({ id }) => id)).toEqual([run.id])
  const events: string[] = []
  const place = { projectId: shop.projectId, environmentId: shop.environmentId }
  for await (const { type } of troupe.events.list({ ...place, limit: 3 })) events.push(type.replace(/\..*/, ''))
  expect(events).toContain('run')
  const last: number[] = []
  for await (const { sequence } of troupe.events.list({ ...place, last: 3, limit: 1 })) last.push(sequence)
  expect(last).toEqual([2, 1, 0].map((before) => events.length - before))
  expect((await troupe.machines.list()).items.map(({ kind }) => kind)).toContain('run')
  const steps = await troupe.runs.listSteps({ agentRunId: run.id })
  expect(steps.pagination.totalCount).toBe(2)
})

test('an actor is read and watched by its kind and id', async () => {
  const run = await troupe.runs.start({ agent: 'agt_system_assistant', query: 'Hello' })
  await run.output()
  const id = run.id
  expect(await troupe.machines.verifyActor({ kind: 'run', id })).toMatchObject({
    valid: true,
    storedState: 'completed',
  })
  for await (const { type, data } of troupe.machines.streamActor({ kind: 'run', id })) {
    expect({ type, data }).toMatchObject({ type: 'actor.snapshot', data: { state: 'completed' } })
    break
  }
})

test('an answer that is not JSON is returned unchanged', async () => {
  expect(await troupe.server.getMetrics()).toContain('troupe_')
  expect(await troupe.server.getHealth()).toEqual({ status: 'alive' })
})

test.each([
  [
    'no key',
    () => new Troupe({ baseUrl: server.url, apiKey: null }).projects.list(),
    AuthenticationError,
    401,
    'unauthenticated',
  ],
  [
    'a wrong key',
    () => new Troupe({ baseUrl: server.url, apiKey: 'trp_x' }).projects.list(),
    AuthenticationError,
    401,
    'invalid_api_key',
  ],
  ['a missing resource', () => troupe.runs.get({ agentRunId: 'run_x' }), NotFoundError, 404, 'not_found'],
  [
    'a taken name',
    async () => {
      await troupe.projects.create({ slug: 'taken', name: 'Taken' })
      await troupe.projects.create({ slug: 'taken', name: 'Taken' })
    },
    ConflictError,
    409,
    'slug_taken',
  ],
  [
    'a missing permission',
    async () => {
      const { secret } = await troupe.apiKeys.create({ name: 'Little', operations: ['projects:list'] })
      await new Troupe({ baseUrl: server.url, apiKey: secret }).projects.create({ slug: 'mine', name: 'Mine' })
    },
    PermissionError,
    403,
    'permission_denied',
  ],
] as const)('%s is an error with its class, code and request', async (_, attempt, Class, status, code) => {
  const error = await refusalOf(attempt())
  expect(error).toBeInstanceOf(Class)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toBeInstanceOf(TroupeError)
  expect(error).toMatchObject({ name: Class.name, status, code, requestId: expect.stringMatching(/^req_/) })
})

test('the issues of an invalid request are listed, each with its path', async () => {
  const error = await refusalOf(troupe.projects.create({ slug: 'Not A Slug', name: '', colour: 'red' } as never))
  expect(error).toBeInstanceOf(ValidationError)
  const places = (error as ValidationError).issues.map(({ path }) => path)
  expect(places.toSorted()).toEqual(['/body/colour', '/body/name', '/body/slug'])
})

test('an unknown parameter is refused, not omitted', async () => {
  const error = await refusalOf(troupe.projects.list({ sluug: 'shop' } as never))
  expect(error).toMatchObject({ code: 'unknown_parameter' })
})

test('a missing path parameter is refused before a request is sent', async () => {
  await expect(troupe.projects.get({} as never)).rejects.toThrow('projectId is missing')
  await expect(troupe.projects.get({ projectId: '' })).rejects.toThrow('projectId is missing')
})

test('an id in a path cannot change the path', async () => {
  const error = await refusalOf(troupe.projects.get({ projectId: '../agent-runs' }))
  expect(error).toMatchObject({ status: 404, code: 'not_found' })
})

test('a client without an address says so', () => {
  expect(() => new Troupe({ baseUrl: 'localhost:3000' })).toThrow('baseUrl is not an http address: localhost:3000')
})

test.each([
  [
    { TROUPE_URL: '', TROUPE_KEY: '', TROUPE_API_KEY: 'trp_b' },
    'http://localhost:3000/api/v1/projects',
    'Bearer trp_b',
  ],
  [{ TROUPE_URL: 'http://a.test/', TROUPE_KEY: '', TROUPE_API_KEY: '' }, 'http://a.test/api/v1/projects', undefined],
  [{ TROUPE_URL: 'http://a.test', TROUPE_KEY: 'trp_a' }, 'http://a.test/api/v1/projects', 'Bearer trp_a'],
])('an empty variable of the environment is like none: %j', async (variables, url, authorization) => {
  const before = { ...process.env }
  try {
    Object.assign(process.env, variables)
    let sent: unknown
    const troupe = new Troupe({
      fetch: async (to, { headers }) => {
        sent = [to, (headers as Record<string, string>).authorization]
        return Response.json({ data: { items: [] } })
      },
    })
    await troupe.projects.list()
    expect(sent).toEqual([url, authorization])
  } finally {
    for (const name of Object.keys(variables)) {
      if (before[name] === undefined) delete process.env[name]
      else process.env[name] = before[name]
    }
  }
})
