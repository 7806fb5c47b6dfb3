/** Contract 0, "Order of checks": 401; 429; 403 of the session; 403/404 of the scope; then 400/422 of the request. */
import { describe, expect, test } from 'bun:test'
import { Elysia, t } from 'elysia'
import { ApiError, unauthenticated } from '../../../src/platform/http/answers/errors.ts'
import type { Caller } from '../../../src/platform/http/guard/caller.ts'
import type { RateLimiter, Standing, Tree } from '../../../src/platform/http/guard/parts.ts'
import { type Permission, permissions } from '../../../src/platform/http/guard/permissions.ts'
import { dataOf, Id, Name } from '../../../src/platform/http/schema.ts'
import { authenticatorOf, callerWith } from '../../support/callers.ts'
import { api } from '../../support/client.ts'
import { allKey, authenticator, mebibyte, noneKey, otherThingId, testApp, thingId } from './fixture.ts'

const json = { 'content-type': 'application/json' }
const badRequests: [string, string, string, unknown, Record<string, string>][] = [
  ['a valid body', 'POST', '/api/v1/things', { name: 'x' }, {}],
  ['malformed JSON', 'POST', '/api/v1/things', '{', json],
  ['an invalid body', 'POST', '/api/v1/things', { wrong: 1 }, {}],
  ['no body', 'POST', '/api/v1/things', undefined, {}],
  ['an unknown content type', 'POST', '/api/v1/things', '<a/>', { 'content-type': 'text/xml' }],
  ['too large a body', 'POST', '/api/v1/small', { name: 'x'.repeat(300) }, {}],
  ['a malformed id', 'GET', '/api/v1/things/nonsense', undefined, {}],
  ['a badly encoded id', 'GET', '/api/v1/things/%E0%A4%A', undefined, {}],
  ['a malformed id and malformed JSON', 'PATCH', '/api/v1/things/nonsense', '{', json],
  ['an invalid query', 'GET', '/api/v1/things?limit=abc', undefined, {}],
  ['a cursor of another list', 'GET', '/api/v1/things?cursor=abc', undefined, {}],
]

describe.each([['at once'], ['with a promise']])('an authenticator that answers %s', (manner) => {
  const { app } = testApp({ authenticator: authenticator(manner === 'with a promise') })
  const client = api(app)

  test.each(badRequests)('an unauthenticated caller with %s gets 401', async (_, method, path, body, headers) => {
    const { status, body: answer } = await client.call(method, path, body, { headers })
    expect(status).toBe(401)
    expect(answer.error.code).toBe('unauthenticated')
  })

  test.each(badRequests)('a wrong key with %s gets 401', async (_, method, path, body, headers) => {
    const { status, body: answer } = await client.call(method, path, body, { headers, key: 'wrong' })
    expect(status).toBe(401)
    expect(answer.error.code).toBe('invalid_api_key')
  })

  test.each(badRequests)('a key without the permission with %s gets 403', async (_, method, path, body, headers) => {
    const { status, body: answer } = await client.call(method, path, body, { headers, key: noneKey })
    expect(status).toBe(403)
    expect(answer.error.code).toBe('permission_denied')
    expect(answer.error.details.permission).toStartWith('agent-runs:')
  })
})

const { app } = testApp()
const client = api(app, allKey)

test('if the operation lists no 403, a missing permission is 404 like a missing resource', async () => {
  const refused = await client.get(`/api/v1/things/${thingId}/secret`, {
    key: noneKey,
    headers: { 'x-request-id': 'same' },
  })
  const missing = await client.get(`/api/v1/things/${otherThingId}`, { headers: { 'x-request-id': 'same' } })
  expect(refused.status).toBe(404)
  expect(refused.body).toEqual(missing.body)
  expect((await client.get(`/api/v1/things/${thingId}/secret`)).status).toBe(200)
})

const ranked: [string, string, string, unknown, number][] = [
  ['a malformed id before malformed JSON', 'PATCH', '/api/v1/things/nonsense', '{', 404],
  ['a malformed id before an invalid body', 'PATCH', '/api/v1/things/nonsense', '{"wrong":1}', 404],
  ['malformed JSON before an invalid query', 'PATCH', `/api/v1/things/${thingId}?limit=0`, '{', 400],
  ['an invalid query before an invalid body', 'PATCH', `/api/v1/things/${thingId}?limit=0`, '{"wrong":1}', 422],
]
test.each(ranked)('%s', async (_, method, path, body, expected) => {
  const { status, body: answer } = await client.call(method, path, body, { headers: json })
  expect(status).toBe(expected)
  if (expected === 422) expect(answer.error.details.issues[0].path).toBe('/query/limit')
})

