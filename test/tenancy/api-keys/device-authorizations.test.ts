/** API keys by consent: a program asks, a person approves, the program exchanges its code, once. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { api, type Client } from '../../support/client.ts'
import { openTroupe, ownerPassword, type Troupe } from '../../support/troupe.ts'
import { bothAtOnce } from '../../support/world/replies.ts'
import { Tenancy } from '../../support/world/tenancy.ts'
import { signIn } from '../sessions/browser.ts'

let troupe: Troupe
let stranger: Client
const clock = new HandClock()
const minute = 60_000
beforeAll(async () => {
  troupe = await openTroupe({ clock, environment: { TROUPE_RUNNER: 'none', TROUPE_TRUSTED_PROXIES: '1' } })
  stranger = api(troupe.url)
})
afterAll(() => troupe?.stop())

const path = '/api/auth/device-authorizations'
const waiting = '/api/v1/device-authorizations'
const ask = async (clientName = 'troupe CLI on laptop') => {
  const { status, body } = await stranger.post(path, { clientName })
  expect(status).toBe(201)
  return body.data as { deviceCode: string; userCode: string; verificationUrlComplete: string; expiresAt: string }
}
const exchange = (deviceCode: string) => stranger.post(`${path}/token`, { deviceCode })
const approve = (userCode: string, body: object = { operations: ['*'] }, by: Pick<Client, 'post'> = troupe.owner) =>
  by.post(`${waiting}/${userCode}/approve`, body)

describe('a program', () => {
  test('waits until a user has approved it, and gets a key of that user, once', async () => {
    const { deviceCode, userCode, verificationUrlComplete } = await ask()
    expect(userCode).toMatch(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/)
    expect(verificationUrlComplete).toEndWith(`/device?code=${userCode}`)
    const early = await exchange(deviceCode)
    expect([early.status, early.body.error.code]).toEqual([409, 'authorization_pending'])

    // as a user types it
    const shown = await troupe.owner.get(`${waiting}/${userCode.toLowerCase().replace('-', '%20')}`)
    expect(shown.body.data).toMatchObject({ userCode, clientName: 'troupe CLI on laptop' })
    expect((await approve(userCode, { operations: ['agent-runs:*', 'projects:list'] })).status).toBe(204)

    const { status, body, headers } = await exchange(deviceCode)
    expect(status).toBe(201)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body.data).toMatchObject({ name: 'troupe CLI on laptop', projectId: null, status: 'active' })
    expect(body.data.operations).toContain('agent-runs:create')
    expect((await api(troupe.url, body.data.secret).get('/api/v1/projects')).status).toBe(200)
    expect((await api(troupe.url, body.data.secret).get('/api/v1/api-keys')).status).toBe(403)
    const again = await exchange(deviceCode)
    expect([again.status, again.body.error.code]).toEqual([401, 'invalid_credentials'])
  })

  test('gets one key from several concurrent exchanges', async () => {
    const { deviceCode, userCode } = await ask('eight at a time')
    await approve(userCode)
    const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(deviceCode)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
    const { body } = await troupe.owner.get('/api/v1/api-keys?limit=100')
    const made = body.data.items.filter(({ name }: { name: string }) => name === 'eight at a time')
    expect(made).toHaveLength(1)
  })

  test('gets the same answer for a denied code as for an unknown one', async () => {
    const { deviceCode, userCode } = await ask()
    expect((await troupe.owner.post(`${waiting}/${userCode}/deny`)).status).toBe(204)
    const denied = await exchange(deviceCode)
    const unknown = await exchange('never')
    expect(denied.status).toBe(401)
    expect({ ...denied.body.error, requestId: '' }).toEqual({ ...unknown.body.error, requestId: '' })
  })

  test('waits for ten minutes; an approval then adds five minutes', async () => {
    const late = await ask()
    const approved = await ask()
    clock.advance(10 * minute - 1)
    expect((await approve(approved.userCode)).status).toBe(204)
    clock.advance(1)
    expect((await exchange(late.deviceCode)).status).toBe(401)
    expect((await troupe.owner.get(`${waiting}/${late.userCode}`)).status).toBe(404)
    expect((await approve(late.userCode)).status).toBe(404)
    clock.advance(5 * minute - 2)
    expect((await exchange(approved.deviceCode)).status).toBe(201)
  })
})

test('a key whose own expiry has passed before the exchange is refused like an expired code', async () => {
  const { deviceCode, userCode } = await ask()
  const expiresAt = new Date(clock.now() + minute).toISOString()
  expect((await approve(userCode, { operations: ['*'], expiresAt })).status).toBe(204)
  clock.advance(minute)
  const { status, body } = await exchange(deviceCode)
  expect([status, body.error.code]).toEqual([401, 'invalid_credentials'])
})

describe('an approval ends with the credential that gave it:', () => {
  const refused = async (deviceCode: string) => {
    const { status, body } = await exchange(deviceCode)
    expect([status, body.error.code]).toEqual([401, 'invalid_credentials'])
  }

  test('a session that was signed out', async () => {
    const { deviceCode, userCode } = await ask()
    const session = await signIn(troupe)
    expect((await approve(userCode, { operations: ['*'] }, session)).status).toBe(204)
    expect((await session.delete('/api/auth/session')).status).toBe(204)
    await refused(deviceCode)
  })

  test('a session that a change of the password has ended', async () => {
    const { deviceCode, userCode } = await ask()
    const [stolen, own] = [await signIn(troupe), await signIn(troupe)]
    expect((await approve(userCode, { operations: ['*'] }, stolen)).status).toBe(204)
    const change = (current: string, next: string) => own.post('/api/auth/password', { current, new: next })
    expect((await change(ownerPassword, 'another password of the owner')).status).toBe(204)
    await refused(deviceCode)
    expect((await change('another password of the owner', ownerPassword)).status).toBe(204)
  })

  test('a session that an owner has ended for the organization', async () => {
    const { deviceCode, userCode } = await ask()
    const tenancy = new Tenancy(troupe.file, () => clock.now())
    const [organization] = tenancy.all<{ id: string }>("select id from organizations where slug = 'default'")
    const admin = tenancy.user(organization?.id ?? '', 'admin')
    const cookie = tenancy.session(admin)
    tenancy.close()
    const session = await stranger.get('/api/auth/session', { headers: { cookie } })
    const headers = { cookie, 'x-csrf-token': session.body.data.csrfToken }
    const approved = stranger.post(`${waiting}/${userCode}/approve`, { operations: ['*'] }, { headers })
    expect((await approved).status).toBe(204)
    clock.advance(1)
    expect((await troupe.owner.delete(`/api/v1/organizations/default/members/${admin}/sessions`)).status).toBe(204)
    await refused(deviceCode)
  })

  test('a key that was revoked', async () => {
    const { deviceCode, userCode } = await ask()
    const leaked = (await troupe.owner.post('/api/v1/api-keys', { name: 'leaked', operations: ['api-keys:create'] }))
      .body.data
    expect((await approve(userCode, { operations: ['*'] }, api(troupe.url, leaked.secret))).status).toBe(204)
    expect((await troupe.owner.post(`/api/v1/api-keys/${leaked.id}/revoke`)).status).toBe(200)
    await refused(deviceCode)
  })

  test('a key that has expired', async () => {
    const { deviceCode, userCode } = await ask()
    const expiresAt = new Date(clock.now() + minute).toISOString()
    const brief = (
      await troupe.owner.post('/api/v1/api-keys', { name: 'brief', operations: ['api-keys:create'], expiresAt })
    ).body.data
    expect((await approve(userCode, { operations: ['*'] }, api(troupe.url, brief.secret))).status).toBe(204)
    clock.advance(minute)
    await refused(deviceCode)
  })

  test('a session whose week is over', async () => {
    const hour = 60 * minute
    const session = await signIn(troupe)
    for (let hours = 11; hours < 7 * 24; hours += 11) {
      clock.advance(11 * hour)
      expect((await session.get('/api/auth/session')).status).toBe(200)
      // the use is stored in the background; a later commit comes after it
      expect((await troupe.owner.patch('/api/v1/organizations/default', {})).status).toBe(200)
    }
    clock.advance(3 * hour - minute)
    const { deviceCode, userCode } = await ask()
    expect((await approve(userCode, { operations: ['*'] }, session)).status).toBe(204)
    clock.advance(minute)
    expect((await session.get('/api/auth/session')).status).toBe(401)
    await refused(deviceCode)
  })
})

describe('a user', () => {
  test('approves in a session, for the organization of the session', async () => {
    const { deviceCode, userCode } = await ask()
    const session = await signIn(troupe)
    expect((await session.post(`${waiting}/${userCode}/approve`, { operations: ['*'] })).status).toBe(204)
    const { body } = await exchange(deviceCode)
    const audit = await troupe.owner.get('/api/v1/organizations/default/audit-events?limit=100')
    const line = audit.body.data.items.find(
      ({ resource }: { resource: { id: string } }) => resource.id === body.data.id,
    )
    expect(line).toMatchObject({ operation: 'exchangeDeviceCode', actor: { type: 'user' }, outcome: 'allowed' })
  })

  test.each([0, 1, 2, 3])('decides once, whoever else decides at the same time (%d)', async (round) => {
    const denied = await ask()
    const deny = () => troupe.owner.post(`${waiting}/${denied.userCode}/deny`)
    const decided = await bothAtOnce(round, () => approve(denied.userCode), deny)
    expect(decided.map(({ status }) => status).toSorted()).toEqual([204, 404])

    const { deviceCode, userCode } = await ask()
    const wishes = ['projects:list', 'projects:get'].map(
      (operation) => () => approve(userCode, { operations: [operation] }),
    )
    const approved = await bothAtOnce(round, wishes[0]!, wishes[1]!)
    expect(approved.map(({ status }) => status).toSorted()).toEqual([204, 404])
    expect((await troupe.owner.get(`${waiting}/${userCode}`)).status).toBe(404)
    const given = approved[0].status === 204 ? 'projects:list' : 'projects:get'
    expect((await exchange(deviceCode)).body.data.operations).toEqual([given])
  })

  test('needs the permission to create keys', async () => {
    const { userCode } = await ask()
    const weak = (await troupe.owner.post('/api/v1/api-keys', { name: 'weak', operations: ['projects:list'] })).body
      .data
    const { status, body } = await approve(userCode, { operations: ['*'] }, api(troupe.url, weak.secret))
    expect([status, body.error.details]).toEqual([403, { permission: 'api-keys:create' }])
    expect((await approve(userCode, { operations: ['*'] }, stranger)).status).toBe(401)
  })

  test.each<[object, string]>([
    [{ operations: [] }, '/body/operations'],
    [{ operations: ['nonsense'] }, '/body/operations/0'],
    [{ operations: ['*'], expiresAt: '2020-01-01T00:00:00Z' }, '/body/expiresAt'],
    [{ operations: ['*'], name: 'another' }, '/body/name'],
  ])('is told the mistake in %j', async (given, at) => {
    const { userCode } = await ask()
    const { status, body } = await approve(userCode, given)
    expect(status).toBe(422)
    expect(body.error.details.issues.map((issue: { path: string }) => issue.path)).toContain(at)
  })
})

test('the addresses of an IPv6 network are limited together', async () => {
  const from = (address: string) =>
    stranger.post(path, { clientName: 'flood' }, { headers: { 'x-forwarded-for': address } })
  const answers = await Promise.all(Array.from({ length: 40 }, (_, host) => from(`2001:db8:5:1::${host.toString(16)}`)))
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(10)
  expect((await from('2001:db8:5:2::1')).status).toBe(201)
})

test('the number of requests per address is limited', async () => {
  const answers = await Promise.all(Array.from({ length: 40 }, () => stranger.post(path, { clientName: 'flood' })))
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThan(0)
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
})
