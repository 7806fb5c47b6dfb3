/** Refreshes of a consent's tokens that fail, and consents that the provider ended. Source: contract 4, "Tokens are refreshed at use"; trust 2.4. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { endedReason } from '../../../src/accounts/oauth/refreshes.ts'
import type { GrantTokens } from '../../../src/accounts/oauth/tokens.ts'
import { connecting, given, inTime } from './consents.ts'
import { refusal, tokens } from './odd-provider.ts'
import { openProcesses } from './processes.ts'
import { openWorld, type World } from './world.ts'

const minute = 60_000
let world: World
let processes: Awaited<ReturnType<typeof openProcesses>>
let one: GrantTokens
let other: GrantTokens
let connected: ReturnType<typeof connecting>
beforeAll(async () => {
  world = await openWorld()
  processes = await openProcesses(world)
  one = processes.one
  other = processes.other
  connected = connecting(world, one)
})
afterAll(async () => {
  await processes?.stop()
  await world?.stop()
})
beforeEach(() => world.odd.reset())

const refreshes = () => world.odd.tokenRequests.map(({ form }) => form.refresh_token)

describe('a refresh that fails', () => {
  const failures: [string, () => Response][] = [
    ['500', () => new Response(null, { status: 500 })],
    ['429', () => new Response(null, { status: 429 })],
    ['HTML', () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
    ['invalid_client', () => refusal('invalid_client', 401)],
    ['no access token', () => tokens({ access_token: undefined })],
  ]
  test.each(failures)(
    'with %s keeps the old token until it expires, and is retried after 30 seconds',
    async (_, answer) => {
      const { reveal, row } = await connected()
      world.odd.tokenAnswers = [answer]
      world.clock.advance(59 * minute)
      expect([await reveal(), await reveal(), await reveal(other)]).toEqual(['access-0', 'access-0', 'access-0'])
      expect(refreshes()).toHaveLength(1)
      world.clock.advance(29_999)
      expect(await reveal()).toBe('access-0')
      expect(refreshes()).toHaveLength(1)
      world.clock.advance(1)
      expect(await reveal()).toBe('access-0')
      expect(refreshes()).toHaveLength(2)
      world.clock.advance(30_000)
      expect([await reveal(), await reveal()]).toEqual(['expired', 'expired'])
      expect(refreshes()).toHaveLength(3)
      world.odd.tokenAnswers = [() => given(1)]
      world.clock.advance(30_000)
      expect(await reveal()).toBe('access-1')
      expect(row()).toMatchObject({ status: 'active', failed_at: null })
    },
  )

  test('by timeout keeps the old token too', async () => {
    const { reveal } = await connected()
    world.odd.tokenAnswers = [() => new Promise<Response>(() => {})]
    world.clock.advance(59 * minute)
    expect(await reveal(processes.hasty)).toBe('access-0')
  })

  test('only because the store is briefly unavailable does not count as failed: the new tokens are stored', async () => {
    const { reveal } = await connected()
    world.odd.tokenAnswers = [
      () => {
        processes.loseStore()
        return given(1)
      },
    ]
    world.clock.advance(59 * minute)
    expect(await inTime(world, reveal())).toBe('access-1')
    expect(refreshes()).toHaveLength(1)
  })

  test('for a client that was deleted keeps the old token until it expires', async () => {
    const { reveal } = await connected()
    const integrations = `/api/v1/organizations/${world.ours}/integrations`
    world.odd.tokenAnswers = []
    expect((await world.owner.delete(`${integrations}/${world.integrations.odd}`)).status).toBe(204)
    world.clock.advance(59 * minute)
    expect(await reveal()).toBe('access-0')
    world.clock.advance(1 * minute)
    expect(await reveal()).toBe('expired')
    expect(world.odd.tokenRequests).toEqual([])
    world.integrations.odd = await world.register('odd')
  })
})

describe('a consent that the provider ended', () => {
  const ended = async () => {
    const connection = await connected()
    world.odd.tokenAnswers = [() => refusal('invalid_grant')]
    world.clock.advance(55 * minute)
    return connection
  }

  test('yields no more tokens and disables its Connection with a reason', async () => {
    const { reveal, usable, connectionId } = await ended()
    expect(await Promise.all([reveal(), reveal(), reveal(other)])).toContain('expired')
    expect([await reveal(), await usable(other)]).toEqual(['expired', false])
    expect(await world.connection(connectionId)).toMatchObject({ status: 'disabled', statusReason: endedReason })
    expect(refreshes()).toHaveLength(1)
  })

  test('is in the audit log as an action of the server', async () => {
    const { reveal, connectionId } = await ended()
    await reveal()
    const { body } = await world.owner.get(`/api/v1/organizations/${world.ours}/audit-events`)
    expect({ ...body.data.items[0] }).toMatchObject({
      actor: { type: 'server', id: 'oauth' },
      ip: null,
      operation: 'refreshOAuthConnection',
      resource: { type: 'connection', id: connectionId },
      outcome: 'failed',
    })
  })

  test('is renewed by the same account, which enables the Connection', async () => {
    const { reveal, connectionId } = await ended()
    expect(await reveal()).toBe('expired')
    world.odd.tokenAnswers = [() => given(5)]
    expect((await world.connectOddly()).searchParams.get('connectionId')).toBe(connectionId)
    expect(await world.connection(connectionId)).toMatchObject({
      status: 'active',
      statusReason: null,
      currentVersion: { number: 2 },
    })
    // what pins the old version keeps the old consent, which has ended
    expect(await reveal()).toBe('expired')
  })

  test('does not affect a newer consent of the Connection', async () => {
    const { reveal, connectionId } = await connected()
    world.odd.tokenAnswers = [() => given(5)]
    await world.connectOddly()
    world.odd.tokenAnswers = [() => refusal('invalid_grant')]
    world.clock.advance(55 * minute)
    expect(await reveal()).toBe('expired')
    expect(await world.connection(connectionId)).toMatchObject({ status: 'active', statusReason: null })
  })

  test('also ends the versions that only changed settings', async () => {
    const { reveal, connectionId } = await ended()
    const path = `${world.path}/connections/${connectionId}`
    await world.owner.patch(path, { version: { settings: { baseUrl: 'https://api.example.com' } } })
    expect(await reveal()).toBe('expired')
    expect(await world.connection(connectionId)).toMatchObject({ status: 'disabled', statusReason: endedReason })
  })

  test('whose tokens another process has replaced meanwhile stays valid', async () => {
    const { reveal, row, connectionId } = await ended()
    const stale = row()
    world.odd.tokenAnswers = [
      () => {
        // another process was faster with the same refresh token
        world.rows('update oauth_grants set token_version = 2 where id = ?', String(stale.id))
        return refusal('invalid_grant')
      },
    ]
    expect(await reveal()).toBe('unreadable')
    expect(row()).toMatchObject({ status: 'active' })
    expect(await world.connection(connectionId)).toMatchObject({ status: 'active' })
  })
})