describe('a request with several errors gets one at a time', () => {
  const wrong = '{'
  const [deletedId, missingId] = ['prj_01h455vb4pex5vsknk084sn02r', 'prj_01h455vb4pex5vsknk084sn02s']
  const projectId = 'prj_01h455vb4pex5vsknk084sn02q'
  const environmentId = 'env_01h455vb4pex5vsknk084sn02q'
  const agentId = 'agt_01h455vb4pex5vsknk084sn02q'
  const token = 'the token of this session'

  const asked: string[] = []
  const place = (id: string, standing: Standing | undefined) => {
    asked.push(id)
    return standing
  }
  const project = (id: string) => place(id, id === missingId ? undefined : { deleting: id === deletedId })
  const environment = (id: string) => place(id, id === environmentId ? { deleting: false } : undefined)
  const tree: Tree = {
    project: (_, id) => project(id),
    environment: async (_, id) => environment(id),
    place: async (_, id, within) => {
      const found = project(id)
      return found && { project: found, environment: environment(within) }
    },
    agent: async (_, id) => place(id, id === agentId ? { deleting: false } : undefined),
  }
  const callers: Record<string, Caller> = {
    all: callerWith({ organizationId: 'org_1', permissions: new Set(permissions) }),
    none: callerWith({ organizationId: 'org_1' }),
    granted: callerWith({
      organizationId: 'org_1',
      role: 'member',
      granted: new Map([[projectId, new Set<Permission>(['agents:push'])]]),
    }),
    session: callerWith({ organizationId: 'org_1', permissions: new Set(permissions), csrfToken: token }),
    bound: callerWith({
      organizationId: 'org_1',
      permissions: new Set(permissions),
      scope: { projectId, environmentId: null, agentId: null },
    }),
    ofAgent: callerWith({
      organizationId: 'org_1',
      permissions: new Set(permissions),
      scope: { projectId, environmentId: null, agentId },
    }),
  }
  const known = authenticatorOf((authorization) => {
    const caller = callers[authorization?.replace('Bearer ', '') ?? '']
    if (!caller) throw unauthenticated()
    return caller
  })
  let exhausted = false
  const rateLimiter: RateLimiter = {
    admit() {
      if (exhausted) throw new ApiError(429, 'rate_limited', 'Too many requests.')
    },
  }
  const { guarded } = testApp({ authenticator: known, rateLimiter, tree })
  const Nested = t.Object({ projectId: Id('prj'), environmentId: Id('env'), agentId: Id('agt') })
  const describing = (operationId: string) => ({ operationId, summary: 'Change a part', tags: ['Agent runs'] })
  const answers = { response: { 200: dataOf(t.Object({})) }, body: t.Object({ name: Name() }), resource: 'part' }
  const parts = new Elysia({ prefix: '/api/v1/projects/:projectId' })
    .use(guarded)
    .patch('/environments/:environmentId/agents/:agentId', () => ({ data: {} }), {
      ...answers,
      permission: 'agents:push',
      params: Nested,
      detail: describing('changePart'),
    })
    .patch('', () => ({ data: {} }), {
      ...answers,
      permission: 'agents:push',
      params: t.Object({ projectId: Id('prj') }),
      errors: ['deletion_in_progress'],
      detail: describing('changeWhole'),
    })
  const nested = api(testApp({ guarded, areas: [parts] }).app)
  const path = (project = projectId, environment = environmentId, agent = agentId) =>
    `/api/v1/projects/${project}/environments/${environment}/agents/${agent}`
  const otherEnvironmentId = 'env_01h455vb4pex5vsknk084sn02r'
  const otherAgentId = 'agt_01h455vb4pex5vsknk084sn02r'

  const rows: { name: string; key: string | null; at?: string; csrf?: string; tooMany?: boolean; hears: string }[] = [
    { name: 'an unauthenticated caller', key: null, tooMany: true, hears: '401 unauthenticated' },
    { name: 'too many requests', key: 'session', at: path(missingId), tooMany: true, hears: '429 rate_limited' },
    { name: 'a session without its token', key: 'session', at: path(missingId), hears: '403 csrf_required' },
    { name: 'a session with a wrong token', key: 'session', csrf: 'x'.repeat(25), hears: '403 csrf_required' },
    { name: 'a session with its token', key: 'session', csrf: token, hears: '400 malformed_request' },
    { name: 'no permission anywhere', key: 'none', at: path(missingId), hears: '403 permission_denied' },
    { name: 'no such Project', key: 'all', at: path(missingId), hears: '404 not_found' },
    { name: 'a malformed Project', key: 'all', at: path('nonsense', '%E0%A4%A'), hears: '404 not_found' },
    { name: 'a Project without the grant', key: 'granted', at: path(deletedId), hears: '403 permission_denied' },
    { name: 'no such Project for a member', key: 'granted', at: path(missingId), hears: '404 not_found' },
    { name: "a Project outside of the key's scope", key: 'bound', at: path(deletedId), hears: '404 not_found' },
    { name: 'no such Environment', key: 'all', at: path(projectId, otherEnvironmentId), hears: '404 not_found' },
    { name: 'no such Agent', key: 'all', at: path(projectId, environmentId, otherAgentId), hears: '404 not_found' },
    {
      name: 'an Agent outside of the scope',
      key: 'ofAgent',
      at: path(projectId, environmentId, otherAgentId),
      hears: '404 not_found',
    },
    {
      name: 'a Project around the scope',
      key: 'ofAgent',
      at: `/api/v1/projects/${projectId}`,
      hears: '403 permission_denied',
    },
    {
      name: 'a Project that is being deleted',
      key: 'all',
      at: `/api/v1/projects/${deletedId}`,
      hears: '409 deletion_in_progress',
    },
    { name: 'the same, of an operation that lists no 409', key: 'all', at: path(deletedId), hears: '404 not_found' },
    { name: 'the right place, by a grant', key: 'granted', hears: '400 malformed_request' },
    { name: 'the right place, by the role', key: 'all', hears: '400 malformed_request' },
  ]
  test.each(rows)('$name: $hears', async ({ key, at = path(), csrf, tooMany = false, hears }) => {
    exhausted = tooMany
    const headers = { ...json, ...(csrf !== undefined && { 'x-csrf-token': csrf }) }
    const { status, body } = await nested.call('PATCH', at, wrong, { key, headers })
    expect(`${status} ${body.error.code}`).toBe(hears)
  })

  test('places are looked up from the outside in, up to the first missing one', async () => {
    exhausted = false
    asked.length = 0
    await nested.call('PATCH', path(missingId), wrong, { key: 'all', headers: json })
    await nested.call('PATCH', path(projectId, otherEnvironmentId), wrong, { key: 'all', headers: json })
    await nested.call('PATCH', path(), wrong, { key: 'all', headers: json })
    await nested.call('PATCH', path(), wrong, { key: 'none', headers: json })
    expect(asked).toEqual([missingId, projectId, otherEnvironmentId, projectId, environmentId, agentId])
  })
})

