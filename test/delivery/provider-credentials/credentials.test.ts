/** Provider credentials: created, changed, rotated, listed. Source: requirement 4.7; contract 4. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { atOnce, issuesOf, outcome, tally } from '../../support/world/replies.ts'
import { openWorld, type World } from '../../support/world/world.ts'
import { credentialIn, credentialsPath, newCredential } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const day = 86_400_000
const inDays = (days: number) => new Date(world.clock.now() + days * day).toISOString()
const credential = (changes: object = {}) => credentialIn(world, changes)

describe('a new credential', () => {
  test('is shown without its secret, at version 1', async () => {
    const { status, body: answer } = await world.owner.post(credentialsPath, newCredential({ label: '  Mine ' }))
    expect(status).toBe(200)
    const { id, ...rest } = answer.data
    expect(id).toMatch(/^crd_/)
    const at = new Date(world.clock.now()).toISOString()
    expect(rest).toEqual({
      label: 'Mine',
      provider: 'openai',
      credentialType: 'api_key',
      status: 'active',
      expiresAt: null,
      currentVersion: 1,
      versions: [{ version: 1, createdAt: at }],
      createdAt: at,
      updatedAt: at,
    })
    expect((await world.owner.get(`${credentialsPath}/${id}`)).body).toEqual(answer)
  })

  test.each([
    ['anthropic'],
    ['openai'],
    ['google'],
    ['mistral'],
    ['xai'],
    ['groq'],
    ['deepseek'],
    ['cohere'],
    ['custom'],
  ])('may be for %s', async (provider) => {
    expect((await world.owner.post(credentialsPath, newCredential({ provider }))).body.data.provider).toBe(provider)
  })

  test.each([['api_key'], ['oauth'], ['service_account'], ['connection_string']])(
    'may be a %s',
    async (credentialType) => {
      const reply = await world.owner.post(credentialsPath, newCredential({ credentialType }))
      expect(reply.body.data.credentialType).toBe(credentialType)
    },
  )

  test.each([
    ['one character', 'x'],
    ['65,536 characters', 'x'.repeat(65_536)],
    ['65,536 characters outside the basic plane', '𝄞'.repeat(65_536)],
    ['line breaks', '{"private_key":"-----BEGIN\\n"}\r\n\t'],
  ])('may have a secret of %s', async (_, secret) => {
    expect(outcome(await world.owner.post(credentialsPath, newCredential({ secret })))).toBe(200)
  })

  test('may expire in the future, or never', async () => {
    const reply = await world.owner.post(credentialsPath, newCredential({ expiresAt: inDays(1) }))
    expect(reply.body.data.expiresAt).toBe(inDays(1))
    expect((await world.owner.post(credentialsPath, newCredential({ expiresAt: null }))).body.data.expiresAt).toBeNull()
  })

  const refused: [string, () => object, string[]][] = [
    ['nothing', () => ({}), ['/body/label', '/body/provider', '/body/credentialType', '/body/secret']],
    ['no secret', () => ({ ...newCredential(), secret: undefined }), ['/body/secret']],
    ['an empty secret', () => newCredential({ secret: '' }), ['/body/secret']],
    ['a secret of 65,537 characters', () => newCredential({ secret: 'x'.repeat(65_537) }), ['/body/secret']],
    ['a secret of 100,000 characters', () => newCredential({ secret: 'x'.repeat(100_000) }), ['/body/secret']],
    ['a secret that is a number', () => newCredential({ secret: 12345 }), ['/body/secret']],
    ['a secret that is null', () => newCredential({ secret: null }), ['/body/secret']],
    ['an empty label', () => newCredential({ label: ' ' }), ['/body/label']],
    ['a label of 201 characters', () => newCredential({ label: 'x'.repeat(201) }), ['/body/label']],
    ['an unknown vendor', () => newCredential({ provider: 'oracle' }), ['/body/provider']],
    ['a vendor in capitals', () => newCredential({ provider: 'OpenAI' }), ['/body/provider']],
    ['the sandbox', () => newCredential({ provider: 'sandbox' }), ['/body/provider']],
    ['an unknown type', () => newCredential({ credentialType: 'password' }), ['/body/credentialType']],
    ['an expiry that is now', () => newCredential({ expiresAt: inDays(0) }), ['/body/expiresAt']],
    ['an expiry in the past', () => newCredential({ expiresAt: inDays(-1) }), ['/body/expiresAt']],
    ['a malformed expiry', () => newCredential({ expiresAt: 'tomorrow' }), ['/body/expiresAt']],
    ['an expiry on an invalid date', () => newCredential({ expiresAt: '2099-02-30T00:00:00Z' }), ['/body/expiresAt']],
    [
      'an expiry in the year 10000',
      () => newCredential({ expiresAt: '9999-12-31T23:59:59-01:00' }),
      ['/body/expiresAt'],
    ],
    ['a status', () => newCredential({ status: 'active' }), ['/body/status']],
    ['an unknown field', () => newCredential({ value: 'sk' }), ['/body/value']],
  ]
  test.each(refused)('with %s is refused (422)', async (_, given, paths) => {
    const reply = await world.owner.post(credentialsPath, given())
    expect([outcome(reply), issuesOf(reply)]).toEqual(['422 validation_failed', paths])
  })
})

describe('a change', () => {
  test('of label, status and expiry keeps the secret', async () => {
    const { path } = await credential()
    world.clock.advance(1000)
    const changes = { label: 'Other', status: 'disabled', expiresAt: inDays(2) }
    const { status, body: answer } = await world.owner.patch(path, changes)
    expect(status).toBe(200)
    expect({ ...answer.data }).toMatchObject({ ...changes, currentVersion: 1 })
    expect(Date.parse(answer.data.updatedAt) - Date.parse(answer.data.createdAt)).toBe(1000)
    expect((await world.owner.get(path)).body).toEqual(answer)
  })

  test('to null removes the expiry, and omission does not', async () => {
    const { path } = await credential({ expiresAt: inDays(1) })
    expect((await world.owner.patch(path, { label: 'Kept' })).body.data.expiresAt).toBe(inDays(1))
    expect((await world.owner.patch(path, { expiresAt: null })).body.data.expiresAt).toBeNull()
  })

  test('goes from active to disabled and back, and to the same status', async () => {
    const { path } = await credential()
    const seen: string[] = []
    for (const status of ['active', 'disabled', 'disabled', 'active']) {
      seen.push((await world.owner.patch(path, { status })).body.data.status)
    }
    expect(seen).toEqual(['active', 'disabled', 'disabled', 'active'])
  })

  test('of nothing is 200 and changes nothing', async () => {
    const { path } = await credential()
    const before = (await world.owner.get(path)).body
    world.clock.advance(1000)
    const { status, body: after } = await world.owner.patch(path, {})
    expect([status, after]).toEqual([200, before])
  })

  test('of two fields by concurrent requests keeps both', async () => {
    const { path } = await credential()
    await Promise.all([
      world.owner.patch(path, { label: 'Both' }),
      world.owner.patch(path, { status: 'disabled' }),
      world.owner.post(`${path}/versions`, { secret: 'sk-2' }),
    ])
    const { data } = (await world.owner.get(path)).body
    expect({ ...data }).toMatchObject({ label: 'Both', status: 'disabled', currentVersion: 2 })
  })

  const refused: [string, () => object, string][] = [
    ['the status to deleting', () => ({ status: 'deleting' }), '/body/status'],
    ['the status to null', () => ({ status: null }), '/body/status'],
    ['the status to expired', () => ({ status: 'expired' }), '/body/status'],
    ['the expiry to the past', () => ({ expiresAt: inDays(-1) }), '/body/expiresAt'],
    ['the expiry to a malformed date', () => ({ expiresAt: '' }), '/body/expiresAt'],
    ['the label to an empty text', () => ({ label: '' }), '/body/label'],
    ['the provider', () => ({ provider: 'xai' }), '/body/provider'],
    ['the type', () => ({ credentialType: 'oauth' }), '/body/credentialType'],
    ['the secret', () => ({ secret: 'sk-3' }), '/body/secret'],
    ['the version', () => ({ currentVersion: 1 }), '/body/currentVersion'],
  ]
  test.each(refused)('refuses %s (422)', async (_, changes, issue) => {
    const { path } = await credential()
    const reply = await world.owner.patch(path, changes())
    expect([reply.status, issuesOf(reply)]).toEqual([422, [issue]])
  })
})

describe('a rotation', () => {
  test('is the next version; the earlier ones stay', async () => {
    const { path } = await credential()
    const first = new Date(world.clock.now()).toISOString()
    world.clock.advance(1000)
    const second = new Date(world.clock.now()).toISOString()
    const { status, body: answer } = await world.owner.post(`${path}/versions`, { secret: 'sk-2' })
    expect(status).toBe(200)
    expect(answer.data.currentVersion).toBe(2)
    expect(answer.data.versions).toEqual([
      { version: 1, createdAt: first },
      { version: 2, createdAt: second },
    ])
    expect(answer.data.updatedAt).toBe(second)
    expect((await world.owner.get(path)).body).toEqual(answer)
  })

  test('by eight concurrent requests makes eight versions without gaps', async () => {
    const { path } = await credential()
    const replies = await atOnce(8, (index) => world.owner.post(`${path}/versions`, { secret: `sk-${index}` }))
    expect(tally(replies)).toEqual({ 200: 8 })
    const numbers = replies.map((reply) => reply.body.data.currentVersion).sort((one, other) => one - other)
    expect(numbers).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
    const { data } = (await world.owner.get(path)).body
    expect(data.versions.map(({ version }: { version: number }) => version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  test.each<[string, object, string]>([
    ['no secret', {}, '/body/secret'],
    ['an empty secret', { secret: '' }, '/body/secret'],
    ['65,537 characters', { secret: 'x'.repeat(65_537) }, '/body/secret'],
    ['100,000 characters', { secret: 'x'.repeat(100_000) }, '/body/secret'],
  ])('with %s is refused (422)', async (_, given, issue) => {
    const { path } = await credential()
    const reply = await world.owner.post(`${path}/versions`, given)
    expect([reply.status, issuesOf(reply)]).toEqual([422, [issue]])
  })

  test('after the hundredth is refused (422)', async () => {
    const { id, path } = await credential()
    for (let version = 2; version <= 99; version += 1) {
      world.rows('insert into provider_credential_versions values (?, ?, ?, 0)', id, version, 'sealed')
    }
    world.rows('update provider_credentials set current_version = 99 where id = ?', id)
    const replies = await atOnce(4, () => world.owner.post(`${path}/versions`, { secret: 'sk' }))
    expect(tally(replies)).toEqual({ 200: 1, '422 limit_exceeded': 3 })
    expect((await world.owner.get(path)).body.data.versions).toHaveLength(100)
  })
})

describe('the list', () => {
  test('shows all of the organization, newest first, with their versions', async () => {
    const { id: organizationId, owner } = world.organization()
    const path = `/api/v1/organizations/${organizationId}/provider-credentials`
    expect((await owner.get(path)).body).toEqual({ data: { items: [] } })
    for (const label of ['first', 'second', 'third']) {
      world.clock.advance(1)
      const { body: made } = await owner.post(path, newCredential({ label }))
      await owner.post(`${path}/${made.data.id}/versions`, { secret: 'sk-2' })
    }
    const { items } = (await owner.get(path)).body.data
    expect(items.map(({ label }: { label: string }) => label)).toEqual(['third', 'second', 'first'])
    for (const item of items) {
      expect(item).toEqual((await owner.get(`${path}/${item.id}`)).body.data)
      expect(item.versions).toHaveLength(2)
    }
  })

  test('ends at 200: one more is refused (422), also under concurrent requests', async () => {
    const { id: organizationId, owner } = world.organization()
    const path = `/api/v1/organizations/${organizationId}/provider-credentials`
    for (let count = 0; count < 197; count += 1) {
      const id = newId('crd')
      world.rows(
        "insert into provider_credentials values (?, ?, 'x', 'openai', 'api_key', 'active', null, 1, 0, 0)",
        id,
        organizationId,
      )
      world.rows("insert into provider_credential_versions values (?, 1, '', 0)", id)
    }
    const replies = await atOnce(8, () => owner.post(path, newCredential()))
    expect(tally(replies)).toEqual({ 200: 3, '422 limit_exceeded': 5 })
    const refusal = replies.find(({ status }) => status === 422)
    expect(refusal?.body.error.details.issues[0].message).toContain('200')
    const { items } = (await owner.get(path)).body.data
    expect(items).toHaveLength(200)
    expect((await owner.delete(`${path}/${items[0].id}`)).status).toBe(200)
    expect(outcome(await owner.post(path, newCredential()))).toBe(200)
  })
})
