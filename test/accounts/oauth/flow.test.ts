/** The consent flow at a real OpenID provider, followed step by step. Source: requirement 4.2; contract 4, "OAuth". */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../../support/process.ts'
import { begunBy, openWorld, outcomeOf, publicUrl, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

test('a consent becomes a Connection', async () => {
  const end = await world.connect({ returnTo: '/connections?tab=all#list' })
  const { connectionId, ...outcome } = outcomeOf(end)
  expect(outcome).toEqual({ at: `${publicUrl}/connections`, tab: 'all', oauth: 'success' })
  expect(end.hash).toBe('#list')
  expect(await world.connection(connectionId!)).toMatchObject({
    name: 'Acme (ada@example.com)',
    kind: 'http',
    status: 'active',
    statusReason: null,
    settings: { baseUrl: `${world.odd.url}/api`, auth: 'bearer' },
    agentId: null,
    bindingKey: null,
    currentVersion: { number: 1 },
    oauth: {
      presetKey: 'acme',
      scopes: ['openid', 'email', 'offline_access'],
      account: { id: 'ada', label: 'ada@example.com' },
    },
  })
})

test('the browser is redirected to the provider with a code challenge and receives a flow cookie', async () => {
  const reply = await world.start('acme', { returnTo: '/' })
  expect(reply.status).toBe(302)
  expect(reply.headers.get('cache-control')).toBe('no-store')
  const { searchParams, origin, pathname } = new URL(reply.headers.get('location')!)
  expect(origin + pathname).toBe(world.acme.authorizationEndpoint)
  const { state, code_challenge: challenge, ...rest } = Object.fromEntries(searchParams)
  expect(rest).toEqual({
    response_type: 'code',
    client_id: world.acme.clientId,
    redirect_uri: `${publicUrl}/api/oauth/callback/acme`,
    code_challenge_method: 'S256',
    scope: 'openid email offline_access',
    prompt: 'consent',
  })
  expect(state).toMatch(/^[\w-]{43}$/)
  expect(challenge).toMatch(/^[\w-]{43}$/)
  const name = `troupe_oauth_${new Bun.CryptoHasher('sha256').update(state!).digest('hex').slice(0, 12)}`
  const [cookie, ...others] = reply.headers.getSetCookie()
  expect(others).toEqual([])
  expect(cookie).toStartWith(`${name}=eyJ`)
  for (const part of ['HttpOnly', 'SameSite=Lax', 'Path=/', 'Max-Age=600']) expect(cookie).toContain(part)
  expect(cookie).not.toContain('Secure')
})

test('states, verifiers and cookies differ each time', async () => {
  const begun = await Promise.all(Array.from({ length: 8 }, () => world.begin('acme')))
  for (const field of ['state', 'cookie', 'location'] as const) {
    expect(new Set(begun.map((one) => one[field])).size).toBe(8)
  }
})

test('without returnTo the flow ends at the root of the console', async () => {
  expect(outcomeOf(await world.connect())).toMatchObject({ at: `${publicUrl}/`, oauth: 'success' })
})

test('the callback clears the cookie, and asks the browser to send no referrer', async () => {
  const begun = await world.begin('acme')
  const query = Object.fromEntries(new URL(await world.acme.consent(begun.location)).searchParams)
  const { headers } = await world.arrive('acme', begun, query)
  expect(headers.getSetCookie()[0]).toMatch(/^troupe_oauth_\w{12}=; .*Max-Age=0/)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
})

test("a denied consent is reported as denied, without the provider's text", async () => {
  const begun = await world.begin('acme', { returnTo: '/done' })
  const end = await world.finish(begun, await world.acme.consent(begun.location, { deny: true }))
  expect(outcomeOf(end)).toEqual({ at: `${publicUrl}/done`, oauth: 'error', code: 'access_denied' })
})

test('a key is never sent to the provider', async () => {
  await world.connect()
  const basic = Buffer.from(`${world.acme.clientId}:${world.acme.clientSecret}`).toString('base64')
  expect([...world.acme.authorizations]).toEqual([`Basic ${basic}`])
})

describe('another consent for the same account', () => {
  const idOf = (end: URL) => end.searchParams.get('connectionId')!

  test('is the next version of the same Connection, which keeps its name and settings and becomes active again', async () => {
    const id = idOf(await world.connect({}, 'grace'))
    const at = `${world.path}/connections/${id}`
    const settings = { baseUrl: 'https://api.example.com/v2', headers: { 'X-Version': '2' } }
    const changed = await world.owner.patch(at, { name: 'Ours', status: 'disabled', version: { settings } })
    expect(changed.body.data).toMatchObject({
      settings: { ...settings, auth: 'bearer' },
      currentVersion: { number: 2 },
      oauth: { account: { id: 'grace' } },
    })
    expect(idOf(await world.connect({}, 'grace'))).toBe(id)
    expect(await world.connection(id)).toMatchObject({
      name: 'Ours',
      status: 'active',
      settings: { ...settings, auth: 'bearer' },
      currentVersion: { number: 3 },
    })
  })

  test('at the same moment creates one Connection with a version for each', async () => {
    const ends = await Promise.all(Array.from({ length: 6 }, () => world.connect({}, 'linus')))
    const ids = new Set(ends.map(idOf))
    expect(ids.size).toBe(1)
    expect((await world.connection([...ids][0]!)).currentVersion.number).toBe(6)
  })

  test('in another Environment creates another Connection', async () => {
    const one = await world.connect({}, 'alan')
    const other = await world.connect({ environmentId: world.project.environments[1] }, 'alan')
    expect(other.searchParams.get('oauth')).toBe('success')
    expect(idOf(other)).not.toBe(idOf(one))
  })

  test('after its Connection was deleted creates a new one', async () => {
    const id = idOf(await world.connect({}, 'edsger'))
    expect((await world.owner.delete(`${world.path}/connections/${id}`)).status).toBe(204)
    const next = idOf(await world.connect({}, 'edsger'))
    expect(next).not.toBe(id)
    expect((await world.connection(next)).currentVersion.number).toBe(1)
    const consents = (of: string) => world.rows('select 1 from oauth_grants where connection_id = ?', of).length
    await eventually('the removal of its consents', () => {
      world.clock.advance(60_000)
      return consents(id) === 0
    })
    expect(consents(next)).toBe(1)
  })
})

test('a duplicate name gets a number', async () => {
  await world.owner.post(`${world.path}/connections`, {
    name: 'Acme (barbara@example.com)',
    kind: 'custom',
    settings: {},
  })
  const end = await world.connect({}, 'barbara')
  expect((await world.connection(end.searchParams.get('connectionId')!)).name).toBe('Acme (barbara@example.com) 2')
})

test('an Environment with 200 Connections accepts no more, and keeps updating those it has', async () => {
  const { id, path, environments } = await world.newProject()
  const place = { projectId: id, environmentId: environments[0] }
  const known = await world.connect(place, 'ada')
  const at = `${path}/environments/${environments[0]}/connections`
  for (let count = 1; count < 200; count += 1) {
    await world.owner.post(at, { name: `${count}`, kind: 'custom', settings: {} }, { unchecked: true })
  }
  expect(outcomeOf(await world.connect(place, 'grace'))).toMatchObject({ oauth: 'error', code: 'exchange_failed' })
  expect((await world.connect(place, 'ada')).searchParams.get('connectionId')).toBe(
    known.searchParams.get('connectionId'),
  )
})

test('the audit log records who connected what', async () => {
  // lines are newest first
  world.clock.advance(1000)
  const end = await world.connect({}, 'donald')
  const { body } = await world.owner.get(`/api/v1/organizations/${world.ours}/audit-events`)
  const { at, id, requestId, ...line } = body.data.items[0]
  expect(line).toMatchObject({
    actor: { type: 'apiKey' },
    operation: 'completeOAuth',
    resource: { type: 'connection', id: end.searchParams.get('connectionId') },
    outcome: 'allowed',
    changed: [],
  })
})

describe('with a session', () => {
  const nobody = () => world.as(null)

  test('the browser sends both cookies and needs no other token', async () => {
    const session = await world.signIn()
    const query = { projectId: world.project.id, environmentId: world.environmentId }
    const begun = begunBy(await nobody().get('/api/oauth/start/acme', { query, headers: { cookie: session } }))
    const back = Object.fromEntries(new URL(await world.acme.consent(begun.location)).searchParams)
    const cookie = `${session}; ${begun.cookie}`
    const reply = await nobody().get('/api/oauth/callback/acme', { query: back, headers: { cookie } })
    expect(outcomeOf(new URL(reply.headers.get('location')!))).toMatchObject({ oauth: 'success' })
  })

  test('that is renewed at the same moment, the browser receives both cookies', async () => {
    const session = await world.signIn()
    world.clock.advance(61_000)
    const query = { projectId: world.project.id, environmentId: world.environmentId }
    const { headers } = await nobody().get('/api/oauth/start/acme', { query, headers: { cookie: session } })
    expect(headers.getSetCookie().map((line) => line.split('=')[0]!.slice(0, 13))).toEqual([
      'troupe_sessio',
      'troupe_oauth_',
    ])
  })

  test('the organization is that of the Project, for a user who belongs to several', async () => {
    const other = world.organization()
    const [{ id: ownerId }] = world.rows<{ id: string }>("select id from users where email = 'owner@localhost'") as [
      { id: string },
    ]
    world.rows(
      "insert into memberships (organization_id, user_id, role, created_at) values (?, ?, 'owner', ?)",
      other.id,
      ownerId,
      world.clock.now() + 1,
    )
    await world.register('acme', other.owner, other.id)
    const project = await world.newProject(other.owner)
    const session = await world.signIn()
    const query = { projectId: project.id, environmentId: project.environments[0] }
    const begun = begunBy(await nobody().get('/api/oauth/start/acme', { query, headers: { cookie: session } }))
    const back = Object.fromEntries(new URL(await world.acme.consent(begun.location)).searchParams)
    const cookie = `${session}; ${begun.cookie}`
    const reply = await nobody().get('/api/oauth/callback/acme', { query: back, headers: { cookie } })
    expect(outcomeOf(new URL(reply.headers.get('location')!))).toMatchObject({ oauth: 'success' })
    const listed = await other.owner.get(`${project.path}/environments/${project.environments[0]}/connections`)
    expect(listed.body.data.items).toHaveLength(1)
  })
})
