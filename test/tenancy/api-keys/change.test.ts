import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { openWorld, path, type World } from './world.ts'

const hour = 60 * 60 * 1000
const clock = new HandClock()
const after = (ms: number) => new Date(clock.now() + ms).toISOString()

let world: World
let troupe: World['troupe']
let tenancy: World['tenancy']
/** A key of another organization. */
let foreignKeyId: string

beforeAll(async () => {
  world = await openWorld(clock)
  ;({ troupe, tenancy } = world)
  const other = tenancy.organization()
  foreignKeyId = tenancy.key(other, tenancy.user(other), ['projects:list']).id
})
afterAll(() => world?.stop())

/** A key that expires in three hours. */
async function newKey(): Promise<{ id: string; secret: string; path: string }> {
  const { status, body } = await troupe.owner.post(path, {
    name: 'key',
    operations: ['projects:list', 'agent-runs:list'],
    expiresAt: after(3 * hour),
  })
  expect(status).toBe(201)
  const { id, secret } = body.data
  return { id, secret, path: `${path}/${id}` }
}

const statusOf = async (secret: string) => (await troupe.as(secret).get('/api/v1/agent-runs')).status
const audited = (keyId: string, operation: string) =>
  tenancy.all<{ outcome: string }>(
    'select outcome from audit_events where resource_id = ? and operation = ? order by id',
    keyId,
    operation,
  )

