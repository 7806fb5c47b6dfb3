/** Callbacks that are rejected or lead nowhere. Source: requirement 4.2; contract 4, "OAuth"; trust 2.4. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Reply } from '../../support/client.ts'
import { eventually } from '../../support/process.ts'
import { verdict } from '../../support/world/replies.ts'
import { tokens } from './odd-provider.ts'
import { type Begun, begunBy, openWorld, outcomeOf, publicUrl, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())
beforeEach(() => {
  world.odd.reset()
  world.odd.tokenAnswers = [() => tokens()]
})

const root = `${publicUrl}/`
const failed = (code: string) => `${publicUrl}/done?oauth=error&code=${code}`
const locationOf = ({ headers }: Reply) => headers.get('location')
const back = (begun: Begun, more: Record<string, string> = {}) => ({ code: 'a-code', state: begun.state, ...more })

describe('a callback', () => {
  test('without a credential returns 401 and does not consume the flow', async () => {
    const begun = await world.begin('odd')
    const stranger = await world.arrive('odd', begun, back(begun), world.as(null))
    expect(verdict(stranger)).toEqual([401, 'unauthenticated'])
    const revoked = await world.arrive('odd', begun, back(begun), world.as(`trp_${'0'.repeat(49)}`))
    expect(revoked.status).toBe(401)
    expect(outcomeOf(new URL(locationOf(await world.arrive('odd', begun, back(begun)))!))).toMatchObject({
      oauth: 'success',
    })
  })

  const changed = (cookie: string, at: number) => {
    const other = cookie[at] === 'A' ? 'B' : 'A'
    return cookie.slice(0, at) + other + cookie.slice(at + 1)
  }
  const nowhere: [string, (begun: Begun, other: Begun) => { cookie: string; query: Record<string, string> }][] = [
    ['no cookie', (begun) => ({ cookie: '', query: back(begun) })],
    ['no state', ({ cookie }) => ({ cookie, query: { code: 'a-code' } })],
    ['an empty state', ({ cookie }) => ({ cookie, query: { code: 'a-code', state: '' } })],
    ['a malformed state', (begun) => ({ cookie: begun.cookie, query: back(begun, { state: '../x' }) })],
    ['a state of no flow', (begun) => ({ cookie: begun.cookie, query: back(begun, { state: 'A'.repeat(43) }) })],
    ['the state of another flow', (begun, other) => ({ cookie: begun.cookie, query: back(other) })],
    [
      "the cookie of another flow under this flow's name",
      (begun, other) => ({
        cookie: `${begun.cookie.split('=')[0]}=${other.cookie.split('=')[1]}`,
        query: back(begun),
      }),
    ],
    ['a changed header', (begun) => ({ cookie: changed(begun.cookie, 30), query: back(begun) })],
    ['a changed text', (begun) => ({ cookie: changed(begun.cookie, 300), query: back(begun) })],
    ['a changed tag', (begun) => ({ cookie: changed(begun.cookie, begun.cookie.length - 5), query: back(begun) })],
    ['no JWE', (begun) => ({ cookie: `${begun.cookie.split('=')[0]}=hello`, query: back(begun) })],
    [
      'a JWE of an unknown key',
      (begun) => {
        const [name, value] = begun.cookie.split('=') as [string, string]
        const [header, ...rest] = value.split('.') as [string, ...string[]]
        const words = { ...JSON.parse(Buffer.from(header, 'base64url').toString()), kid: 'unknown' }
        const moved = [Buffer.from(JSON.stringify(words)).toString('base64url'), ...rest].join('.')
        return { cookie: `${name}=${moved}`, query: back(begun) }
      },
    ],
  ]

  test.each(nowhere)('with %s redirects to the root of the console', async (_, make) => {
    const begun = await world.begin('odd', { returnTo: '/done' })
    const { cookie, query } = make(begun, await world.begin('odd', { returnTo: '/done' }))
    const reply = await world.arrive('odd', { cookie }, query)
    expect([reply.status, locationOf(reply)]).toEqual([302, root])
    expect(world.odd.tokenRequests).toEqual([])
  })

  test('for another preset redirects to the root, and the flow can still complete at its own preset', async () => {
    const begun = await world.begin('odd')
    expect(locationOf(await world.arrive('strict', begun, back(begun)))).toBe(root)
    expect(locationOf(await world.arrive('nothing', begun, back(begun)))).toBe(root)
    expect(locationOf(await world.arrive('odd', begun, back(begun)))).toContain('oauth=success')
  })

  test('after ten minutes redirects to the root', async () => {
    const begun = await world.begin('odd')
    world.clock.advance(600_000)
    expect(locationOf(await world.arrive('odd', begun, back(begun)))).toBe(root)
    expect(world.odd.tokenRequests).toEqual([])
  })

  test('by another key of the same user redirects to the root and does not consume the flow', async () => {
    const begun = await world.begin('odd')
    const other = world.keyOf(world.ownerId)
    expect(locationOf(await world.arrive('odd', begun, back(begun), other))).toBe(root)
    expect(locationOf(await world.arrive('odd', begun, back(begun), world.organization().owner))).toBe(root)
    expect(locationOf(await world.arrive('odd', begun, back(begun)))).toContain('oauth=success')
  })

  test('by another session of the same user redirects to the root and does not consume the flow', async () => {
    const [one, other] = [await world.signIn(), await world.signIn()]
    const nobody = world.as(null)
    const query = { projectId: world.project.id, environmentId: world.environmentId }
    const begun = begunBy(await nobody.get('/api/oauth/start/odd', { query, headers: { cookie: one } }))
    const arrive = (session: string) =>
      world.arrive('odd', { cookie: `${session}; ${begun.cookie}` }, back(begun), nobody)
    expect(locationOf(await arrive(other))).toBe(root)
    expect(locationOf(await arrive(one))).toContain('oauth=success')
  })

  test('that is repeated returns state_reused, and sends no request to the provider', async () => {
    const begun = await world.begin('odd', { returnTo: '/done' })
    await world.arrive('odd', begun, back(begun))
    const again = new URL(locationOf(await world.arrive('odd', begun, back(begun)))!)
    expect(outcomeOf(again)).toEqual({ at: `${publicUrl}/done`, oauth: 'error', code: 'state_reused' })
    expect(world.odd.tokenRequests).toHaveLength(1)
  })

  test('is remembered until the flow would be rejected for its age', async () => {
    const begun = await world.begin('odd')
    await world.arrive('odd', begun, back(begun))
    const remembered = () => world.rows('select state_hash from oauth_flows_used').length
    expect(remembered()).toBeGreaterThan(0)
    world.clock.advance(20 * 60_000)
    // a sweep that was running meanwhile sweeps again after its interval
    await eventually('the deletion of the callback record', () => {
      world.clock.advance(600_000)
      return remembered() === 0
    })
  })

  test('received eight times concurrently requests one token', async () => {
    const begun = await world.begin('odd')
    const replies = await Promise.all(Array.from({ length: 8 }, () => world.arrive('odd', begun, back(begun))))
    const codes = replies.map((reply) => new URL(locationOf(reply)!).searchParams.get('code'))
    expect(codes.filter((code) => code === null)).toHaveLength(1)
    expect(codes.filter((code) => code === 'state_reused')).toHaveLength(7)
    expect(world.odd.tokenRequests).toHaveLength(1)
  })

  test.each([
    [{ error: 'access_denied', error_description: '<script>alert(1)</script>' }, 'access_denied'],
    [{ error: '<script>', error_description: 'x' }, 'provider_error'],
    [{ error: 'server_error', code: 'a-code' }, 'provider_error'],
    [{}, 'provider_error'],
    [{ code: '' }, 'provider_error'],
  ])("with %j is reported in Troupe's own words", async (query, code) => {
    const begun = await world.begin('odd', { returnTo: '/done' })
    const reply = await world.arrive('odd', begun, { state: begun.state, ...query } as Record<string, string>)
    expect(outcomeOf(new URL(locationOf(reply)!))).toEqual({ at: `${publicUrl}/done`, oauth: 'error', code })
    expect(JSON.stringify([...reply.headers])).not.toContain('script')
    expect(world.odd.tokenRequests).toEqual([])
  })

  const faulty: [string, (state: string) => string, string][] = [
    ['a repeated state', (state) => `code=a-code&state=${state}&state=${state}`, root],
    ['U+0000 in the state', (state) => `code=a-code&state=${state}%00`, root],
    ['a repeated code', (state) => `state=${state}&code=a-code&code=a-code`, failed('provider_error')],
    ['U+0000 in the code', (state) => `state=${state}&code=a-code%00`, failed('provider_error')],
    ['a repeated error', (state) => `state=${state}&error=access_denied&error=x`, failed('provider_error')],
    [
      'U+0000 in the description of the error',
      (state) => `state=${state}&error=access_denied&error_description=%00&error_description=`,
      failed('access_denied'),
    ],
  ]
  test.each(faulty)('with %s is a redirect too', async (_, query, location) => {
    const begun = await world.begin('odd', { returnTo: '/done' })
    const path = `/api/oauth/callback/odd?${query(begun.state)}`
    const reply = await world.owner.get(path, { headers: { cookie: begun.cookie } })
    expect([reply.status, locationOf(reply)]).toEqual([302, location])
    expect(world.odd.tokenRequests).toEqual([])
  })
})

describe('between start and callback', () => {
  const ended = async (begun: Begun) => outcomeOf(new URL(locationOf(await world.arrive('odd', begun, back(begun)))!))
  const denied = { oauth: 'error', code: 'permission_denied' }

  test('a revoked permission takes effect immediately', async () => {
    const userId = world.user('admin')
    const key = world.keyOf(userId)
    const begun = await world.begin('odd', {}, key)
    const path = `/api/v1/organizations/${world.ours}/members/${userId}`
    expect((await world.owner.patch(path, { role: 'member' })).status).toBe(200)
    const reply = await world.arrive('odd', begun, back(begun), key)
    expect(outcomeOf(new URL(locationOf(reply)!))).toMatchObject(denied)
    expect(world.odd.tokenRequests).toEqual([])
  })

  test('a deleted Project gets no Connection', async () => {
    const project = await world.newProject()
    const begun = await world.begin('odd', { projectId: project.id, environmentId: project.environments[0] })
    expect((await world.owner.delete(project.path)).status).toBe(202)
    expect(await ended(begun)).toMatchObject(denied)
    expect(world.odd.tokenRequests).toEqual([])
  })

  test('an organization that is being deleted gets no Connection', async () => {
    const begun = await world.begin('odd')
    const become = (status: string) => {
      world.rows('update organizations set status = ? where id = ?', status, world.ours)
      // what is known of a credential is kept that long
      world.clock.advance(2_000)
    }
    become('deleting')
    expect(await ended(begun)).toMatchObject(denied)
    become('active')
    expect(world.odd.tokenRequests).toEqual([])
  })

  test('a rotation leaves the flow with the client it started with', async () => {
    const begun = await world.begin('odd')
    const path = `/api/v1/organizations/${world.ours}/integrations/${world.integrations.odd}`
    world.odd.tokenAnswers = []
    expect((await world.owner.patch(path, { clientSecret: 'another-secret' })).status).toBe(200)
    world.odd.tokenAnswers = [() => tokens()]
    expect(await ended(begun)).toMatchObject({ oauth: 'success' })
    const [request] = world.odd.tokenRequests
    const pinned = Buffer.from(`${world.acme.clientId}:${world.acme.clientSecret}`).toString('base64')
    expect(request?.authorization).toBe(`Basic ${pinned}`)
  })

  test('a client found to be misconfigured does not stop the flow', async () => {
    const begun = await world.begin('odd')
    const path = `/api/v1/organizations/${world.ours}/integrations/${world.integrations.odd}`
    world.odd.tokenAnswers = [Response.json({ error: 'invalid_client' }, { status: 401 })]
    await world.owner.post(`${path}/verify`)
    world.odd.tokenAnswers = [() => tokens()]
    expect(await ended(begun)).toMatchObject({ oauth: 'success' })
  })

  test('a deleted client ends the flow', async () => {
    world.odd.tokenAnswers = []
    await world.owner.delete(`/api/v1/organizations/${world.ours}/integrations/${world.integrations.odd}`)
    world.integrations.odd = await world.register('odd')
    world.odd.tokenAnswers = [() => tokens()]
    const begun = await world.begin('odd')
    await world.owner.delete(`/api/v1/organizations/${world.ours}/integrations/${world.integrations.odd}`)
    expect(await ended(begun)).toMatchObject({ oauth: 'error', code: 'integration_unavailable' })
    expect(world.odd.tokenRequests).toEqual([])
  })
})
