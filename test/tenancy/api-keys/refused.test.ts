import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { permissions } from '../../../src/platform/http/guard/permissions.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { eventually } from '../../support/process.ts'
import { ownerEmail, ownerPassword } from '../../support/troupe.ts'
import { browserOfUser, join } from '../sessions/browser.ts'
import { openWorld, path, type World } from './world.ts'

const clock = new HandClock()

let world: World
let troupe: World['troupe']
let tenancy: World['tenancy']
let organizationId: string
/** A key of ours, for requests by id. */
let known: { id: string; secret: string }

beforeAll(async () => {
  world = await openWorld(clock)
  ;({ troupe, tenancy, organizationId } = world)
  known = tenancy.key(organizationId, tenancy.user(organizationId), ['projects:list'])
})
afterAll(() => world?.stop())

const operations = [
  { name: 'list', permission: 'api-keys:list', method: 'GET', at: () => path, allowed: 200 },
  { name: 'create', permission: 'api-keys:create', method: 'POST', at: () => path, body: {}, allowed: 422 },
  { name: 'get', permission: 'api-keys:get', method: 'GET', at: () => `${path}/${known.id}`, allowed: 200 },
  {
    name: 'update',
    permission: 'api-keys:update',
    method: 'PATCH',
    at: () => `${path}/${known.id}`,
    body: {},
    allowed: 200,
  },
  {
    name: 'revoke',
    permission: 'api-keys:revoke',
    method: 'POST',
    at: () => `${path}/${known.id}/revoke`,
    allowed: 200,
  },
] as const
type Operation = (typeof operations)[number]

async function ask(secret: string | null, operation: Operation) {
  const body = 'body' in operation ? operation.body : undefined
  const { status, body: answer } = await troupe.as(secret).call(operation.method, operation.at(), body)
  return { status, code: answer.error?.code, permission: answer.error?.details?.permission }
}

describe('permissions for keys', () => {
  test.each(operations)('$name requires only $permission', async (operation) => {
    const owner = tenancy.user(organizationId)
    const { permission, allowed } = operation
    const having = tenancy.key(organizationId, owner, [permission])
    const lacking = tenancy.key(
      organizationId,
      owner,
      permissions.filter((name) => name !== permission),
    )
    expect((await ask(having.secret, operation)).status).toBe(allowed)
    expect(await ask(lacking.secret, operation)).toEqual({ status: 403, code: 'permission_denied', permission })
  })

  test.each(operations)('$name: 403 for any bound key', async (operation) => {
    const owner = tenancy.user(organizationId)
    const project_id = tenancy.project(organizationId)
    const environment_id = tenancy.environment(organizationId, project_id)
    const agent_id = tenancy.agent(organizationId, project_id)
    for (const scope of [{ project_id }, { project_id, environment_id }, { project_id, agent_id }]) {
      const bound = tenancy.key(organizationId, owner, permissions, scope)
      expect((await ask(bound.secret, operation)).status).toBe(403)
    }
  })

  test.each(operations)(
    "$name: 200 for an admin, 403 for a member, whatever the key's operations",
    async (operation) => {
      const admin = tenancy.key(organizationId, tenancy.user(organizationId, 'admin'), permissions)
      const member = tenancy.key(organizationId, tenancy.user(organizationId, 'member'), permissions)
      expect((await ask(admin.secret, operation)).status).toBe(operation.allowed)
      expect((await ask(member.secret, operation)).status).toBe(403)
    },
  )

  test.each(operations)('$name: 401 without a key, and with an invalid one', async (operation) => {
    const owner = tenancy.user(organizationId)
    const revoked = tenancy.key(organizationId, owner, permissions, { status: 'revoked' })
    const expired = tenancy.key(organizationId, owner, permissions, { expires_at: clock.now() })
    expect((await ask(null, operation)).status).toBe(401)
    for (const secret of [revoked.secret, expired.secret, 'trp_x', 'x']) {
      expect(await ask(secret, operation)).toEqual({ status: 401, code: 'invalid_api_key', permission: undefined })
    }
  })
})

