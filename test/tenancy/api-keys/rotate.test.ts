/** Rotation of a key: the new key, the end of the old one, and permissions. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { eventually } from '../../support/process.ts'
import { bothAtOnce } from '../../support/world/replies.ts'
import { type Browser, newMember, signIn } from '../sessions/browser.ts'
import { openWorld, path, type World } from './world.ts'

const second = 1_000
const day = 24 * 60 * 60 * second
const clock = new HandClock()
const after = (ms: number) => new Date(clock.now() + ms).toISOString()

let world: World
let troupe: World['troupe']
let create: World['create']
beforeAll(async () => {
  world = await openWorld(clock)
  ;({ troupe, create } = world)
})
afterAll(() => world?.stop())

const made = async (body: object = {}) => (await create(body)).body.data
const rotate = (id: string, body: object = {}, by: Pick<Browser, 'post'> = troupe.owner) =>
  by.post(`${path}/${id}/rotate`, body)
const works = async (secret: string) => (await troupe.as(secret).get('/api/v1/agent-runs')).status
const shown = async (id: string) => (await troupe.owner.get(`${path}/${id}`)).body.data
const refusal = ({ status, body }: { status: number; body: { error?: { code: string; details?: object } } }) => ({
  status,
  code: body.error?.code,
  details: body.error?.details,
})

describe('the new key', () => {
  test('has the name, operations, scope and expiry of the old one, and its own secret, shown once', async () => {
    const project = (await troupe.owner.post('/api/v1/projects', { slug: 'bound', name: 'Bound' })).body.data.id
    const old = await made({ name: 'Reports', operations: ['agent-runs:list'], projectId: project })
    clock.advance(day)
    const { status, body } = await rotate(old.id)
    expect(status).toBe(201)
    const { id, secret, prefix, previous, ...rest } = body.data
    expect(id).not.toBe(old.id)
    expect(secret).toMatch(/^trp_[0-9A-Za-z]{49}$/)
    expect(secret).not.toBe(old.secret)
    expect(prefix).toBe(secret.slice(0, 8))
    expect(rest).toEqual({
      name: 'Reports',
      operations: ['agent-runs:list'],
      projectId: project,
      environmentId: null,
      agentId: null,
      createdBy: old.createdBy,
      expiresAt: old.expiresAt,
      lastUsedAt: null,
      status: 'active',
      createdAt: after(0),
    })
    const { secret: _, ...before } = old
    expect(previous).toEqual({ ...before, status: 'revoked' })
    expect(await shown(id)).toEqual({ id, prefix, ...rest })
    expect(await shown(old.id)).toEqual(previous)
    expect(await works(secret)).toBe(200)
    expect(JSON.stringify((await troupe.owner.get(path, { query: { limit: 100 } })).body)).not.toContain(secret)
  })

  test("acts for the user who rotates it, with no permission of the old key's user", async () => {
    const admin = await newMember(troupe, world.organizationId, 'admin@example.com', 'admin')
    const old = await made({ operations: ['organizations:delete', 'agent-runs:list'] })
    const { status, body } = await rotate(old.id, {}, admin)
    expect(status).toBe(201)
    expect(body.data.createdBy).toBe(admin.userId)
    expect(body.data.warnings).toMatchObject([{ code: 'acts_for_another_user' }])
    const denied = await troupe.as(body.data.secret).delete(`/api/v1/organizations/${world.organizationId}`)
    expect(refusal(denied)).toMatchObject({ status: 403, details: { permission: 'organizations:delete' } })
    expect(await works(body.data.secret)).toBe(200)
  })
})

describe('the old key', () => {
  test('is refused from the next request on', async () => {
    const old = await made()
    expect(await works(old.secret)).toBe(200)
    expect((await rotate(old.id, { overlapSeconds: 0 })).status).toBe(201)
    expect(await works(old.secret)).toBe(401)
  })

  test('works until the end of the overlap, beside the new one', async () => {
    const old = await made()
    expect(await works(old.secret)).toBe(200)
    const { body } = await rotate(old.id, { overlapSeconds: 60 })
    expect(body.data.previous).toMatchObject({ id: old.id, status: 'active', expiresAt: after(60 * second) })
    clock.advance(60 * second - 1)
    expect([await works(old.secret), await works(body.data.secret)]).toEqual([200, 200])
    clock.advance(1)
    expect([await works(old.secret), await works(body.data.secret)]).toEqual([401, 200])
  })

  test('never lives longer than without the rotation', async () => {
    const old = await made({ expiresAt: after(30 * second) })
    const { body } = await rotate(old.id, { overlapSeconds: 604_800 })
    expect(body.data.previous.expiresAt).toBe(old.expiresAt)
    expect(body.data.expiresAt).toBe(old.expiresAt)
    clock.advance(30 * second)
    expect([await works(old.secret), await works(body.data.secret)]).toEqual([401, 401])
  })

  test('can be revoked during the overlap', async () => {
    const old = await made()
    const { body } = await rotate(old.id, { overlapSeconds: 600 })
    expect((await troupe.owner.post(`${path}/${old.id}/revoke`)).status).toBe(200)
    expect([await works(old.secret), await works(body.data.secret)]).toEqual([401, 200])
  })

  test("can be the caller's own key", async () => {
    const operations = ['api-keys:create', 'api-keys:revoke', 'agent-runs:list']
    const old = await made({ operations })
    const { status, body } = await rotate(old.id, {}, troupe.as(old.secret))
    expect(status).toBe(201)
    expect([await works(old.secret), await works(body.data.secret)]).toEqual([401, 200])
  })
})

describe('is refused', () => {
  test.each([[-1], [604_801], [1.5], ['60'], [null]])(
    'with an overlap of %p: 422, and nothing changes',
    async (overlapSeconds) => {
      const old = await made()
      const { status, body } = await rotate(old.id, { overlapSeconds })
      expect({ status, path: body.error.details.issues[0].path }).toEqual({ status: 422, path: '/body/overlapSeconds' })
      expect(await works(old.secret)).toBe(200)
    },
  )

  test('with an unknown field', async () => {
    expect((await rotate((await made()).id, { name: 'other' })).status).toBe(422)
  })

  const states: [string, (id: string) => Promise<unknown>][] = [
    ['rotated', (id) => rotate(id)],
    ['rotated', (id) => rotate(id, { overlapSeconds: 60 })],
    ['revoked', (id) => troupe.owner.post(`${path}/${id}/revoke`)],
    ['expired', async () => clock.advance(90 * day)],
  ]
  test.each(states)('for a key that is %s: 409 with its state', async (currentState, end) => {
    const old = await made()
    await end(old.id)
    const again = refusal(await rotate(old.id))
    expect(again).toMatchObject({ status: 409, code: 'invalid_transition', details: { currentState } })
  })

  test('again, naming the key that has replaced it', async () => {
    const old = await made()
    const { body } = await rotate(old.id, { overlapSeconds: 60 })
    const again = await rotate(old.id, { overlapSeconds: 60 })
    expect(again.body.error.details).toEqual({ currentState: 'rotated', replacedBy: body.data.id })
    expect(again.body.error.message).toContain(body.data.id)
    expect((await rotate(body.data.id)).status).toBe(201)
  })

  test.each([
    ['api-keys:create', ['api-keys:revoke', 'api-keys:update']],
    ['api-keys:revoke', ['api-keys:create', 'api-keys:update']],
  ])('without %s: 403, and nothing changes', async (permission, operations) => {
    const old = await made()
    const weak = await made({ operations })
    expect(refusal(await rotate(old.id, {}, troupe.as(weak.secret)))).toEqual({
      status: 403,
      code: 'permission_denied',
      details: { permission },
    })
    const misshapen = await troupe.as(weak.secret).post(`${path}/${old.id}/rotate`, { unknown: 1 })
    expect(refusal(misshapen)).toMatchObject({ status: 403, details: { permission } })
    expect(await works(old.secret)).toBe(200)
  })

  test('for an unknown key', async () => {
    expect((await rotate('key_01h455vb4pex5vsknk084sn02q')).status).toBe(404)
  })

  test('to a session without its token', async () => {
    const headers = { cookie: (await signIn(troupe)).cookie }
    const refused = await troupe.as(null).post(`${path}/${(await made()).id}/rotate`, {}, { headers })
    expect(refusal(refused)).toMatchObject({ status: 403, code: 'csrf_required' })
  })

  test('while its scope is being removed, or is gone', async () => {
    const project = (await troupe.owner.post('/api/v1/projects', { slug: 'goes', name: 'Goes' })).body.data.id
    const old = await made({ projectId: project })
    expect((await troupe.owner.delete(`/api/v1/projects/${project}`)).status).toBe(202)
    const { status } = await rotate(old.id)
    expect([404, 409]).toContain(status)
    // and is removed before later tests count keys
    const isGone = async () => (await troupe.owner.get(`${path}/${old.id}`)).status === 404
    await eventually('the end of a key that goes with its Project', isGone)
  })
})

describe('concurrent rotations', () => {
  test.each([0, 60])('with an overlap of %d s: one succeeds, and there is one new key', async (overlapSeconds) => {
    const old = await made({ name: `raced ${overlapSeconds}` })
    const replies = await Promise.all(Array.from({ length: 6 }, () => rotate(old.id, { overlapSeconds })))
    const winners = replies.filter(({ status }) => status === 201)
    expect(winners).toHaveLength(1)
    for (const reply of replies) {
      if (reply !== winners[0]) expect(refusal(reply)).toMatchObject({ status: 409, code: 'invalid_transition' })
    }
    const { items } = (await troupe.owner.get(path, { query: { limit: 100 } })).body.data
    const ofName = items.filter(({ name }: { name: string }) => name === `raced ${overlapSeconds}`)
    expect(ofName).toHaveLength(2)
    expect(await works(winners[0]!.body.data.secret)).toBe(200)
  })

  test('beside a revocation: the old key is revoked, and no secret was shown in vain', async () => {
    for (let round = 0; round < 4; round += 1) {
      const old = await made()
      const [rotated, revoked] = await bothAtOnce(
        round,
        () => rotate(old.id, { overlapSeconds: 60 }),
        () => troupe.owner.post(`${path}/${old.id}/revoke`),
      )
      expect(revoked.status).toBe(200)
      expect([201, 409]).toContain(rotated.status)
      expect(await works(old.secret)).toBe(401)
      if (rotated.status === 201) expect(await works(rotated.body.data.secret)).toBe(200)
    }
  })

  test('beside a change of name: the new key has one of the two names', async () => {
    const old = await made({ name: 'before' })
    const [rotated, changed] = await Promise.all([
      rotate(old.id, { overlapSeconds: 60 }),
      troupe.owner.patch(`${path}/${old.id}`, { name: 'after' }),
    ])
    expect([rotated.status, changed.status]).toEqual([201, 200])
    expect(['before', 'after']).toContain(rotated.body.data.name)
  })
})

describe('with the maximum number of usable keys', () => {
  test('a rotation without overlap succeeds, one with an overlap would be one more', async () => {
    const old = await made()
    const usable = `select count(*) as count from api_keys where status = 'active' and expires_at > ?`
    const count = () => world.tenancy.all<{ count: number }>(usable, clock.now())[0]!.count
    for (let missing = 1_000 - count(); missing > 0; missing -= 1) await made({ name: 'filler' })
    expect(count()).toBe(1_000)
    const refused = await rotate(old.id, { overlapSeconds: 60 })
    expect(refusal(refused)).toMatchObject({ status: 422, code: 'limit_exceeded' })
    expect(refused.body.error.message).toContain('overlapSeconds 0')
    expect(await works(old.secret)).toBe(200)
    const { status, body } = await rotate(old.id)
    expect(status).toBe(201)
    expect([await works(old.secret), await works(body.data.secret)]).toEqual([401, 200])
    expect(count()).toBe(1_000)
  })
})

test('the audit log names the rotated key', async () => {
  clock.advance(91 * day)
  const other = await signIn(troupe)
  const { body } = await other.post(path, { name: 'audited', operations: ['agent-runs:list'] })
  const { requestId } = await rotate(body.data.id, { overlapSeconds: 60 }, other)
  const audit = await other.get(`/api/v1/organizations/${world.organizationId}/audit-events`)
  const lines = audit.body.data.items.filter((item: { requestId: string }) => item.requestId === requestId)
  expect(lines).toMatchObject([
    {
      operation: 'rotateApiKey',
      outcome: 'allowed',
      resource: { type: 'apiKey', id: body.data.id },
      changed: ['overlapSeconds'],
    },
  ])
})
