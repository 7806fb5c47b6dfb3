/** Starts that are rejected. Source: requirement 4.2; contract 4, "OAuth"; trust 2.4. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import type { Reply } from '../../support/client.ts'
import { verdict } from '../../support/world/replies.ts'
import { tokens } from './odd-provider.ts'
import { type Begun, openWorld, publicUrl, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())
beforeEach(() => {
  world.odd.reset()
  world.odd.tokenAnswers = [() => tokens()]
})

const locationOf = ({ headers }: Reply) => headers.get('location')
const back = (begun: Begun, more: Record<string, string> = {}) => ({ code: 'a-code', state: begun.state, ...more })

describe('a start', () => {
  test('without a credential returns 401', async () => {
    expect((await world.start('odd', {}, world.as(null))).status).toBe(401)
    expect((await world.start('nothing', { projectId: undefined }, world.as(null))).status).toBe(401)
  })

  test('without connections:start-oauth returns 403', async () => {
    const key = world.keyOf(world.ownerId, { operations: ['connections:list', 'connections:create'] })
    const reply = await world.start('odd', {}, key)
    expect(verdict(reply)).toEqual([403, 'permission_denied'])
    expect(reply.body.error.details.permission).toBe('connections:start-oauth')
  })

  test.each([
    ['unknown', () => ({ projectId: newId('prj'), environmentId: newId('env') })],
    ['another Project', () => ({ projectId: newId('prj') })],
    ['an unknown Environment', () => ({ environmentId: newId('env') })],
    ['malformed', () => ({ projectId: 'x', environmentId: 'y' })],
  ])('with coordinates of %s returns 404', async (_, query) => {
    expect(verdict(await world.start('odd', query()))).toEqual([404, 'not_found'])
  })

  test("for another organization's Environment returns the same as for a missing one", async () => {
    const { owner } = world.organization()
    const [foreign, missing] = await Promise.all([
      world.start('odd', {}, owner),
      world.start('odd', { projectId: newId('prj') }, owner),
    ])
    expect([foreign.body.error.code, foreign.body.error.message]).toEqual([
      missing.body.error.code,
      missing.body.error.message,
    ])
    expect(verdict(foreign)).toEqual([404, 'not_found'])
  })

  test('with a key of another Environment returns 404, with one of an Agent 403', async () => {
    const project = world.project
    const agent = await world.owner.post(`${project.path}/agents`, { slug: 'bound', name: 'Bound' })
    const other = world.keyOf(world.ownerId, { projectId: project.id, environmentId: project.environments[1] })
    const ofAgent = world.keyOf(world.ownerId, { projectId: project.id, agentId: agent.body.data.id })
    expect(verdict(await world.start('odd', {}, other))).toEqual([404, 'not_found'])
    expect(verdict(await world.start('odd', {}, ofAgent))).toEqual([403, 'permission_denied'])
    const own = world.keyOf(world.ownerId, { projectId: project.id, environmentId: world.environmentId })
    expect((await world.start('odd', {}, own)).status).toBe(302)
  })

  test.each([{ projectId: undefined }, { environmentId: undefined }])(
    'without complete coordinates returns 422',
    async (query) => {
      expect(verdict(await world.start('odd', query))).toEqual([422, 'validation_failed'])
    },
  )

  test('for an unknown preset returns 404', async () => {
    expect(verdict(await world.start('nothing'))).toEqual([404, 'not_found'])
    expect(verdict(await world.start('No_Preset'))).toEqual([404, 'not_found'])
  })

  test('without a client of the organization returns 404', async () => {
    const reply = await world.start('google-workspace')
    expect(verdict(reply)).toEqual([404, 'integration_not_found'])
    expect(reply.body.error.message).toContain('google-workspace')
  })

  test('with a client that the provider refused returns 400', async () => {
    const integration = `/api/v1/organizations/${world.ours}/integrations/${world.integrations.odd}`
    world.odd.tokenAnswers = [Response.json({ error: 'invalid_client' }, { status: 401 })]
    expect((await world.owner.post(`${integration}/verify`)).body.data.outcome).toBe('failed')
    expect(verdict(await world.start('odd'))).toEqual([400, 'integration_not_verified'])
    world.odd.tokenAnswers = [Response.json({ error: 'invalid_grant' }, { status: 400 })]
    expect((await world.owner.post(`${integration}/verify`)).body.data.outcome).toBe('verified')
    expect((await world.start('odd')).status).toBe(302)
  })

  test.each([
    '//evil.example.com',
    '///evil.example.com',
    '/\\evil.example.com',
    '\\/evil.example.com',
    '/\t/evil.example.com',
    '/a\r\nSet-Cookie: x=1',
    'https://evil.example.com/',
    'https://troupe.test/',
    'http://troupe.test.evil.example.com/',
    'http://troupe.test@evil.example.com/',
    'http://user:password@troupe.test/',
    'http://troupe.test:8080/',
    'javascript:alert(1)',
    'data:text/html,x',
    'blob:http://troupe.test/x',
    'relative',
    '',
    ' /',
    `/${'a'.repeat(2048)}`,
    `/${'ü'.repeat(1500)}`,
  ])('with returnTo %j returns 422', async (returnTo) => {
    const reply = await world.start('odd', { returnTo })
    expect(reply.status).toBe(422)
    expect(reply.body.error.code).toBe('invalid_return_to')
    expect(reply.headers.getSetCookie()).toEqual([])
  })

  test('with U+0000 in returnTo returns 422', async () => {
    expect(verdict(await world.start('odd', { returnTo: '/\0' }))).toEqual([422, 'validation_failed'])
  })

  test.each(['/', '/a?b=c#d', '/a//b', 'http://troupe.test', 'HTTP://TROUPE.TEST/x', `/${'a'.repeat(2047)}`, '/ü'])(
    'with returnTo %j starts a flow',
    async (returnTo) => {
      const begun = await world.begin('odd', { returnTo })
      expect(begun.cookie.length).toBeLessThanOrEqual(4096)
      const end = new URL(locationOf(await world.arrive('odd', begun, back(begun)))!)
      expect(end.origin).toBe(publicUrl)
      expect(end.searchParams.get('oauth')).toBe('success')
    },
  )
})