test('an unauthenticated caller and a key without the permission learn nothing about shapes, bodies and ids', async () => {
  const { secret } = tenancy.key(organizationId, tenancy.user(organizationId), [])
  for (const [method, at, body] of [
    ['POST', path, '{'],
    ['POST', path, { wrong: true }],
    ['PATCH', `${path}/key_1`, '{'],
    ['GET', `${path}/key_1`, undefined],
    ['GET', `${path}?limit=0`, undefined],
    ['POST', `${path}/key_1/revoke`, undefined],
  ] as const) {
    const headers = { 'content-type': 'application/json' }
    expect((await troupe.as(null).call(method, at, body, { headers })).status).toBe(401)
    expect((await troupe.as(secret).call(method, at, body, { headers })).status).toBe(403)
  }
})

describe('the key of the request', () => {
  const current = `${path}/current`

  test('reads itself, whatever its permissions and its scope', async () => {
    const owner = tenancy.user(organizationId)
    const projectId = tenancy.project(organizationId)
    const bound = tenancy.key(organizationId, owner, ['projects:list'], { project_id: projectId })
    const powerless = tenancy.key(organizationId, owner, [])
    for (const { id, secret } of [bound, powerless]) {
      const { status, body } = await troupe.as(secret).get(current)
      expect(status).toBe(200)
      // its use is stored later
      const { lastUsedAt: _, ...read } = (await troupe.owner.get(`${path}/${id}`)).body.data
      expect(body.data).toMatchObject(read)
    }
    expect((await troupe.as(bound.secret).get(current)).body.data).toMatchObject({
      operations: ['projects:list'],
      projectId,
      createdBy: owner,
    })
  })

  test('is that of no session: 401', async () => {
    const browser = await browserOfUser(troupe, tenancy, tenancy.user(organizationId))
    const { status, body } = await browser.get(current)
    expect({ status, code: body.error.code }).toEqual({ status: 401, code: 'unauthenticated' })
  })
})

test('existing and missing keys are the same to a key without the permission', async () => {
  const { secret } = tenancy.key(organizationId, tenancy.user(organizationId), [])
  const answers = await Promise.all(
    [known.id, 'key_01h455vb4pex5vsknk084sn02q'].map((id) => troupe.as(secret).get(`${path}/${id}`)),
  )
  const [one, other] = answers.map(({ status, body }) => ({ status, error: { ...body.error, requestId: '' } }))
  expect(one).toEqual(other as typeof one & object)
})

test("a refusal is audited with the caller's key", async () => {
  const { id, secret } = tenancy.key(organizationId, tenancy.user(organizationId), [])
  await troupe.as(secret).post(`${path}/${known.id}/revoke`)
  const lines = () =>
    tenancy.all('select actor_type, operation, resource_id, outcome from audit_events where actor_id = ?', id)
  // lines of refusals are written separately, after the answer
  await eventually('the line', () => lines().length > 0)
  expect(lines()).toEqual([
    { actor_type: 'apiKey', operation: 'revokeApiKey', resource_id: known.id, outcome: 'denied' },
  ])
})

test('a key whose user is no longer a member creates no key, even during a request', async () => {
  const userId = tenancy.user(organizationId)
  const { secret } = tenancy.key(organizationId, userId, permissions)
  // cached by now, and for a moment after
  expect((await troupe.as(secret).get(path)).status).toBe(200)
  tenancy.run('delete from memberships where user_id = ?', userId)
  const { status } = await troupe.as(secret).post(path, { name: 'key', operations: ['*'] })
  expect(status).toBe(409)
  expect(tenancy.all("select id from api_keys where created_by = ? and name = 'key'", userId).length).toBe(1)
  clock.advance(2_000)
  expect((await troupe.as(secret).get(path)).status).toBe(401)
})

test('a key that is revoked during a request neither creates nor rotates a key', async () => {
  const userId = tenancy.user(organizationId)
  const { id, secret } = tenancy.key(organizationId, userId, permissions)
  const { id: other } = tenancy.key(organizationId, tenancy.user(organizationId), permissions)
  // cached by now, and for a moment after
  expect((await troupe.as(secret).get(path)).status).toBe(200)
  tenancy.run("update api_keys set status = 'revoked' where id = ?", id)
  const created = await troupe.as(secret).post(path, { name: 'key', operations: ['*'] })
  const rotated = await troupe.as(secret).post(`${path}/${other}/rotate`, {})
  for (const { status, body } of [created, rotated]) {
    expect([status, body.error.code]).toEqual([409, 'concurrent_change'])
  }
  expect(tenancy.all('select id from api_keys where created_by = ?', userId)).toEqual([{ id }])
  expect(tenancy.all('select status from api_keys where id = ?', other)).toEqual([{ status: 'active' }])
  clock.advance(2_000)
  expect((await troupe.as(secret).get(path)).status).toBe(401)
})

