import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { invalidApiKey } from '../../../src/platform/http/answers/errors.ts'
import { permissions } from '../../../src/platform/http/guard/permissions.ts'
import { hashSecret } from '../../../src/platform/secrets/tokens.ts'
import { newSecret } from '../../../src/tenancy/api-keys/secret.ts'
import { ApiKeyCredentials } from '../../../src/tenancy/authority/api-keys.ts'
import { type FirstStartSettings, firstStart } from '../../../src/tenancy/setup/first-start.ts'
import type { Store } from '../../../storage/store.ts'
import type { Tables } from '../../../storage/tables.ts'
import { mistyped } from '../../support/mistyped.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'
import { WatchedStore } from '../authority/tree-world.ts'

const now = Date.UTC(2026, 0, 1)
const clock = { now: () => now }
const dayMs = 86_400_000

let store: WatchedStore
beforeEach(async () => {
  store = new WatchedStore(await openMigrated())
})
afterEach(() => store?.close())

const start = (settings?: FirstStartSettings) => firstStart(store, clock, settings)
const rows = <Table extends 'organizations' | 'users' | 'memberships' | 'api_keys'>(table: Table) =>
  store.db
    .selectFrom(table as keyof Tables)
    .selectAll()
    .execute() as Promise<Tables[Table][]>
const counts = async () =>
  Promise.all(
    (['organizations', 'users', 'memberships', 'api_keys'] as const).map(async (table) => (await rows(table)).length),
  )
/** The caller of the secret, at the given time. */
async function callerOf(secret: string, at = now, from: Store = store) {
  const apiKeys = new ApiKeyCredentials({ store: from, clock: { now: () => at }, logger: { warn() {} } })
  const answer = await apiKeys.find(secret)
  if (!answer || answer.endsAt <= at) throw invalidApiKey()
  return answer.known
}

describe('on an empty store', () => {
  test('creates an owner, the organization default and a key with all operations', async () => {
    const { owner, generatedApiKey, warning } = await start()
    expect(warning).toBe(null)
    const [organization] = await rows('organizations')
    const [user] = await rows('users')
    expect(organization).toMatchObject({ slug: 'default', kind: 'team', status: 'active', created_at: now })
    expect(user).toMatchObject({ email: 'owner@localhost', created_at: now, email_verified_at: now })
    expect(await rows('memberships')).toEqual([
      { organization_id: organization!.id, user_id: user!.id, role: 'owner', sessions_ended_at: null, created_at: now },
    ])
    expect(owner?.email).toBe('owner@localhost')
    const caller = await callerOf(generatedApiKey!)
    expect(caller).toMatchObject({ userId: user!.id, organizationId: organization!.id })
    expect([...caller.permissions]).toEqual([...permissions])
    expect(caller.scope).toEqual({ projectId: null, environmentId: null, agentId: null })
    expect(await counts()).toEqual([1, 1, 1, 1])
  })

  test('the generated password is the one of the stored argon2id hash', async () => {
    const { owner } = await start()
    const [user] = await rows('users')
    expect(user!.password_hash).toStartWith('$argon2id$v=19$')
    expect(owner!.generatedPassword!.length).toBeGreaterThanOrEqual(20)
    expect(await Bun.password.verify(owner!.generatedPassword!, user!.password_hash)).toBe(true)
  })

  test('the key has a name, shows its prefix, and lives for 366 days', async () => {
    const { generatedApiKey } = await start()
    const [key] = await rows('api_keys')
    expect(key).toMatchObject({ name: 'bootstrap', prefix: generatedApiKey!.slice(0, 8), status: 'active' })
    expect(key!.expires_at).toBe(now + 366 * dayMs)
    await expect(callerOf(generatedApiKey!, now + 366 * dayMs - 1)).resolves.toBeDefined()
    await expect(callerOf(generatedApiKey!, now + 366 * dayMs)).rejects.toMatchObject({ code: 'invalid_api_key' })
  })

  test("the operator's values are used, and not repeated", async () => {
    const chosen = { ownerEmail: 'Ada@Example.com', ownerPassword: 'correct horse', bootstrapApiKey: newSecret() }
    expect(await start(chosen)).toEqual({
      owner: { email: 'ada@example.com', generatedPassword: null },
      generatedApiKey: null,
      warning: null,
    })
    const [user] = await rows('users')
    expect(user!.email).toBe('ada@example.com')
    expect(await Bun.password.verify('correct horse', user!.password_hash)).toBe(true)
    expect((await callerOf(chosen.bootstrapApiKey)).userId).toBe(user!.id)
  })

  test.each([
    ['password1', 'is one of the most common passwords'],
    ['Ada@Example.com', 'must not be the email address'],
    ['x'.repeat(129), 'must have 8 to 128 characters.'],
  ])('a password like %s is refused with one line, and nothing is created', async (ownerPassword, why) => {
    const begun = start({ ownerEmail: 'ada@example.com', ownerPassword })
    await expect(begun).rejects.toThrow(`TROUPE_OWNER_PASSWORD ${why}`)
    await expect(begun).rejects.not.toThrow(/password1|Ada@|xxx|\n/)
    expect(await rows('users')).toEqual([])
  })

  test('a weak password in the settings does not prevent the start on a store in use', async () => {
    await start({ ownerPassword: 'correct horse' })
    expect(await start({ ownerPassword: 'password1' })).toMatchObject({ owner: null })
  })

  test('an empty setting counts as unset', async () => {
    const started = await start({ ownerEmail: '', ownerPassword: '', bootstrapApiKey: '' })
    expect(started.owner?.email).toBe('owner@localhost')
    expect(started.owner?.generatedPassword).toBeString()
    expect(started.generatedApiKey).toBeString()
  })

  test('no secret is stored in plain text', async () => {
    const { owner, generatedApiKey } = await start()
    const all = JSON.stringify(await Promise.all([rows('users'), rows('api_keys')]))
    expect(all).not.toContain(owner!.generatedPassword!)
    expect(all).not.toContain(generatedApiKey!)
  })
})

