/** When the last use of a key is recorded. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { StoreUnavailable } from '../../../storage/errors.ts'
import { openWorld, plain, refusalOf, startedAt, type World } from './tree-world.ts'

let world: World
beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world?.close())

describe('the last use of a key', () => {
  test('is recorded with the first request, and at most once a minute', async () => {
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

  test('that cannot be written refuses nobody, is logged, and is retried', async () => {
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

  test('that was refused is not recorded', async () => {
    const secret = await world.addKey({ status: 'revoked' })
    await refusalOf(() => world.authenticator().authenticate(`Bearer ${secret}`, plain))
    await world.store.lastCommit
    expect((await world.key(secret)).last_used_at).toBe(null)
  })
})