test('a session that ends during a request creates no key', async () => {
  const userId = tenancy.user(organizationId)
  const browser = await browserOfUser(troupe, tenancy, userId)
  expect((await browser.get(path)).status).toBe(200)
  tenancy.run('delete from sessions where user_id = ?', userId)
  const { status, body } = await browser.post(path, { name: 'key', operations: ['*'] })
  expect([status, body.error.code]).toEqual([409, 'concurrent_change'])
  expect(tenancy.all('select id from api_keys where created_by = ?', userId)).toEqual([])
})

describe("a key has its creator's current permissions", () => {
  const members = () => `/api/v1/organizations/${organizationId}/members`

  test('demoted: 403 from the next request; promoted again: 200', async () => {
    const userId = tenancy.user(organizationId, 'admin')
    const { secret } = tenancy.key(organizationId, userId, ['api-keys:list'])
    expect((await troupe.as(secret).get(path)).status).toBe(200)
    await troupe.owner.patch(`${members()}/${userId}`, { role: 'member' })
    expect((await troupe.as(secret).get(path)).status).toBe(403)
    await troupe.owner.patch(`${members()}/${userId}`, { role: 'admin' })
    expect((await troupe.as(secret).get(path)).status).toBe(200)
  })

  test('removed: 401 from the next request, also when added again; the key is shown as revoked', async () => {
    const userId = tenancy.user(organizationId)
    const { id, secret } = tenancy.key(organizationId, userId, ['api-keys:list'])
    expect((await troupe.as(secret).get(path)).status).toBe(200)
    expect((await troupe.owner.delete(`${members()}/${userId}`)).status).toBe(204)
    expect((await troupe.as(secret).get(path)).status).toBe(401)
    await join(troupe, tenancy, { inviter: troupe.owner, organization: organizationId, userId, role: 'owner' })
    expect((await troupe.as(secret).get(path)).status).toBe(401)
    expect((await troupe.owner.get(`${path}/${id}`)).body.data).toMatchObject({ status: 'revoked', createdBy: userId })
  })
})

test('while the organization is being deleted, keys can be read and revoked, and nothing else', async () => {
  const other = tenancy.organization()
  const { id, secret } = tenancy.key(other, tenancy.user(other), permissions)
  const { id: leaked } = tenancy.key(other, tenancy.user(other), permissions)
  tenancy.run("update organizations set status = 'deleting' where id = ?", other)
  const own = troupe.as(secret)
  expect((await own.get(`${path}/${id}`)).status).toBe(200)
  for (const refused of [
    await own.post(path, { name: 'key', operations: ['*'] }),
    await own.patch(`${path}/${id}`, { name: 'renamed' }),
  ]) {
    expect({ status: refused.status, code: refused.body.error.code }).toEqual({
      status: 409,
      code: 'deletion_in_progress',
    })
  }
  expect((await own.post(`${path}/${leaked}/revoke`)).body.data.status).toBe('revoked')
})

test('a session creates keys for its user, only with its token', async () => {
  const signedIn = await troupe.as(null).post('/api/auth/sessions', { email: ownerEmail, password: ownerPassword })
  const [cookie = ''] = (signedIn.headers.getSetCookie()[0] ?? '').split(';')
  const create = (headers: Record<string, string>) =>
    troupe.as(null).post(path, { name: 'from the console', operations: ['*'] }, { headers: { cookie, ...headers } })
  expect((await create({})).body.error.code).toBe('csrf_required')
  const { status, body } = await create({ 'x-csrf-token': signedIn.body.data.csrfToken })
  expect({ status, createdBy: body.data.createdBy }).toEqual({ status: 201, createdBy: signedIn.body.data.user.id })
})
