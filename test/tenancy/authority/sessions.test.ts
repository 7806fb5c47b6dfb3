import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { hashSecret } from '../../../src/platform/secrets/tokens.ts'
import { EmbeddedRevocations } from '../../../src/tenancy/authority/revocations.ts'
import { SessionCredentials } from '../../../src/tenancy/authority/sessions.ts'
import { StoreUnavailable } from '../../../storage/errors.ts'
import { openWorld, refusalOf, startedAt, type World } from './tree-world.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

let world: World
let userId: string
let token: string
beforeEach(async () => {
  world = await openWorld()
  userId = await world.addUser('owner')
  token = await world.addSession(userId)
})
afterEach(() => world?.close())

const requestWith = (cookie: string, headers: Record<string, string> = {}) =>
  new Request('http://localhost/', { headers: { cookie, ...headers } })
const withSession = (headers?: Record<string, string>) => requestWith(`troupe_session=${token}`, headers)
const stored = () =>
  world.store.db.selectFrom('sessions').selectAll().where('id', '=', hashSecret(token)).executeTakeFirstOrThrow()

/** Sends a request, and returns the cookies of the answer. */
async function cookieOf(authenticator = world.authenticator()): Promise<string | undefined> {
  const headers: Record<string, string | number> = {}
  await authenticator.authenticate(null, withSession(), undefined, headers)
  await world.store.lastCommit
  return headers['set-cookie'] as string | undefined
}

describe('the cookie', () => {
  const other = 'x'.repeat(43)
  const rows: { name: string; cookie: () => string; code: string | null }[] = [
    { name: 'alone', cookie: () => `troupe_session=${token}`, code: null },
    { name: 'among other cookies', cookie: () => `theme=dark; troupe_session=${token}; lang=en`, code: null },
    { name: 'between odd spaces', cookie: () => `a=1;troupe_session=${token} ;b`, code: null },
    { name: 'none', cookie: () => 'theme=dark', code: 'unauthenticated' },
    { name: 'empty', cookie: () => 'troupe_session=', code: 'unauthenticated' },
    { name: 'truncated', cookie: () => `troupe_session=${token.slice(1)}`, code: 'unauthenticated' },
    { name: 'badly encoded', cookie: () => 'troupe_session=%E0%A4%A', code: 'unauthenticated' },
    { name: 'with a similar name', cookie: () => `x_troupe_session=${token}`, code: 'unauthenticated' },
    { name: 'with another case', cookie: () => `Troupe_Session=${token}`, code: 'unauthenticated' },
    { name: 'unknown', cookie: () => `troupe_session=${other}`, code: 'session_expired' },
    { name: 'with the stored hash', cookie: () => `troupe_session=${hashSecret(token)}`, code: 'unauthenticated' },
  ]
  test.each(rows)('$name: $code', async ({ cookie, code }) => {
    const authenticator = world.authenticator()
    if (code === null) expect((await authenticator.authenticate(null, requestWith(cookie()))).userId).toBe(userId)
    else {
      const refused = { status: 401, code }
      expect(await refusalOf(() => authenticator.authenticate(null, requestWith(cookie())))).toMatchObject(refused)
      expect(await refusalOf(() => authenticator.identify(null, requestWith(cookie())))).toMatchObject(refused)
    }
  })

  test.each([
    { secure: true, name: '__Host-troupe_session', expected: 'Path=/; Max-Age=43200; Secure; HttpOnly; SameSite=Lax' },
    { secure: false, name: 'troupe_session', expected: 'Path=/; Max-Age=43200; HttpOnly; SameSite=Lax' },
  ])('is inaccessible to scripts and other sites; only over TLS: $secure', ({ secure, name, expected }) => {
    const { store, clock } = world
    const sessions = new SessionCredentials({ store, clock, logger: { warn() {} }, key: new Uint8Array(32), secure })
    expect(sessions.cookie('value')).toBe(`${name}=value; ${expected}`)
  })

  test('has 256 random bits, of which the store has the hash', async () => {
    const tokens = Array.from({ length: 20 }, () => world.sessions.begin(userId).token)
    expect(new Set(tokens).size).toBe(20)
    for (const one of tokens) expect(one).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(JSON.stringify(await stored())).not.toContain(token)
  })
})

