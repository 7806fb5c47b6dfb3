/** New keys: their fields, their permissions, and refusals. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { permissions } from '../../../src/platform/http/guard/permissions.ts'
import { newId } from '../../../storage/ids.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { openWorld, path, type World } from './world.ts'

const day = 24 * 60 * 60 * 1000
const clock = new HandClock()
const after = (ms: number) => new Date(clock.now() + ms).toISOString()

let world: World
let troupe: World['troupe']
let tenancy: World['tenancy']
let organizationId: string
let create: World['create']
beforeAll(async () => {
  world = await openWorld(clock)
  ;({ troupe, tenancy, organizationId, create } = world)
})
afterAll(() => world?.stop())

describe('a new key', () => {
  test('is shown with its secret, in the shape of the contract', async () => {
    const { status, body } = await create({ name: '  Reporting  ', operations: ['projects:get', 'agent-runs:list'] })
    const { secret, id, prefix, createdBy, ...rest } = body.data
    expect(status).toBe(201)
    expect(secret).toMatch(/^trp_[0-9A-Za-z]{49}$/)
    expect(prefix).toBe(secret.slice(0, 8))
    expect(id).toMatch(/^key_/)
    expect(tenancy.all('select role from memberships where user_id = ?', createdBy)).toEqual([{ role: 'owner' }])
    expect(rest).toEqual({
      name: 'Reporting',
      operations: ['projects:get', 'agent-runs:list'],
      projectId: null,
      environmentId: null,
      agentId: null,
      expiresAt: after(90 * day),
      lastUsedAt: null,
      status: 'active',
      createdAt: after(0),
    })
  })

  test('works at once', async () => {
    const { body } = await create({})
    expect((await troupe.as(body.data.secret).get('/api/v1/agent-runs')).status).toBe(200)
  })

  test('records its last use', async () => {
    const { body } = await create({})
    await troupe.as(body.data.secret).get('/api/v1/agent-runs')
    // the last use is committed before anything written later
    await create({})
    expect((await troupe.owner.get(`${path}/${body.data.id}`)).body.data.lastUsedAt).toBe(after(0))
  })

  test('shows its secret nowhere else: in no other answer, row or log line', async () => {
    const { body } = await create({ name: 'secretive' })
    const { id, secret } = body.data
    const answers = [
      await troupe.owner.get(path, { query: { limit: 100 } }),
      await troupe.owner.get(`${path}/${id}`),
      await troupe.owner.patch(`${path}/${id}`, { name: 'still secretive' }),
      await troupe.owner.post(`${path}/${id}/revoke`),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const tables = tenancy.all<{ name: string }>("select name from sqlite_master where type = 'table'")
    const rows = tables.map(({ name }) => JSON.stringify(tenancy.all(`select * from "${name}"`)))
    const everything = JSON.stringify([answers.map(({ body }) => body), rows, troupe.lines])
    expect(everything).toContain(id)
    expect(everything).not.toContain(secret)
    expect(everything).not.toContain(secret.slice(4))
  })

  test('is audited, with the names of its fields', async () => {
    const { body } = await create({ expiresAt: after(day) })
    const [line] = tenancy.all<{ operation: string }>(
      'select operation, resource_type, outcome, changed from audit_events where resource_id = ?',
      body.data.id,
    )
    expect(line as object).toEqual({
      operation: 'createApiKey',
      resource_type: 'apiKey',
      outcome: 'allowed',
      changed: '["expiresAt","name","operations"]',
    })
  })

  test('may have more permissions than the key that creates it', async () => {
    const { body } = await create({ operations: ['api-keys:create'] })
    const wider = await troupe.as(body.data.secret).post(path, { name: 'wider', operations: ['*'] })
    expect(wider.status).toBe(201)
    expect(wider.body.data.createdBy).toBe(body.data.createdBy)
    expect((await troupe.as(wider.body.data.secret).get(path)).status).toBe(200)
  })

  test('eight concurrent ones with one name are all created, each with its own secret', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => create({ name: 'same' })))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201))
    expect(new Set(answers.map(({ body }) => body.data.secret)).size).toBe(8)
  })

  test('its answer is not stored with an Idempotency-Key, since that would store the secret', async () => {
    const headers = { 'idempotency-key': 'again' }
    const [one, other] = await Promise.all([
      troupe.owner.post(path, { name: 'key', operations: ['*'] }, { headers }),
      troupe.owner.post(path, { name: 'key', operations: ['*'] }, { headers }),
    ])
    expect(one.body.data.id).not.toBe(other.body.data.id)
    expect(tenancy.all("select scope from idempotency_keys where scope like '%again'")).toEqual([])
  })
})

describe('operations', () => {
  const billing = ['billing:read', 'billing:manage']
  test.each<{ given: string[]; stored: readonly string[] }>([
    { given: ['billing:read'], stored: ['billing:read'] },
    { given: ['billing:*'], stored: billing },
    { given: ['billing:manage', 'billing:*', 'billing:read'], stored: billing },
    { given: ['env:variables:*'], stored: permissions.filter((name) => name.startsWith('env:variables:')) },
    {
      given: ['agents:revisions:*'],
      stored: ['agents:revisions:create', 'agents:revisions:get', 'agents:revisions:list'],
    },
    { given: ['*'], stored: permissions },
    { given: Array(100).fill('billing:read'), stored: ['billing:read'] },
  ])('$given.0 … are stored expanded, each once', async ({ given, stored }) => {
    const { status, body } = await create({ operations: given })
    expect(status).toBe(201)
    expect(body.data.operations).toEqual(stored)
    const [row] = tenancy.all<{ operations: string }>('select operations from api_keys where id = ?', body.data.id)
    expect(JSON.parse(row?.operations ?? '')).toEqual(stored)
  })

  test('each unknown one is reported by its index', async () => {
    const { status, body } = await create({ operations: ['billing:fly', 'billing:read', 'Billing:read', 'fly:*'] })
    expect(status).toBe(422)
    expect(body.error.details.issues.map((issue: { path: string }) => issue.path)).toEqual([
      '/body/operations/0',
      '/body/operations/2',
      '/body/operations/3',
    ])
  })
})

describe('an invalid request is reported with its path', () => {
  const rows: { what: string; body: Record<string, unknown>; at: string[] }[] = [
    { what: 'no name', body: { name: undefined }, at: ['/body/name'] },
    { what: 'an empty name', body: { name: ' ' }, at: ['/body/name'] },
    { what: 'a long name', body: { name: 'n'.repeat(201) }, at: ['/body/name'] },
    { what: 'a line break in the name', body: { name: 'a\nb' }, at: ['/body/name'] },
    { what: 'no operations', body: { operations: undefined }, at: ['/body/operations'] },
    { what: 'an empty list of operations', body: { operations: [] }, at: ['/body/operations'] },
    { what: '201 operations', body: { operations: Array(201).fill('*') }, at: ['/body/operations'] },
    { what: 'an operation that is not a string', body: { operations: [1] }, at: ['/body/operations/0'] },
    { what: 'an empty operation', body: { operations: [''] }, at: ['/body/operations/0'] },
    { what: 'operations that are not a list', body: { operations: '*' }, at: ['/body/operations'] },
    { what: 'a family alone', body: { operations: ['billing'] }, at: ['/body/operations/0'] },
    { what: 'a star in a name', body: { operations: ['bill*'] }, at: ['/body/operations/0'] },
    { what: 'a star after a lone colon', body: { operations: [':*'] }, at: ['/body/operations/0'] },
    { what: "a name of Object's prototype", body: { operations: ['__proto__'] }, at: ['/body/operations/0'] },
    { what: 'an id of another kind', body: { projectId: newId('env') }, at: ['/body/projectId'] },
    { what: 'a malformed id', body: { projectId: 'prj_1' }, at: ['/body/projectId'] },
    { what: 'an Environment without a Project', body: { environmentId: newId('env') }, at: ['/body/projectId'] },
    { what: 'an Agent without a Project', body: { agentId: newId('agt') }, at: ['/body/projectId'] },
    { what: 'null for a Project', body: { projectId: null }, at: ['/body/projectId'] },
    { what: 'an expiry in the past', body: { expiresAt: after(-1) }, at: ['/body/expiresAt'] },
    { what: 'an expiry at the current time', body: { expiresAt: after(0) }, at: ['/body/expiresAt'] },
    { what: 'an expiry after 366 days', body: { expiresAt: after(366 * day + 1) }, at: ['/body/expiresAt'] },
    { what: 'an invalid expiry', body: { expiresAt: null }, at: ['/body/expiresAt'] },
    { what: 'an expiry as a number', body: { expiresAt: clock.now() + day }, at: ['/body/expiresAt'] },
    { what: 'an expiry without a time', body: { expiresAt: '2026-03-01' }, at: ['/body/expiresAt'] },
    { what: 'an expiry without a time zone', body: { expiresAt: '2026-03-01T00:00:00' }, at: ['/body/expiresAt'] },
    { what: 'an expiry without seconds', body: { expiresAt: '2026-03-01T00:00Z' }, at: ['/body/expiresAt'] },
    { what: 'an invalid date', body: { expiresAt: '2026-04-31T00:00:00Z' }, at: ['/body/expiresAt'] },
    { what: 'hour 24', body: { expiresAt: '2026-03-01T24:00:00Z' }, at: ['/body/expiresAt'] },
    {
      what: 'an expiry in words',
      body: { expiresAt: 'Sun Mar 01 2026 00:00:00 GMT+0000 (UTC)' },
      at: ['/body/expiresAt'],
    },
    {
      what: 'an expiry with surrounding characters',
      body: { expiresAt: 'on 2026-03-01T00:00:00Z' },
      at: ['/body/expiresAt'],
    },
    { what: 'an unknown field', body: { scope: 'all' }, at: ['/body/scope'] },
    { what: 'a status', body: { status: 'active' }, at: ['/body/status'] },
    {
      what: 'several mistakes at once',
      body: { operations: ['fly'], agentId: newId('agt'), expiresAt: '2020-01-01T00:00:00Z' },
      at: ['/body/operations/0', '/body/projectId', '/body/expiresAt'],
    },
  ]
  test.each(rows)('$what', async ({ body: given, at }) => {
    const before = tenancy.all('select id from api_keys').length
    const { status, body } = await create(given)
    expect({ status, at: body.error.details?.issues.map((issue: { path: string }) => issue.path) }).toEqual({
      status: 422,
      at,
    })
    expect(tenancy.all('select id from api_keys').length).toBe(before)
  })

  test('a body that is not JSON is 400', async () => {
    const headers = { 'content-type': 'application/json' }
    expect((await troupe.owner.post(path, '{', { headers })).status).toBe(400)
    expect((await troupe.owner.post(path, '{"name":"a","name":"b"}', { headers })).status).toBe(400)
    expect((await troupe.owner.post(path, 'name=a', { headers: { 'content-type': 'text/plain' } })).status).toBe(400)
  })
})

test.each([
  { given: '2026-03-01T01:30:00+01:30', shown: '2026-03-01T00:00:00.000Z' },
  { given: '2026-03-01t00:00:00.1239z', shown: '2026-03-01T00:00:00.123Z' },
])('the expiry can be written as $given', async ({ given, shown }) => {
  expect((await create({ expiresAt: given })).body.data.expiresAt).toBe(shown)
})

test('the expiry can be 366 days ahead', async () => {
  expect((await create({ expiresAt: after(366 * day) })).body.data.expiresAt).toBe(after(366 * day))
})

describe('the limit', () => {
  const state = (sql: string) => tenancy.run(sql, organizationId)

  test('an organization has at most 1,000 usable keys; revoked and expired ones do not count', async () => {
    const owner = tenancy.all<{ user_id: string }>('select user_id from memberships')[0]?.user_id as string
    state("delete from api_keys where organization_id = ? and name <> 'bootstrap'")
    tenancy.run('begin')
    for (let count = 1; count < 1_000; count += 1) tenancy.key(organizationId, owner, [])
    tenancy.key(organizationId, owner, [], { status: 'revoked' })
    tenancy.key(organizationId, owner, [], { expires_at: clock.now() })
    tenancy.run('commit')
    const refused = await create({})
    expect({ status: refused.status, code: refused.body.error.code }).toEqual({ status: 422, code: 'limit_exceeded' })
    expect(refused.body.error.details.issues).toEqual([
      { path: '/body', message: 'An organization has at most 1000 usable keys; revoke one first.' },
    ])

    const [one] = tenancy.all<{ id: string }>(
      "select id from api_keys where name = 'key' and status = 'active' and expires_at > ?",
      clock.now(),
    )
    await troupe.owner.post(`${path}/${one?.id}/revoke`)
    const raced = await Promise.all(Array.from({ length: 8 }, () => create({})))
    expect(raced.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(422)])
    state("delete from api_keys where organization_id = ? and name <> 'bootstrap'")
  })
})
