/** Authentication with a key: accepted callers and refusals. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { permissions } from '../../../src/platform/http/guard/permissions.ts'
import { newSecret } from '../../../src/tenancy/api-keys/secret.ts'
import { mistyped } from '../../support/mistyped.ts'
import { invalid, openWorld, plain, refusalOf, startedAt, type World } from './tree-world.ts'

let world: World
beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world?.close())

describe('refused callers', () => {
  const secret = newSecret()
  const rows: { name: string; header: string | null; code: string }[] = [
    { name: 'no header', header: null, code: 'unauthenticated' },
    { name: 'an empty header', header: '', code: 'unauthenticated' },
    { name: 'Basic', header: 'Basic dXNlcjpwYXNz', code: 'unauthenticated' },
    { name: 'a secret without a scheme', header: secret, code: 'unauthenticated' },
    { name: 'a scheme without a secret', header: 'Bearer', code: 'unauthenticated' },
    { name: 'two headers joined', header: `Bearer ${secret}, Bearer ${secret}`, code: 'unauthenticated' },
    { name: 'two secrets', header: `Bearer ${secret} ${secret}`, code: 'unauthenticated' },
    { name: 'invalid characters', header: 'Bearer trp_é', code: 'unauthenticated' },
    { name: 'a scheme with a longer name', header: `Bearers ${secret}`, code: 'unauthenticated' },
    { name: 'another token', header: 'Bearer eyJhbGciOiJIUzI1NiJ9.e30.abc', code: 'invalid_api_key' },
    { name: 'a truncated secret', header: `Bearer ${secret.slice(0, -1)}`, code: 'invalid_api_key' },
    { name: 'a wrong checksum', header: `Bearer ${mistyped(secret)}`, code: 'invalid_api_key' },
  ]
  test.each(rows)('$name: 401 $code, without a lookup', async ({ header, code }) => {
    const refusal = await refusalOf(() => world.authenticator().authenticate(header, plain))
    expect(refusal).toMatchObject({ status: 401, code })
    expect(world.store.reads).toBe(0)
  })

  test('an unknown key: 401, after one lookup, and it is not cached', async () => {
    const authenticator = world.authenticator()
    expect(await refusalOf(() => authenticator.authenticate(`Bearer ${newSecret()}`, plain))).toEqual(invalid)
    expect(world.store.reads).toBe(1)
    expect(authenticator.size).toBe(0)
  })

  test('unknown, malformed, expired and revoked keys, and those of former members, get the same answer', async () => {
    const leaver = await world.addUser('owner')
    const left = await world.addKey({ created_by: leaver })
    await world.store.db.deleteFrom('memberships').where('user_id', '=', leaver).execute()
    const secrets = [
      newSecret(),
      mistyped(newSecret()),
      await world.addKey({ expires_at: startedAt }),
      await world.addKey({ status: 'revoked' }),
      left,
    ]
    const authenticator = world.authenticator()
    for (const bad of secrets)
      expect(await refusalOf(() => authenticator.authenticate(`Bearer ${bad}`, plain))).toEqual(invalid)
  })
})

describe('accepted callers', () => {
  test('a key is its creator, with its own id and organization', async () => {
    const owner = await world.addUser('owner')
    const secret = await world.addKey({ created_by: owner })
    const { id } = await world.key(secret)
    expect(await world.authenticator().authenticate(`Bearer ${secret}`, plain)).toEqual({
      principal: { type: 'apiKey', id },
      credentialId: id,
      userId: owner,
      organizationId: world.organizationId,
      organization: { slug: 'acme', status: 'active' },
      role: 'owner',
      permissions: new Set(permissions),
      granted: new Map(),
      scope: { projectId: null, environmentId: null, agentId: null },
      csrfToken: null,
    })
  })

  test.each(['bearer', 'BEARER', 'Bearer ', 'Bearer   '])('the scheme may be written as "%s"', async (scheme) => {
    const secret = await world.addKey()
    expect((await world.authenticator().authenticate(`${scheme.trimEnd()} ${secret}`, plain)).organizationId).toBe(
      world.organizationId,
    )
    expect((await world.authenticator().authenticate(`${scheme} ${secret}`, plain)).organizationId).toBe(
      world.organizationId,
    )
  })

  test('the caller has the scope of the key', async () => {
    const scope = { project_id: 'prj_1', environment_id: 'env_1', agent_id: 'agt_1' }
    const secret = await world.addKey(scope)
    const { scope: seen } = await world.authenticator().authenticate(`Bearer ${secret}`, plain)
    expect(seen).toEqual({ projectId: 'prj_1', environmentId: 'env_1', agentId: 'agt_1' })
  })

  const asked = ['organizations:delete', 'billing:manage', 'agent-runs:create', 'projects:list', 'templates:search']
  test.each([
    { role: 'owner' as const, allowed: asked },
    { role: 'admin' as const, allowed: ['agent-runs:create', 'projects:list', 'templates:search'] },
    { role: 'member' as const, allowed: ['projects:list', 'templates:search'] },
  ])('the key of a $role has its own operations that a $role may use', async ({ role, allowed }) => {
    const secret = await world.addKey({ created_by: await world.addUser(role), operations: JSON.stringify(asked) })
    const caller = await world.authenticator().authenticate(`Bearer ${secret}`, plain)
    expect<string[]>([...caller.permissions].sort()).toEqual([...allowed].sort())
  })

  test('all permissions of a member', async () => {
    const secret = await world.addKey({ created_by: await world.addUser('member') })
    const caller = await world.authenticator().authenticate(`Bearer ${secret}`, plain)
    expect([...caller.permissions].sort()).toEqual([
      'connections:presets:list',
      'organization-integrations:presets:list',
      'organizations:get',
      'projects:list',
      'templates:read',
      'templates:search',
    ])
  })

  test('an admin has all but two permissions', async () => {
    const secret = await world.addKey({ created_by: await world.addUser('admin') })
    const caller = await world.authenticator().authenticate(`Bearer ${secret}`, plain)
    expect(permissions.filter((permission) => !caller.permissions.has(permission)).sort()).toEqual([
      'billing:manage',
      'organizations:delete',
    ])
  })

  test('an unknown operation gives no permission', async () => {
    const secret = await world.addKey({ operations: '["agents:fly","*","agents:get"]' })
    const caller = await world.authenticator().authenticate(`Bearer ${secret}`, plain)
    expect([...caller.permissions]).toEqual(['agents:get'])
  })
})