test('a rate limiter counts callers, adds its headers and refuses with Retry-After', async () => {
  const counted: string[] = []
  const rateLimiter: RateLimiter = {
    admit(caller, headers) {
      counted.push(caller.credentialId)
      headers.ratelimit = '"default";r=0;t=7'
      if (counted.length > 1) throw new ApiError(429, 'rate_limited', 'Too many requests.', { retryAfterSeconds: 6.2 })
    },
  }
  const limited = api(testApp({ rateLimiter }).app, allKey)
  const first = await limited.get(`/api/v1/things/${thingId}`)
  expect([first.status, first.headers.get('ratelimit')]).toEqual([200, '"default";r=0;t=7'])
  const second = await limited.get(`/api/v1/things/${thingId}`)
  expect([second.status, second.headers.get('retry-after')]).toEqual([429, '7'])
  await limited.get(`/api/v1/things/${thingId}`, { key: null })
  expect(counted).toHaveLength(2)
})

describe('the runner protocol', () => {
  const tokens: [string, string | null, number][] = [
    ['/api/v1/runner/leases', 'runner', 200],
    ['/api/v1/runner/leases', 'attempt', 401],
    ['/api/v1/runner/leases', allKey, 401],
    ['/api/v1/runner/leases', null, 401],
    ['/api/v1/runner/heartbeat', 'attempt', 200],
    ['/api/v1/runner/heartbeat', 'runner', 401],
    ['/api/v1/runner/heartbeat', null, 401],
  ]
  test.each(tokens)('%s with %p: %d', async (path, key, expected) => {
    expect((await client.post(path, undefined, { key })).status).toBe(expected)
  })

  test('the handler gets the claims of the attempt', async () => {
    const { body } = await client.post('/api/v1/runner/heartbeat', undefined, { key: 'attempt' })
    expect(body.data).toEqual({ agentRunId: thingId, attemptId: 'att_1', agentRevisionId: 'agr_1', fencingToken: 7 })
  })

  test('without an authenticator everybody is refused', async () => {
    const closed = api(testApp({ runnerCredentials: undefined }).app)
    expect((await closed.post('/api/v1/runner/leases', undefined, { key: 'runner' })).status).toBe(401)
  })
})

test('a body above the limit is refused only after authentication', async () => {
  const large = `{"name":"${'x'.repeat(mebibyte)}"}`
  expect((await client.post('/api/v1/things', large, { headers: json, key: null })).status).toBe(401)
  expect((await client.post('/api/v1/things', large, { headers: json })).status).toBe(413)
})
