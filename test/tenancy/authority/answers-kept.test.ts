/** How long an authenticated caller is cached, and what ends that at once. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Caller } from '../../../src/platform/http/guard/caller.ts'
import { EmbeddedRevocations } from '../../../src/tenancy/authority/revocations.ts'
import { StoreUnavailable } from '../../../storage/errors.ts'
import { invalid, openWorld, plain, refusalOf, startedAt, type World } from './tree-world.ts'

let world: World
beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world?.close())

describe('cached answers', () => {
  /** The caller, or undefined if the authenticator had to query the store. */
  const atOnce = (answer: Caller | Promise<Caller>) => (answer instanceof Promise ? undefined : answer)

  test('the second request is answered from the cache', async () => {
    const header = `Bearer ${await world.addKey()}`
    const authenticator = world.authenticator()
    const first = await authenticator.authenticate(header, plain)
    expect(atOnce(authenticator.authenticate(header, plain))).toBe(first)
    expect(world.store.reads).toBe(1)
  })

  test('after two seconds the store is queried again', async () => {
    const header = `Bearer ${await world.addKey()}`
    const authenticator = world.authenticator()
    await authenticator.authenticate(header, plain)
    world.clock.at += 1_999
    expect(atOnce(authenticator.authenticate(header, plain))).toBeDefined()
    world.clock.at += 1
    await authenticator.authenticate(header, plain)
    expect(world.store.reads).toBe(2)
  })

  test('a clock that is set back makes the store be queried again', async () => {
    const header = `Bearer ${await world.addKey()}`
    const authenticator = world.authenticator()
    await authenticator.authenticate(header, plain)
    world.clock.at -= 1
    await authenticator.authenticate(header, plain)
    expect(world.store.reads).toBe(2)
  })

  test('a key works until the millisecond before it expires, also from the cache', async () => {
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

  test('a revocation applies to every spelling of the header, and to no other key', async () => {
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

  test('a lookup that was in progress during the revocation is neither cached nor shared with later requests', async () => {
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

  test('within two seconds a demoted creator has fewer permissions, and one who left has none', async () => {
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

  test('the number of cached answers is limited; the oldest is evicted first', async () => {
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

  test('a hundred concurrent requests with one key are one lookup', async () => {
    const header = `Bearer ${await world.addKey()}`
    const authenticator = world.authenticator()
    const callers = await Promise.all(Array.from({ length: 100 }, () => authenticator.authenticate(header, plain)))
    expect(new Set(callers).size).toBe(1)
    expect(world.store.reads).toBe(1)
  })

  test('concurrent lookups of different keys are separate', async () => {
    const secrets = await Promise.all(Array.from({ length: 50 }, () => world.addKey()))
    const authenticator = world.authenticator()
    const callers = await Promise.all(secrets.map((secret) => authenticator.authenticate(`Bearer ${secret}`, plain)))
    const ids = await Promise.all(secrets.map(async (secret) => (await world.key(secret)).id))
    expect(callers.map(({ principal }) => principal.id)).toEqual(ids)
  })

  test('an unavailable store fails the lookup for all waiting requests, and the next request queries again', async () => {
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

  test('cached answers expire after two seconds, also while the store is unavailable', async () => {
    const header = `Bearer ${await world.addKey()}`
    const authenticator = world.authenticator()
    await authenticator.authenticate(header, plain)
    world.store.beforeAnswer = () => Promise.reject(new StoreUnavailable('away'))
    world.clock.at += 2_000
    await expect((async () => authenticator.authenticate(header, plain))()).rejects.toThrow(StoreUnavailable)
  })
})
