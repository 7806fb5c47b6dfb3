import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { FailedAttempts } from '../../src/authority/failed-attempts.ts'
import { EmbeddedRevocations } from '../../src/authority/revocations.ts'
import type { Caller } from '../../src/http/caller.ts'
import { permissions } from '../../src/http/permissions.ts'
import { newSecret } from '../../src/keys/secret.ts'
import { StoreUnavailable } from '../../storage/errors.ts'
import { openWorld, plain, refusalOf, startedAt, type World } from './world.ts'

let world: World
beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

const mistyped = (secret: string) => secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0')
const invalid = { status: 401, code: 'invalid_api_key', message: 'The API key is not valid.' }

describe('who is refused', () => {
  const secret = newSecret()
  const rows: { name: string; header: string | null; code: string }[] = [
    { name: 'no header', header: null, code: 'unauthenticated' },
    { name: 'an empty header', header: '', code: 'unauthenticated' },
    { name: 'Basic', header: 'Basic dXNlcjpwYXNz', code: 'unauthenticated' },
    { name: 'a secret without a scheme', header: secret, code: 'unauthenticated' },
    { name: 'a scheme without a secret', header: 'Bearer', code: 'unauthenticated' },
    { name: 'two headers joined', header: `Bearer ${secret}, Bearer ${secret}`, code: 'unauthenticated' },
    { name: 'two secrets', header: `Bearer ${secret} ${secret}`, code: 'unauthenticated' },
    { name: 'characters that no token has', header: 'Bearer trp_é', code: 'unauthenticated' },
    { name: 'a scheme that only begins so', header: `Bearers ${secret}`, code: 'unauthenticated' },
    { name: 'another token', header: 'Bearer eyJhbGciOiJIUzI1NiJ9.e30.abc', code: 'invalid_api_key' },
    { name: 'a secret cut short', header: `Bearer ${secret.slice(0, -1)}`, code: 'invalid_api_key' },
    { name: 'a wrong checksum', header: `Bearer ${mistyped(secret)}`, code: 'invalid_api_key' },
  ]
  test.each(rows)('$name: 401 $code, without a look-up', async ({ header, code }) => {
    const refusal = await refusalOf(() => world.authenticator().authenticate(header, plain))
    expect(refusal).toMatchObject({ status: 401, code })
    expect(world.store.reads).toBe(0)
  })

  test('an unknown key: 401, after one look-up, and nothing is kept of it', async () => {
    const authenticator = world.authenticator()
    expect(await refusalOf(() => authenticator.authenticate(`Bearer ${newSecret()}`, plain))).toEqual(invalid)
    expect(world.store.reads).toBe(1)
    expect(authenticator.size).toBe(0)
  })

  test('unknown, malformed, expired and revoked keys, and those of members who left, hear the same', async () => {
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

describe('who comes in', () => {
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

  test('the scope of a key comes through', async () => {
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
  ])('the key of a $role may what it was given and what a $role may', async ({ role, allowed }) => {
    const secret = await world.addKey({ created_by: await world.addUser(role), operations: JSON.stringify(asked) })
    const caller = await world.authenticator().authenticate(`Bearer ${secret}`, plain)
    expect<string[]>([...caller.permissions].sort()).toEqual([...allowed].sort())
  })

  test('all that a member may', async () => {
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

  test('an admin may all but two things', async () => {
    const secret = await world.addKey({ created_by: await world.addUser('admin') })
    const caller = await world.authenticator().authenticate(`Bearer ${secret}`, plain)
    expect(permissions.filter((permission) => !caller.permissions.has(permission)).sort()).toEqual([
      'billing:manage',
      'organizations:delete',
    ])
  })

  test('an operation that there is not gives nothing', async () => {
    const secret = await world.addKey({ operations: '["agents:fly","*","agents:get"]' })
    const caller = await world.authenticator().authenticate(`Bearer ${secret}`, plain)
    expect([...caller.permissions]).toEqual(['agents:get'])
  })
})

describe('answers kept in mind', () => {
  /** A caller, or undefined where the authenticator had to ask the store. */
  const atOnce = (answer: Caller | Promise<Caller>) => (answer instanceof Promise ? undefined : answer)

  test('the second request is answered at once, without a look-up', async () => {
    const header = `Bearer ${await world.addKey()}`
    const authenticator = world.authenticator()
    const first = await authenticator.authenticate(header, plain)
    expect(atOnce(authenticator.authenticate(header, plain))).toBe(first)
    expect(world.store.reads).toBe(1)
  })

  test('after two seconds the store is asked again', async () => {
    const header = `Bearer ${await world.addKey()}`
    const authenticator = world.authenticator()
    await authenticator.authenticate(header, plain)
    world.clock.at += 1_999
    expect(atOnce(authenticator.authenticate(header, plain))).toBeDefined()
    world.clock.at += 1
    await authenticator.authenticate(header, plain)
    expect(world.store.reads).toBe(2)
  })

  test('a clock that is set back makes the store be asked again', async () => {
    const header = `Bearer ${await world.addKey()}`
    const authenticator = world.authenticator()
    await authenticator.authenticate(header, plain)
    world.clock.at -= 1
    await authenticator.authenticate(header, plain)
    expect(world.store.reads).toBe(2)
  })

  test('a key works until the millisecond before it expires, also from memory', async () => {
    const header = `Bearer ${await world.addKey({ expires_at: startedAt + 1_000 })}`
    const authenticator = world.authenticator()
    await authenticator.authenticate(header, plain)
    world.clock.at = startedAt + 999
    expect(atOnce(authenticator.authenticate(header, plain))).toBeDefined()
    world.clock.at = startedAt + 1_000
    expect(await refusalOf(() => authenticator.authenticate(header, plain))).toEqual(invalid)
  })

  test('a revoked key is refused on the next request', async () => {
    const secret = await world.addKey()
    const revocations = new EmbeddedRevocations()
    const authenticator = world.authenticator({ revocations })
    const { principal } = await authenticator.authenticate(`Bearer ${secret}`, plain)
    await world.change(secret, { status: 'revoked' })
    await revocations.announce({ credentialId: principal.id })
    expect(await refusalOf(() => authenticator.authenticate(`Bearer ${secret}`, plain))).toEqual(invalid)
    expect(authenticator.size).toBe(0)
  })

  test('a revocation reaches every way of writing the header, and no other key', async () => {
    const [secret, other] = [await world.addKey(), await world.addKey()]
    const revocations = new EmbeddedRevocations()
    const authenticator = world.authenticator({ revocations })
    const headers = [`Bearer ${secret}`, `bearer ${secret}`, `Bearer  ${secret}`]
    for (const header of [...headers, `Bearer ${other}`]) await authenticator.authenticate(header, plain)
    await world.change(secret, { status: 'revoked' })
    await revocations.announce({ credentialId: (await world.key(secret)).id })
    for (const header of headers)
      expect(await refusalOf(() => authenticator.authenticate(header, plain))).toEqual(invalid)
    expect(atOnce(authenticator.authenticate(`Bearer ${other}`, plain))).toBeDefined()
  })

  test('a look-up that was under way during the revocation is not kept, and not shared with later requests', async () => {
    const secret = await world.addKey()
    const revocations = new EmbeddedRevocations()
    const authenticator = world.authenticator({ revocations })
    const { id } = await world.key(secret)
    const held = Promise.withResolvers<void>()
    world.store.beforeAnswer = () => held.promise
    const before = authenticator.authenticate(`Bearer ${secret}`, plain)
    await world.change(secret, { status: 'revoked' })
    await revocations.announce({ credentialId: id })
    world.store.beforeAnswer = () => {}
    expect(await refusalOf(() => authenticator.authenticate(`Bearer ${secret}`, plain))).toEqual(invalid)
    held.resolve()
    expect((await before).principal.id).toBe(id)
    expect(authenticator.size).toBe(0)
    expect(await refusalOf(() => authenticator.authenticate(`Bearer ${secret}`, plain))).toEqual(invalid)
  })

  test('a revocation by another process is noticed within two seconds', async () => {
    const secret = await world.addKey()
    const authenticator = world.authenticator()
    await authenticator.authenticate(`Bearer ${secret}`, plain)
    await world.change(secret, { status: 'revoked' })
    world.clock.at += 2_000
    expect(await refusalOf(() => authenticator.authenticate(`Bearer ${secret}`, plain))).toEqual(invalid)
    expect(authenticator.size).toBe(0)
  })

  test('within two seconds a creator who was demoted has less, and one who left has nothing', async () => {
    const userId = await world.addUser('owner')
    const header = `Bearer ${await world.addKey({ created_by: userId })}`
    const authenticator = world.authenticator()
    expect((await authenticator.authenticate(header, plain)).permissions.has('agent-runs:create')).toBe(true)

    await world.store.db.updateTable('memberships').set({ role: 'member' }).where('user_id', '=', userId).execute()
    world.clock.at += 2_000
    const demoted = await authenticator.authenticate(header, plain)
    expect(demoted.permissions.has('agent-runs:create')).toBe(false)
    expect(demoted.permissions.has('projects:list')).toBe(true)

    await world.store.db.deleteFrom('memberships').where('user_id', '=', userId).execute()
    world.clock.at += 2_000
    expect(await refusalOf(() => authenticator.authenticate(header, plain))).toEqual(invalid)
  })

  test('a membership elsewhere does not help', async () => {
    const userId = await world.addUser('owner')
    const header = `Bearer ${await world.addKey({ created_by: userId })}`
    await world.store.db
      .insertInto('organizations')
      .values({ id: 'org_b', slug: 'b', name: 'B', kind: 'team', status: 'active', created_at: 0, updated_at: 0 })
      .execute()
    await world.store.db
      .updateTable('memberships')
      .set({ organization_id: 'org_b' })
      .where('user_id', '=', userId)
      .execute()
    expect(await refusalOf(() => world.authenticator().authenticate(header, plain))).toEqual(invalid)
  })

  test('no more answers are kept than allowed; the oldest goes first', async () => {
    const authenticator = world.authenticator({ answersMax: 3 })
    const headers: string[] = []
    for (let index = 0; index < 5; index += 1) headers.push(`Bearer ${await world.addKey()}`)
    for (const header of headers) await authenticator.authenticate(header, plain)
    expect(authenticator.size).toBe(3)
    expect(atOnce(authenticator.authenticate(headers[4]!, plain))).toBeDefined()
    const before = world.store.reads
    await authenticator.authenticate(headers[0]!, plain)
    expect(world.store.reads).toBe(before + 1)
  })

  test('a hundred requests at once with one key are one look-up', async () => {
    const header = `Bearer ${await world.addKey()}`
    const authenticator = world.authenticator()
    const callers = await Promise.all(Array.from({ length: 100 }, () => authenticator.authenticate(header, plain)))
    expect(new Set(callers).size).toBe(1)
    expect(world.store.reads).toBe(1)
  })

  test('keys that are asked for at once do not get each other', async () => {
    const secrets = await Promise.all(Array.from({ length: 50 }, () => world.addKey()))
    const authenticator = world.authenticator()
    const callers = await Promise.all(secrets.map((secret) => authenticator.authenticate(`Bearer ${secret}`, plain)))
    const ids = await Promise.all(secrets.map(async (secret) => (await world.key(secret)).id))
    expect(callers.map(({ principal }) => principal.id)).toEqual(ids)
  })

  test('a store that is away fails the look-up for all who wait, and the next request asks again', async () => {
    const header = `Bearer ${await world.addKey()}`
    const authenticator = world.authenticator()
    world.store.beforeAnswer = () => Promise.reject(new StoreUnavailable('away'))
    const answers = await Promise.allSettled([
      authenticator.authenticate(header, plain),
      authenticator.authenticate(header, plain),
    ])
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await expect((async () => authenticator.authenticate(header, plain))()).rejects.toThrow(StoreUnavailable)
    world.store.beforeAnswer = () => {}
    expect((await authenticator.authenticate(header, plain)).organizationId).toBe(world.organizationId)
  })

  test('what was answered before does not outlive its two seconds while the store is away', async () => {
    const header = `Bearer ${await world.addKey()}`
    const authenticator = world.authenticator()
    await authenticator.authenticate(header, plain)
    world.store.beforeAnswer = () => Promise.reject(new StoreUnavailable('away'))
    world.clock.at += 2_000
    await expect((async () => authenticator.authenticate(header, plain))()).rejects.toThrow(StoreUnavailable)
  })
})

describe('the last use of a key', () => {
  test('is noted with the first request, and at most once a minute', async () => {
    const secret = await world.addKey()
    const authenticator = world.authenticator()
    const commits = world.store.commits
    for (let seconds = 0; seconds < 120; seconds += 1) {
      world.clock.at = startedAt + seconds * 1_000
      await authenticator.authenticate(`Bearer ${secret}`, plain)
      await world.store.lastCommit
    }
    expect(world.store.commits - commits).toBe(2)
    expect((await world.key(secret)).last_used_at).toBe(startedAt + 60_000)
  })

  test('that two processes see at once is written once', async () => {
    const secret = await world.addKey()
    const [one, other] = [world.authenticator(), world.authenticator()]
    const commits = world.store.commits
    const first = one.authenticate(`Bearer ${secret}`, plain)
    world.clock.at += 5
    await Promise.all([first, other.authenticate(`Bearer ${secret}`, plain)])
    await world.store.lastCommit
    expect(world.store.commits - commits).toBe(2)
    expect((await world.key(secret)).last_used_at).toBe(startedAt)
  })

  test('that cannot be written refuses nobody, is logged, and is tried again', async () => {
    const secret = await world.addKey()
    const authenticator = world.authenticator()
    world.store.beforeCommit = () => {
      throw new StoreUnavailable('full')
    }
    expect((await authenticator.authenticate(`Bearer ${secret}`, plain)).organizationId).toBe(world.organizationId)
    await world.store.lastCommit
    expect(world.warnings).toEqual(['the last use of an API key was not noted'])
    world.store.beforeCommit = () => {}
    world.clock.at += 2_000
    await authenticator.authenticate(`Bearer ${secret}`, plain)
    await world.store.lastCommit
    expect((await world.key(secret)).last_used_at).toBe(startedAt + 2_000)
  })

  test('that was refused is not noted', async () => {
    const secret = await world.addKey({ status: 'revoked' })
    await refusalOf(() => world.authenticator().authenticate(`Bearer ${secret}`, plain))
    await world.store.lastCommit
    expect((await world.key(secret)).last_used_at).toBe(null)
  })
})

describe('too many failures from one address', () => {
  const from = (address: string) => new Request('http://localhost/', { headers: { 'x-address': address } })
  const addressOf = (request: Request) => request.headers.get('x-address') ?? undefined
  const limited = () =>
    world.authenticator({ addressOf, failedAttempts: new FailedAttempts({ clock: world.clock, failuresMax: 3 }) })

  test.each([
    { name: 'malformed', secret: () => 'nonsense' },
    { name: 'unknown', secret: newSecret },
  ])('with $name keys are refused with 429 and the seconds to wait', async ({ secret }) => {
    const authenticator = limited()
    for (let index = 0; index < 3; index += 1) {
      expect(await refusalOf(() => authenticator.authenticate(`Bearer ${secret()}`, from('a')))).toEqual(invalid)
    }
    world.clock.at += 10_500
    const refused = await Promise.resolve()
      .then(() => authenticator.authenticate(`Bearer ${secret()}`, from('a')))
      .catch((error: unknown) => error)
    expect(refused).toMatchObject({ status: 429, code: 'rate_limited', retryAfterSeconds: 50 })
    expect(await refusalOf(() => authenticator.authenticate(`Bearer ${secret()}`, from('b')))).toEqual(invalid)
  })

  test('each of the requests that share a look-up counts', async () => {
    const authenticator = limited()
    const header = `Bearer ${newSecret()}`
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => refusalOf(() => authenticator.authenticate(header, from('a')))),
    )
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 429, 429])
  })

  test('do not shut out a valid key from there', async () => {
    const authenticator = limited()
    for (let index = 0; index < 10; index += 1) await refusalOf(() => authenticator.authenticate('Bearer x', from('a')))
    const caller = await authenticator.authenticate(`Bearer ${await world.addKey()}`, from('a'))
    expect(caller.organizationId).toBe(world.organizationId)
  })

  test('do not count when no key was sent', async () => {
    const authenticator = limited()
    for (let index = 0; index < 10; index += 1) {
      expect(await refusalOf(() => authenticator.authenticate(null, from('a')))).toMatchObject({
        code: 'unauthenticated',
      })
    }
    expect(await refusalOf(() => authenticator.authenticate('Bearer x', from('a')))).toEqual(invalid)
  })

  test('cannot be told without an address', async () => {
    const authenticator = limited()
    for (let index = 0; index < 10; index += 1) {
      expect(await refusalOf(() => authenticator.authenticate('Bearer x', new Request('http://localhost/')))).toEqual(
        invalid,
      )
    }
  })
})