describe('on a store in use', () => {
  test('nothing is created or shown', async () => {
    await start()
    const before = await Promise.all([rows('users'), rows('api_keys')])
    const commits = store.commits
    expect(await start()).toEqual({ owner: null, generatedApiKey: null, warning: null })
    expect(store.commits).toBe(commits)
    expect(await Promise.all([rows('users'), rows('api_keys')])).toEqual(before)
  })

  test('another owner in the settings has no effect', async () => {
    await start()
    const before = await rows('users')
    await start({ ownerEmail: 'new@example.com', ownerPassword: 'new' })
    expect(await rows('users')).toEqual(before)
  })

  test('a stored key in the settings is unchanged', async () => {
    const bootstrapApiKey = newSecret()
    await start({ bootstrapApiKey })
    const before = await rows('api_keys')
    expect(await start({ bootstrapApiKey })).toEqual({ owner: null, generatedApiKey: null, warning: null })
    expect(await rows('api_keys')).toEqual(before)
  })

  test('a new key in the settings is added, and the previous one still works', async () => {
    const { generatedApiKey } = await start()
    const bootstrapApiKey = newSecret()
    expect(await start({ bootstrapApiKey })).toEqual({ owner: null, generatedApiKey: null, warning: null })
    const [before, added] = await Promise.all([callerOf(generatedApiKey!), callerOf(bootstrapApiKey)])
    expect(added.principal.id).not.toBe(before.principal.id)
    const itself = { principal: undefined, credentialId: undefined }
    expect({ ...added, ...itself }).toEqual({ ...before, ...itself })
    expect(await counts()).toEqual([1, 1, 1, 2])
  })

  const set = (secret: string, values: Partial<Tables['api_keys']>) =>
    store.db.updateTable('api_keys').set(values).where('secret_hash', '=', hashSecret(secret)).execute()

  test('a revoked key in the settings stays revoked, with a warning', async () => {
    const bootstrapApiKey = newSecret()
    await start({ bootstrapApiKey })
    await set(bootstrapApiKey, { status: 'revoked' })
    const { warning } = await start({ bootstrapApiKey })
    expect(warning).toBe('TROUPE_BOOTSTRAP_API_KEY is a revoked key; choose another one.')
    await expect(callerOf(bootstrapApiKey)).rejects.toMatchObject({ code: 'invalid_api_key' })
  })

  test('an expired key in the settings stays expired, with a warning', async () => {
    const bootstrapApiKey = newSecret()
    await start({ bootstrapApiKey })
    await set(bootstrapApiKey, { expires_at: now })
    const { warning } = await start({ bootstrapApiKey })
    expect(warning).toBe('TROUPE_BOOTSTRAP_API_KEY is an expired key; choose another one.')
  })

  test('a key in the settings is not added if no organization has an owner, with a warning', async () => {
    await start()
    await store.db.deleteFrom('organizations').execute()
    const { warning } = await start({ bootstrapApiKey: newSecret() })
    expect(warning).toBe('TROUPE_BOOTSTRAP_API_KEY was not added: the first organization has been deleted.')
    expect(await counts()).toEqual([0, 1, 0, 0])
  })

  test('an added key belongs to the first organization and its first owner', async () => {
    await start()
    const [organization] = await rows('organizations')
    const [owner] = await rows('users')
    await store.db
      .insertInto('organizations')
      .values({ ...organization!, id: 'org_zzzz', slug: 'later' })
      .execute()
    await store.db
      .insertInto('users')
      .values({ ...owner!, id: 'usr_0000', email: 'later@example.com' })
      .execute()
    await store.db
      .insertInto('memberships')
      .values([
        { organization_id: 'org_zzzz', user_id: 'usr_0000', role: 'owner', created_at: now - 1 },
        { organization_id: organization!.id, user_id: 'usr_0000', role: 'owner', created_at: now + 1 },
      ])
      .execute()
    const bootstrapApiKey = newSecret()
    await start({ bootstrapApiKey })
    const caller = await callerOf(bootstrapApiKey)
    expect(caller).toMatchObject({ userId: owner!.id, organizationId: organization!.id })
  })
})

