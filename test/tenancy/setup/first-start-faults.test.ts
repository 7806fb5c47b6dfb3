/** Faults of the first start: it is done once, or not at all. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { invalidApiKey } from '../../../src/platform/http/answers/errors.ts'
import { permissions } from '../../../src/platform/http/guard/permissions.ts'
import { newSecret } from '../../../src/tenancy/api-keys/secret.ts'
import { ApiKeyCredentials } from '../../../src/tenancy/authority/api-keys.ts'
import { type FirstCredentials, type FirstStartSettings, firstStart } from '../../../src/tenancy/setup/first-start.ts'
import { StoreUnavailable } from '../../../storage/errors.ts'
import type { Store } from '../../../storage/store.ts'
import type { Tables } from '../../../storage/tables.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'
import { WatchedStore } from '../authority/tree-world.ts'

const now = Date.UTC(2026, 0, 1)
const clock = { now: () => now }

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

describe('faults', () => {
  test('an interrupted start leaves nothing; the next one completes it', async () => {
    store.beforeCommit = () => {
      throw new StoreUnavailable('full')
    }
    await expect(start()).rejects.toThrow(StoreUnavailable)
    expect(await counts()).toEqual([0, 0, 0, 0])
    store.beforeCommit = () => {}
    const { generatedApiKey } = await start()
    expect((await callerOf(generatedApiKey!)).permissions.size).toBe(permissions.length)
    expect(await counts()).toEqual([1, 1, 1, 1])
  })

  test('credentials are shown before they are stored, and not created if they cannot be shown', async () => {
    const shown: FirstCredentials[] = []
    const failing = firstStart(store, clock, {}, async (made) => {
      shown.push(made)
      throw new Error('nobody reads it')
    })
    await expect(failing).rejects.toThrow('nobody reads it')
    expect(await counts()).toEqual([0, 0, 0, 0])
    const { generatedApiKey } = await firstStart(store, clock, {}, async (made) => void shown.push(made))
    expect(shown.map((made) => made.generatedApiKey === generatedApiKey)).toEqual([false, true])
    await firstStart(store, clock, {}, async (made) => void shown.push(made))
    expect(shown).toHaveLength(2)
  })

  test('of servers that show different credentials, those with invalid ones say so', async () => {
    const started = await Promise.all(Array.from({ length: 3 }, () => start()))
    const warnings = started.map(({ warning }) => warning).filter(Boolean)
    expect(warnings).toEqual(Array(2).fill('Another server was first: use the credentials that it has shown.'))
  })

  test('everything is one unit of work', async () => {
    await start()
    expect(store.commits).toBe(1)
  })

  test('if the last row cannot be written, none is', async () => {
    await store.commit([
      { sql: "create trigger no_keys before insert on api_keys begin select raise(abort, 'no'); end", parameters: [] },
    ])
    await expect(start()).rejects.toThrow()
    expect(await counts()).toEqual([0, 0, 0, 0])
  })

  test('of many servers that start at once exactly one creates credentials, and its secrets work', async () => {
    const started = await Promise.all(Array.from({ length: 5 }, () => start()))
    const winners = started.filter(({ owner }) => owner !== null)
    expect(winners).toHaveLength(1)
    expect(started.filter(({ generatedApiKey }) => generatedApiKey !== null)).toEqual(winners)
    expect(await counts()).toEqual([1, 1, 1, 1])
    const [user] = await rows('users')
    expect(await Bun.password.verify(winners[0]!.owner!.generatedPassword!, user!.password_hash)).toBe(true)
    expect((await callerOf(winners[0]!.generatedApiKey!)).userId).toBe(user!.id)
  })

  test('servers that start at once with the same key all succeed', async () => {
    const bootstrapApiKey = newSecret()
    const chosen = { bootstrapApiKey, ownerPassword: 'correct horse' }
    const started = await Promise.all(Array.from({ length: 5 }, () => start(chosen)))
    expect(started.filter(({ owner }) => owner !== null)).toHaveLength(1)
    expect(started.filter(({ warning }) => warning !== null)).toEqual([])
    expect(await counts()).toEqual([1, 1, 1, 1])
    await expect(callerOf(bootstrapApiKey)).resolves.toBeDefined()
  })

  test('servers that start at once with different keys: all keys work', async () => {
    const secrets = Array.from({ length: 3 }, newSecret)
    await Promise.all(secrets.map((bootstrapApiKey) => start({ bootstrapApiKey })))
    expect(await counts()).toEqual([1, 1, 1, 3])
    const callers = await Promise.all(secrets.map((secret) => callerOf(secret)))
    expect(new Set(callers.map(({ userId }) => userId)).size).toBe(1)
  })

  test('servers that add the same key at once add it once', async () => {
    await start()
    const bootstrapApiKey = newSecret()
    await Promise.all(Array.from({ length: 5 }, () => start({ bootstrapApiKey })))
    expect(await counts()).toEqual([1, 1, 1, 2])
  })
})
