/** How long a caller that was looked up is remembered, and what ends that at once. */
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
