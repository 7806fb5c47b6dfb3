/** The lifetime of a consent's tokens. Source: contract 4, "Tokens are refreshed at use"; trust 2.4. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { GrantTokens } from '../../../src/accounts/oauth/tokens.ts'
import { connecting, given, inTime } from './consents.ts'
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

describe('a token', () => {
  test('is used unchanged until five minutes before it expires', async () => {
    const { reveal } = await connected()
    world.clock.advance(55 * minute - 1)
    expect(await reveal()).toBe('access-0')
    expect(refreshes()).toEqual([])
  })

  test('is refreshed on use from then on, by the client that obtained it', async () => {
    const { reveal, row } = await connected()
    world.clock.advance(55 * minute)
    expect(await reveal()).toBe('access-1')
    const [{ form, authorization }] = world.odd.tokenRequests as [(typeof world.odd.tokenRequests)[number]]
    expect(form).toEqual({ grant_type: 'refresh_token', refresh_token: 'refresh-0' })
    expect(authorization).toBe(`Basic ${btoa(`${world.acme.clientId}:${world.acme.clientSecret}`)}`)
    expect(row()).toMatchObject({ token_version: 2, status: 'active', refresher: null, failed_at: null })
    expect(await reveal(other)).toBe('access-1')
    expect(refreshes()).toHaveLength(1)
  })

  test.each([
    ['five minutes', 300, 240_000],
    ['a minute', 60, 48_000],
    ['25 minutes', 1_500, 20 * minute],
    ['a day', 86_400, 1_435 * minute],
  ])('with a lifetime of %s is refreshed a fifth of it before expiry, at most five minutes', async (_, life, dueMs) => {
    const { reveal } = await connected({ expires_in: life })
    world.odd.tokenAnswers = [() => given(1, { expires_in: life }), () => given(2, { expires_in: life })]
    for (const [before, after] of [
      ['access-0', 'access-1'],
      ['access-1', 'access-2'],
    ]) {
      world.clock.advance(dueMs - 1)
      expect(await reveal()).toBe(before!)
      world.clock.advance(1)
      expect(await reveal()).toBe(after!)
    }
    expect(refreshes()).toHaveLength(2)
  })

  test('is refreshed with the latest refresh token, which is the previous one when a response had none', async () => {
    const { reveal } = await connected()
    world.odd.tokenAnswers = [() => given(1), () => given(2, { refresh_token: undefined }), () => given(3)]
    for (const expected of ['access-1', 'access-2', 'access-3']) {
      world.clock.advance(55 * minute)
      expect(await reveal()).toBe(expected)
    }
    expect(refreshes()).toEqual(['refresh-0', 'refresh-1', 'refresh-1'])
  })

  test('has the scopes that the latest response named, which are the previous ones when it named none', async () => {
    const { reveal, connectionId } = await connected({ scope: 'read write' })
    world.odd.tokenAnswers = [() => given(1, { scope: undefined }), () => given(2, { scope: 'read' })]
    for (const scopes of [['read', 'write'], ['read']]) {
      world.clock.advance(55 * minute)
      await reveal()
      expect((await world.connection(connectionId)).oauth.scopes).toEqual(scopes)
    }
  })

  test('is refreshed by a response whose id token is no text', async () => {
    const { reveal } = await connected()
    world.odd.tokenAnswers = [() => given(1, { id_token: null }), () => given(2, { id_token: 5 })]
    for (const expected of ['access-1', 'access-2']) {
      world.clock.advance(55 * minute)
      expect(await reveal()).toBe(expected)
    }
  })

  test('without an expiry is never refreshed', async () => {
    const { reveal } = await connected({ expires_in: undefined })
    world.clock.advance(1000 * minute)
    expect(await reveal()).toBe('access-0')
    expect(refreshes()).toEqual([])
  })

  test('without a refresh token is used until it expires, and is unavailable from then on', async () => {
    const { reveal, usable } = await connected({ refresh_token: undefined })
    world.clock.advance(60 * minute - 1)
    expect([await reveal(), await usable()]).toEqual(['access-0', true])
    world.clock.advance(1)
    expect([await reveal(), await usable()]).toEqual(['expired', false])
    expect(refreshes()).toEqual([])
  })

  test("of another organization's grant is not returned", async () => {
    const { row } = await connected()
    const reference = { organizationId: world.organization().id, grantId: String(row().id) }
    await expect(one.reveal(reference)).rejects.toThrow('missing')
  })

  test('whose ciphertext was moved is unreadable', async () => {
    const [mine, theirs] = [await connected(), await connected()]
    world.rows('update oauth_grants set sealed = ? where id = ?', String(theirs.row().sealed), String(mine.row().id))
    expect(await mine.reveal()).toBe('unreadable')
  })
})

describe('at the same moment', () => {
  test('twenty uses cause one refresh', async () => {
    const { reveal } = await connected()
    world.clock.advance(55 * minute)
    expect(new Set(await Promise.all(Array.from({ length: 20 }, () => reveal())))).toEqual(new Set(['access-1']))
    expect(refreshes()).toHaveLength(1)
  })

  test('two processes refresh once; the other one keeps using the old token', async () => {
    const { reveal } = await connected()
    world.clock.advance(55 * minute)
    const found = await Promise.all(Array.from({ length: 10 }, (_, turn) => reveal(turn % 2 ? one : other)))
    expect(refreshes()).toHaveLength(1)
    for (const token of found) expect(['access-0', 'access-1']).toContain(token)
    expect(await reveal()).toBe('access-1')
  })

  test('the other process waits if the old token has expired', async () => {
    const { reveal } = await connected()
    world.clock.advance(60 * minute)
    const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    world.odd.tokenAnswers = [
      async () => {
        asked.resolve()
        await answer.promise
        return given(1)
      },
    ]
    const first = reveal(one)
    await asked.promise
    const second = reveal(other)
    answer.resolve()
    // the clock stands still: the turn could otherwise end before the tokens are stored
    expect(await first).toBe('access-1')
    expect(await inTime(world, second)).toBe('access-1')
    expect(refreshes()).toHaveLength(1)
  })

  test('the turn of a dead process is taken over after twenty seconds; the old token is used meanwhile', async () => {
    const { reveal, row } = await connected()
    world.clock.advance(55 * minute)
    const until = world.clock.now() + 20_000
    world.rows("update oauth_grants set refresher = 'gone', refresher_until = ? where id = ?", until, String(row().id))
    expect(await reveal()).toBe('access-0')
    world.clock.advance(20_000)
    expect(await reveal()).toBe('access-1')
  })
})

describe('after a clock that was a day ahead', () => {
  const day = 24 * 60 * minute

  test('a refresh that failed then is repeated', async () => {
    const { reveal } = await connected()
    world.odd.tokenAnswers = [() => new Response(null, { status: 500 })]
    world.clock.step(day)
    expect(await reveal()).toBe('expired')
    world.clock.step(-day)
    world.odd.tokenAnswers = [() => given(1)]
    world.clock.advance(55 * minute)
    expect(await reveal()).toBe('access-1')
  })

  test('the turn of a process that died then is taken over', async () => {
    const { reveal, row } = await connected()
    const until = world.clock.now() + day + 20_000
    world.rows("update oauth_grants set refresher = 'gone', refresher_until = ? where id = ?", until, String(row().id))
    world.clock.advance(55 * minute)
    expect(await reveal()).toBe('access-1')
  })

  test('tokens that were obtained then are refreshed, because their end is unknown', async () => {
    const { reveal } = await connected()
    world.clock.step(day)
    expect(await reveal()).toBe('access-1')
    world.clock.step(-day)
    world.odd.tokenAnswers = [() => given(2)]
    expect(await reveal()).toBe('access-2')
    world.clock.advance(54 * minute)
    expect(await reveal()).toBe('access-2')
  })
})