describe('invalid settings stop the start, and change nothing', () => {
  const good = newSecret()
  const malformed = [
    { name: 'too short', key: good.slice(0, -1) },
    { name: 'a wrong checksum', key: mistyped(good) },
    { name: 'another format', key: 'my-secret-key' },
    { name: 'a surrounding space', key: ` ${good}` },
  ]
  test.each(malformed)('TROUPE_BOOTSTRAP_API_KEY: $name', async ({ key }) => {
    const failure = await start({ bootstrapApiKey: key }).catch((error: unknown) => error as Error)
    expect(failure).toBeInstanceOf(Error)
    const { message } = failure as Error
    expect(message).toStartWith('TROUPE_BOOTSTRAP_API_KEY is not an API key')
    expect(message).not.toContain(key.trim())
    expect(message).not.toContain('\n')
    expect(await counts()).toEqual([0, 0, 0, 0])
  })

  test('TROUPE_BOOTSTRAP_API_KEY, also on a store in use', async () => {
    await start()
    await expect(start({ bootstrapApiKey: 'my-secret-key' })).rejects.toThrow('TROUPE_BOOTSTRAP_API_KEY')
    expect(await counts()).toEqual([1, 1, 1, 1])
  })

  test.each(['owner', '@example.com', 'a b@example.com', 'a@', `${'a'.repeat(250)}@b.example`])(
    'TROUPE_OWNER_EMAIL %s',
    async (ownerEmail) => {
      await expect(start({ ownerEmail })).rejects.toThrow('TROUPE_OWNER_EMAIL is not a valid email address')
      expect(await counts()).toEqual([0, 0, 0, 0])
    },
  )
})

test('the created rows survive closing and reopening the store', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-first-start-'))
  const open = () => openMigrated(`sqlite:${join(folder, 'troupe.db')}`)
  let file: Store | undefined
  try {
    file = await open()
    const { generatedApiKey } = await firstStart(file, clock)
    await file.close()
    file = await open()
    expect(await firstStart(file, clock)).toEqual({ owner: null, generatedApiKey: null, warning: null })
    expect((await callerOf(generatedApiKey!, now, file)).permissions.size).toBe(permissions.length)
  } finally {
    await file?.close()
    await rm(folder, { recursive: true })
  }
})