describe('accepted callers', () => {
  test('a session is its user', async () => {
    const caller = await world.authenticator().authenticate(null, withSession())
    expect(caller).toMatchObject({
      principal: { type: 'user', id: userId },
      credentialId: hashSecret(token),
      userId,
      organizationId: world.organizationId,
      organization: { slug: 'acme', status: 'active' },
      role: 'owner',
      scope: { projectId: null, environmentId: null, agentId: null },
    })
    expect(caller.csrfToken).toBe(world.sessions.csrfToken(hashSecret(token)))
  })

  test('the CSRF token belongs to one session and one server key', () => {
    const { store, clock, sessions } = world
    const elsewhere = new SessionCredentials({
      store,
      clock,
      logger: { warn() {} },
      key: new Uint8Array(32).fill(2),
      secure: false,
    })
    const tokens = [sessions.csrfToken('a'), sessions.csrfToken('b'), elsewhere.csrfToken('a')]
    expect(new Set(tokens).size).toBe(3)
    expect(tokens[0]).toMatch(/^[A-Za-z0-9_-]{43}$/)
  })

  test('a Bearer beside the cookie takes precedence', async () => {
    const secret = await world.addKey()
    const caller = await world.authenticator().authenticate(`Bearer ${secret}`, withSession())
    expect(caller.principal.type).toBe('apiKey')
    expect(caller.csrfToken).toBe(null)
  })

  test.each([
    { authorization: 'Bearer nonsense', code: 'invalid_api_key' },
    { authorization: 'Basic dXNlcjpwYXNz', code: 'unauthenticated' },
    { authorization: '', code: 'unauthenticated' },
  ])('"$authorization" beside the cookie is still 401 $code', async ({ authorization, code }) => {
    const refused = { status: 401, code }
    const authenticator = world.authenticator()
    expect(await refusalOf(() => authenticator.authenticate(authorization, withSession()))).toMatchObject(refused)
    expect(await refusalOf(() => authenticator.identify(authorization, withSession()))).toMatchObject(refused)
  })
})

describe('the organization', () => {
  let second: string
  let foreign: string
  beforeEach(async () => {
    world.clock.at += 1
    second = await world.addOrganization('second', userId, 'member')
    foreign = await world.addOrganization('foreign', await world.addUser('member'), 'owner')
  })
  const named = (header: string | undefined, path: string | undefined) =>
    world
      .authenticator()
      .authenticate(null, withSession(header === undefined ? {} : { 'x-troupe-organization': header }), path)

  const rows: { name: string; header?: () => string; path?: () => string; expected: () => string | number }[] = [
    { name: 'not given: that of the oldest membership', expected: () => world.organizationId },
    { name: 'an empty header: the same', header: () => '', expected: () => world.organizationId },
    { name: 'its id in the header', header: () => second, expected: () => second },
    { name: 'its slug in the header', header: () => 'second', expected: () => second },
    { name: 'its id in the path', path: () => second, expected: () => second },
    { name: 'its slug in the path', path: () => 'second', expected: () => second },
    { name: 'in both: the path counts', header: () => 'acme', path: () => 'second', expected: () => second },
    { name: 'a foreign header beside a path', header: () => foreign, path: () => 'second', expected: () => second },
    { name: 'a foreign one in the header', header: () => foreign, expected: () => 403 },
    { name: 'an unknown name in the header', header: () => 'nowhere', expected: () => 403 },
    { name: 'a foreign one in the path', path: () => 'foreign', expected: () => 404 },
    { name: 'an unknown name in the path', path: () => 'nowhere', expected: () => 404 },
  ]
  test.each(rows)('$name', async ({ header, path, expected }) => {
    const wanted = expected()
    const ask = () => named(header?.(), path?.())
    if (typeof wanted === 'string') expect((await ask()).organizationId).toBe(wanted)
    else expect((await refusalOf(ask)).status).toBe(wanted)
  })

  test('a foreign one gets the same answer as an unknown one', async () => {
    expect(await refusalOf(() => named(undefined, foreign))).toEqual(await refusalOf(() => named(undefined, 'nowhere')))
    expect(await refusalOf(() => named(foreign, undefined))).toEqual(await refusalOf(() => named('nowhere', undefined)))
  })

  test('requested at once by path and by header, each gets its own refusal', async () => {
    const authenticator = world.authenticator()
    const answers = await Promise.all([
      refusalOf(() => authenticator.authenticate(null, withSession({ 'x-troupe-organization': 'foreign' }))),
      refusalOf(() => authenticator.authenticate(null, withSession(), 'foreign')),
    ])
    expect(answers.map(({ status }) => status)).toEqual([403, 404])
  })

  test('has its own role and grants', async () => {
    expect((await named(undefined, 'acme')).permissions.has('projects:create')).toBe(true)
    expect((await named(undefined, 'second')).permissions.has('projects:create')).toBe(false)
  })

  test('a user without organizations has an identity and no permissions', async () => {
    await world.store.db.deleteFrom('memberships').where('user_id', '=', userId).execute()
    expect((await world.authenticator().identify(null, withSession())).organizationId).toBe(null)
    expect(await refusalOf(() => named(undefined, undefined))).toMatchObject({ status: 403, code: 'permission_denied' })
  })

  test.each([
    { named: () => 'acme', refused: false },
    { named: () => world.organizationId, refused: false },
    { named: () => foreign, refused: true },
    { named: () => 'second', refused: true },
  ])('an API key acts only for its own', async ({ named: organization, refused }) => {
    const header = `Bearer ${await world.addKey()}`
    const authenticator = world.authenticator()
    for (let time = 0; time < 2; time += 1) {
      const ask = async () => authenticator.authenticate(header, withSession(), organization())
      if (refused) expect(await refusalOf(ask)).toMatchObject({ status: 404, code: 'not_found' })
      else expect((await ask()).organizationId).toBe(world.organizationId)
    }
  })
})