describe('changing a key', () => {
  test('changes the name, and nothing else', async () => {
    const key = await newKey()
    const before = (await troupe.owner.get(key.path)).body.data
    const { status, body } = await troupe.owner.patch(key.path, { name: ' Nightly ' })
    expect({ status, data: body.data }).toEqual({ status: 200, data: { ...before, name: 'Nightly' } })
    expect((await troupe.owner.get(key.path)).body).toEqual(body)
    expect(await statusOf(key.secret)).toBe(200)
  })

  test('without fields is 200 and changes nothing', async () => {
    const key = await newKey()
    const before = (await troupe.owner.get(key.path)).body
    expect((await troupe.owner.patch(key.path, {})).body).toEqual(before)
    expect(audited(key.id, 'updateApiKey')).toEqual([{ outcome: 'allowed' }])
  })

  test('an earlier expiry applies as soon as it has passed, from the next request, also for a key in use', async () => {
    const key = await newKey()
    expect(await statusOf(key.secret)).toBe(200)
    const { status, body } = await troupe.owner.patch(key.path, { expiresAt: after(1_000) })
    expect({ status, expiresAt: body.data.expiresAt }).toEqual({ status: 200, expiresAt: after(1_000) })
    clock.advance(999)
    expect(await statusOf(key.secret)).toBe(200)
    clock.advance(1)
    const refused = await troupe.as(key.secret).get('/api/v1/agent-runs')
    expect({ status: refused.status, code: refused.body.error.code }).toEqual({ status: 401, code: 'invalid_api_key' })
  })

  test('an expired key can still be read', async () => {
    const key = await newKey()
    clock.advance(3 * hour)
    expect(await statusOf(key.secret)).toBe(401)
    expect((await troupe.owner.get(key.path)).body.data).toMatchObject({ status: 'active', expiresAt: after(0) })
    expect((await troupe.owner.patch(key.path, { name: 'late' })).status).toBe(200)
    expect((await troupe.owner.patch(key.path, { expiresAt: after(hour) })).status).toBe(422)
  })

  test('the same expiry again is accepted', async () => {
    const key = await newKey()
    expect((await troupe.owner.patch(key.path, { expiresAt: after(3 * hour) })).status).toBe(200)
  })

  const rows: { what: string; body: () => object; at: string }[] = [
    { what: 'a later expiry', body: () => ({ expiresAt: after(3 * hour + 1) }), at: '/body/expiresAt' },
    { what: 'an expiry in the past', body: () => ({ expiresAt: after(-1) }), at: '/body/expiresAt' },
    { what: 'an expiry at the current time', body: () => ({ expiresAt: after(0) }), at: '/body/expiresAt' },
    { what: 'no expiry', body: () => ({ expiresAt: null }), at: '/body/expiresAt' },
    { what: 'a date alone', body: () => ({ expiresAt: '2026-02-01' }), at: '/body/expiresAt' },
    { what: 'an empty name', body: () => ({ name: '' }), at: '/body/name' },
    { what: 'no name', body: () => ({ name: null }), at: '/body/name' },
    { what: 'other operations', body: () => ({ operations: ['*'] }), at: '/body/operations' },
    { what: 'another Project', body: () => ({ projectId: newId('prj') }), at: '/body/projectId' },
    { what: 'a status', body: () => ({ status: 'revoked' }), at: '/body/status' },
    { what: 'a secret', body: () => ({ secret: 'trp_' }), at: '/body/secret' },
  ]
  test.each(rows)('$what: 422, and nothing changes', async ({ body, at }) => {
    const key = await newKey()
    const before = (await troupe.owner.get(key.path)).body
    const refused = await troupe.owner.patch(key.path, body())
    expect(refused.status).toBe(422)
    expect(refused.body.error.details.issues.map((issue: { path: string }) => issue.path)).toEqual([at])
    expect((await troupe.owner.get(key.path)).body).toEqual(before)
  })

  test('of eight concurrent expiries no later one replaces an earlier one', async () => {
    const key = await newKey()
    const hours = [2.5, 1, 2, 1.5, 0.5, 2.2, 1.1, 0.7]
    const answers = await Promise.all(
      hours.map((end) => troupe.owner.patch(key.path, { expiresAt: after(end * hour) })),
    )
    expect(answers.filter(({ status }) => ![200, 409, 422].includes(status))).toEqual([])
    const kept = answers.filter(({ status }) => status === 200).map(({ body }) => body.data.expiresAt)
    expect((await troupe.owner.get(key.path)).body.data.expiresAt).toBe(kept.sort()[0])
  })

  test('concurrent changes of name and expiry and a revocation are all kept', async () => {
    const key = await newKey()
    const answers = await Promise.all([
      troupe.owner.patch(key.path, { name: 'renamed' }),
      troupe.owner.patch(key.path, { expiresAt: after(hour) }),
      troupe.owner.post(`${key.path}/revoke`),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const { name, expiresAt, status } = (await troupe.owner.get(key.path)).body.data
    expect({ name, expiresAt, status }).toEqual({ name: 'renamed', expiresAt: after(hour), status: 'revoked' })
  })
})

describe('revoking a key', () => {
  test('applies from the next request', async () => {
    const key = await newKey()
    expect(await statusOf(key.secret)).toBe(200)
    const { status, body } = await troupe.owner.post(`${key.path}/revoke`)
    expect({ status, revoked: body.data.status }).toEqual({ status: 200, revoked: 'revoked' })
    const refused = await troupe.as(key.secret).get('/api/v1/agent-runs')
    const unknown = await troupe.as(key.secret.replace(/.{6}$/, '000000')).get('/api/v1/agent-runs')
    expect(refused.status).toBe(401)
    expect({ ...refused.body.error, requestId: '' }).toEqual({ ...unknown.body.error, requestId: '' })
  })

  test('twice is 200 with the same key; so are eight concurrent ones', async () => {
    const key = await newKey()
    const first = await troupe.owner.post(`${key.path}/revoke`)
    const again = await Promise.all(Array.from({ length: 8 }, () => troupe.owner.post(`${key.path}/revoke`)))
    expect(again.map(({ status, body }) => ({ status, body }))).toEqual(
      Array(8).fill({ status: 200, body: first.body }),
    )
    expect(await statusOf(key.secret)).toBe(401)
    expect(audited(key.id, 'revokeApiKey')).toEqual(Array(9).fill({ outcome: 'allowed' }))
  })

  test('is possible by the key itself, as its last request', async () => {
    const { body } = await troupe.owner.post(path, { name: 'key', operations: ['api-keys:revoke'] })
    const own = troupe.as(body.data.secret)
    expect((await own.post(`${path}/${body.data.id}/revoke`)).status).toBe(200)
    expect((await own.post(`${path}/${body.data.id}/revoke`)).status).toBe(401)
  })

  test('a revoked key can still be renamed', async () => {
    const key = await newKey()
    await troupe.owner.post(`${key.path}/revoke`)
    const { status, body } = await troupe.owner.patch(key.path, { name: 'the leaked one' })
    expect({ status, name: body.data.name, is: body.data.status }).toEqual({
      status: 200,
      name: 'the leaked one',
      is: 'revoked',
    })
    expect(await statusOf(key.secret)).toBe(401)
  })
})

test('keys are revoked, not deleted: DELETE is 405', async () => {
  const key = await newKey()
  const { status, headers } = await troupe.owner.delete(key.path)
  expect({ status, allow: headers.get('allow') }).toMatchObject({ status: 405 })
  expect((await troupe.owner.put(path)).status).toBe(405)
  expect(await statusOf(key.secret)).toBe(200)
})

describe("another organization's key is like an unknown one", () => {
  test.each([
    { method: 'GET', suffix: '' },
    { method: 'PATCH', suffix: '', body: { name: 'mine' } },
    { method: 'POST', suffix: '/revoke' },
  ])('$method$suffix', async ({ method, suffix, body }) => {
    const ask = async (id: string) => {
      const { status, body: answer } = await troupe.owner.call(method, `${path}/${id}${suffix}`, body)
      return { status, error: { ...answer.error, requestId: '' } }
    }
    const foreign = await ask(foreignKeyId)
    expect(foreign.status).toBe(404)
    expect(foreign).toEqual(await ask(newId('key')))
    expect(foreign).toEqual(await ask('key_1'))
    const [row] = tenancy.all('select name, status from api_keys where id = ?', foreignKeyId)
    expect(row as object).toEqual({ name: 'key', status: 'active' })
  })
})

describe('the list', () => {
  test('is newest first, in pages without repeats or gaps, and without foreign keys', async () => {
    for (let count = 0; count < 5; count += 1) {
      clock.advance(1)
      await newKey()
    }
    const all = (await troupe.owner.get(path, { query: { limit: 100 } })).body.data.items
    const ids: string[] = []
    for (let cursor: string | undefined; ; ) {
      const { status, body } = await troupe.owner.get(path, { query: { limit: 2, cursor } })
      expect(status).toBe(200)
      ids.push(...body.data.items.map(({ id }: { id: string }) => id))
      // keys created meanwhile belong before the first page
      clock.advance(1)
      if (ids.length < 6) await newKey()
      cursor = body.pagination.nextCursor
      if (!body.pagination.hasMore) break
    }
    expect(ids).toEqual(all.map(({ id }: { id: string }) => id))
    expect(ids).toEqual(ids.toSorted().reverse())
    expect(ids).not.toContain(foreignKeyId)
  })

  test.each([
    { name: 'limit', value: '0' },
    { name: 'limit', value: '101' },
    { name: 'limit', value: 'many' },
    { name: 'cursor', value: 'elsewhere' },
    { name: 'cursor', value: '' },
  ])('$name=$value is 422', async ({ name, value }) => {
    expect((await troupe.owner.get(path, { query: { [name]: value } })).status).toBe(422)
  })

  test('the cursor of another list is 422', async () => {
    const [row] = tenancy.all<{ organization_id: string; created_by: string }>(
      'select organization_id, created_by from api_keys where id = ?',
      foreignKeyId,
    )
    const { organization_id: organizationId, created_by: userId } = row as NonNullable<typeof row>
    tenancy.key(organizationId, userId, ['api-keys:list'])
    const { secret } = tenancy.key(organizationId, userId, ['api-keys:list'])
    const { body } = await troupe.as(secret).get(path, { query: { limit: 1 } })
    const { status, body: refused } = await troupe.owner.get(path, { query: { cursor: body.pagination.nextCursor } })
    expect({ status, code: refused.error.code }).toEqual({ status: 422, code: 'invalid_cursor' })
  })
})
