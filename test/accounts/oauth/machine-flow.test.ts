/** The cookie of a flow. Source: contract 4, "OAuth"; trust 2.4. */
import { describe, expect, test } from 'bun:test'
import { belongs, type Flow, FlowCookies, hashOf, isState } from '../../../src/accounts/oauth/flow.ts'
import { newState, newVerifier } from '../../../src/accounts/oauth/provider.ts'
import { parseKeyRing } from '../../../src/platform/secrets/keyring.ts'

const keyText = (id: string) => `${id}:${Buffer.from(id.padEnd(32, '.')).toString('base64')}`
const cookiesOf = (keys: string, secure = false) => new FlowCookies(parseKeyRing(keys), () => secure)
const state = newState()
const flow: Flow = {
  stateHash: hashOf(state),
  principal: { type: 'user', id: 'usr_1', credentialId: 'session' },
  organizationId: 'org_1',
  projectId: 'prj_1',
  environmentId: 'env_1',
  presetKey: 'acme',
  integrationId: 'int_1',
  integrationVersion: 1,
  returnTo: '/',
  verifier: newVerifier(),
  expiresAt: 1,
}
const requestWith = (setCookie: string) =>
  new Request('http://localhost/', { headers: { cookie: setCookie.split(';')[0]! } })

describe('a cookie', () => {
  test('contains the flow and reveals nothing of it', async () => {
    const cookies = cookiesOf(keyText('one'))
    const cookie = await cookies.issue(state, flow)
    expect(await cookies.open(state, requestWith(cookie))).toEqual(flow)
    const [header, ...rest] = cookie.split('=')[1]!.split('.')
    expect(JSON.parse(Buffer.from(header!, 'base64url').toString())).toEqual({
      typ: 'oauth-flow',
      kid: 'one',
      alg: 'dir',
      enc: 'A256GCM',
    })
    for (const part of rest) expect(Buffer.from(part, 'base64url').toString()).not.toContain(flow.verifier)
  })

  test('is bound to its host on https', async () => {
    const cookie = await cookiesOf(keyText('one'), true).issue(state, flow)
    expect(cookie).toMatch(/^__Host-troupe_oauth_[0-9a-f]{12}=/)
    for (const part of ['Secure', 'HttpOnly', 'SameSite=Lax', 'Path=/', 'Max-Age=600']) expect(cookie).toContain(part)
    expect(cookie).not.toContain('Domain')
  })

  test('can be opened with every key of the ring, and no other', async () => {
    const cookie = await cookiesOf(keyText('one')).issue(state, flow)
    const rotated = cookiesOf(`${keyText('two')},${keyText('one')}`)
    expect(await rotated.open(state, requestWith(cookie))).toEqual(flow)
    expect(await cookiesOf(keyText('two')).open(state, requestWith(cookie))).toBe('unreadable')
    const sameId = `one:${Buffer.alloc(32, 7).toString('base64')}`
    expect(await cookiesOf(sameId).open(state, requestWith(cookie))).toBe('unreadable')
  })

  test('for another state is absent', async () => {
    const cookies = cookiesOf(keyText('one'))
    expect(await cookies.open(newState(), requestWith(await cookies.issue(state, flow)))).toBe('absent')
  })
})

describe('a flow belongs to', () => {
  const identity = {
    principal: { type: 'user', id: 'usr_1' },
    credentialId: 'session',
    userId: 'usr_1',
    organizationId: null,
    scope: { projectId: null, environmentId: null, agentId: null },
    csrfToken: 'token',
  } as const

  test.each([
    ['its state, preset and credential', {}, true],
    ['not to another state', { state: newState() }, false],
    ['not to another preset', { presetKey: 'other' }, false],
    ['not to another session', { identity: { ...identity, credentialId: 'another' } }, false],
    ['not to another user', { identity: { ...identity, principal: { type: 'user' as const, id: 'usr_2' } } }, false],
    [
      'not to a key with the same id',
      { identity: { ...identity, principal: { type: 'apiKey' as const, id: 'usr_1' } } },
      false,
    ],
  ])('%s', (_, to, expected) => {
    expect(belongs(flow, { state, presetKey: 'acme', identity, ...to })).toBe(expected)
  })
})

test('a state is 32 random bytes', () => {
  expect(Buffer.from(newState(), 'base64url')).toHaveLength(32)
  expect([isState(newState()), isState(''), isState(undefined), isState(`${newState()}A`)]).toEqual([
    true,
    false,
    false,
    false,
  ])
})