describe('its lifetime', () => {
  test('ends twelve hours after the last use, to the millisecond', async () => {
    world.clock.at = startedAt + 12 * hour - 1
    expect((await world.authenticator().identify(null, withSession())).userId).toBe(userId)
    world.clock.at = startedAt + 12 * hour
    const refused = { status: 401, code: 'session_expired' }
    expect(await refusalOf(() => world.authenticator().identify(null, withSession()))).toMatchObject(refused)
    expect(await refusalOf(() => world.authenticator().authenticate(null, withSession()))).toMatchObject(refused)
  })

  test('is extended with each use, up to a week', async () => {
    const authenticator = world.authenticator()
    for (let at = startedAt + 11 * hour; at < startedAt + 7 * day; at += 11 * hour) {
      world.clock.at = at
      const seconds = Math.min(12 * hour, startedAt + 7 * day - at) / 1000
      expect(await cookieOf(authenticator)).toContain(`Max-Age=${seconds};`)
    }
    world.clock.at = startedAt + 7 * day - 1
    expect((await authenticator.identify(null, withSession())).userId).toBe(userId)
    world.clock.at = startedAt + 7 * day
    expect((await refusalOf(() => authenticator.authenticate(null, withSession()))).code).toBe('session_expired')
  })

  test('is not extended from the cache beyond the week', async () => {
    const authenticator = world.authenticator()
    for (let at = 11 * hour; at < 7 * day; at += 11 * hour) {
      world.clock.at = startedAt + at
      await cookieOf(authenticator)
    }
    world.clock.at = startedAt + 7 * day - 1_000
    await cookieOf(authenticator)
    world.clock.at += 1_000
    expect((await refusalOf(() => authenticator.authenticate(null, withSession()))).code).toBe('session_expired')
  })

  test('is extended, and the cookie renewed, at most once a minute', async () => {
    const authenticator = world.authenticator()
    const renewals: number[] = []
    for (let second = 0; second <= 180; second += 1) {
      world.clock.at = startedAt + second * 1_000
      if ((await cookieOf(authenticator)) !== undefined) renewals.push(second)
    }
    expect(renewals).toEqual([60, 120, 180])
    expect(await stored()).toMatchObject({
      last_seen_at: startedAt + 180_000,
      expires_at: startedAt + 180_000 + 12 * hour,
    })
  })

  test('is extended once by concurrent requests of any kind', async () => {
    world.clock.at = startedAt + minute
    await world.addOrganization('second', userId, 'member')
    const commits = world.store.commits
    const authenticator = world.authenticator()
    const answers = Array.from({ length: 9 }, () => ({}) as Record<string, string | number>)
    await Promise.all(
      answers.map((headers, index) =>
        index % 3 === 0
          ? authenticator.identify(null, withSession(), headers)
          : authenticator.authenticate(null, withSession(), ['', 'acme', 'second'][index % 3], headers),
      ),
    )
    expect(answers.filter((headers) => headers['set-cookie'] !== undefined)).toHaveLength(1)
    expect(world.store.commits - commits).toBe(1)
  })

  test('continues when the use cannot be recorded, which is logged', async () => {
    world.clock.at = startedAt + minute
    world.store.beforeCommit = () => {
      throw new StoreUnavailable('full')
    }
    expect(await cookieOf()).toBeDefined()
    expect(world.warnings).toEqual(['the use of a session was not noted'])
  })

  test('that has ended in the store ends with the next request that learns of it', async () => {
    const revocations = new EmbeddedRevocations()
    const authenticator = world.authenticator({ revocations })
    await authenticator.authenticate(null, withSession())
    await world.store.db.deleteFrom('sessions').where('id', '=', hashSecret(token)).execute()
    await revocations.announce({ credentialId: hashSecret(token) })
    expect((await refusalOf(() => authenticator.authenticate(null, withSession()))).code).toBe('session_expired')
  })

  test('a changed role applies to the next request that learns of it', async () => {
    const revocations = new EmbeddedRevocations()
    const authenticator = world.authenticator({ revocations })
    expect((await authenticator.authenticate(null, withSession())).role).toBe('owner')
    await world.store.db.updateTable('memberships').set({ role: 'member' }).where('user_id', '=', userId).execute()
    await revocations.announce({ organizationId: world.organizationId, userId })
    expect((await authenticator.authenticate(null, withSession())).permissions.has('agents:get')).toBe(false)
  })
})
