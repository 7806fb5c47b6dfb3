/** Checks of open streams: what, how often, and the consequences. Over HTTP it is tested in test/tenancy/streams. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Caller } from '../../../src/platform/http/guard/caller.ts'
import { openRevocations } from '../../../src/tenancy/authority/open-revocations.ts'
import { OpenStreams, type OpenStreamsParts } from '../../../src/tenancy/authority/open-streams.ts'
import { EmbeddedRevocations, type Revocations } from '../../../src/tenancy/authority/revocations.ts'
import { StoreUnavailable } from '../../../storage/errors.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { eventually } from '../../support/process.ts'
import { type RedisServer, redisIsInstalled, startRedis } from '../../support/services/redis.ts'
import { openWorld, plain, type World } from './tree-world.ts'

let world: World
let clock: HandClock
let errors: unknown[]
beforeEach(async () => {
  world = await openWorld()
  clock = new HandClock()
  world.clock.now = () => clock.now()
  errors = []
})
afterEach(() => world?.close())

const day = 86_400_000

function open(revocations: Revocations = new EmbeddedRevocations(), changes: Partial<OpenStreamsParts> = {}) {
  const authenticator = world.authenticator({ revocations })
  const streams = new OpenStreams({
    clock,
    revocations,
    again: (caller) => authenticator.again(caller),
    ofCredentialMax: 0,
    ofOrganizationMax: () => null,
    onChange: (change) => authenticator.forget(change),
    onError: (error) => errors.push(error),
    ...changes,
  })
  const callerOf = async (secret: string): Promise<Caller> => authenticator.authenticate(`Bearer ${secret}`, plain)
  /** A public stream; its checks, and whether it was ended. */
  const hold = async (caller: Caller, isVisible = () => true) => {
    const stream = {
      asked: 0,
      revoked: 0,
      release: () => {},
      isVisible: () => {
        stream.asked += 1
        return isVisible()
      },
      revoke: () => {
        stream.revoked += 1
        stream.release()
      },
    }
    const { release } = await streams.hold(caller, () => {}, stream)
    stream.release = release
    return stream
  }
  return { streams, authenticator, revocations, callerOf, hold }
}

/** Lets everything in progress finish. */
const settle = () => Bun.sleep(20)
const until = (isSo: () => boolean) => eventually('what a test waits for', isSo)
const newKey = (ms = day) => world.addKey({ expires_at: clock.now() + ms, created_at: clock.now() })

test('one lookup serves all streams of a credential, which continue if its answer is unchanged', async () => {
  const { callerOf, hold } = open()
  const caller = await callerOf(await newKey())
  const held = await Promise.all(Array.from({ length: 100 }, () => hold(caller)))
  const before = world.store.reads
  clock.advance(1_500)
  await settle()
  expect(world.store.reads - before).toBe(1)
  expect(held.every(({ asked, revoked }) => asked === 0 && revoked === 0)).toBe(true)
})

test('a check is not a use of the key', async () => {
  const { callerOf, hold } = open()
  const secret = await newKey()
  await hold(await callerOf(secret))
  await world.store.lastCommit
  const { last_used_at } = await world.key(secret)
  clock.advance(120_000)
  await settle()
  expect((await world.key(secret)).last_used_at).toBe(last_used_at)
})

test('a stream ends with its credential, to the millisecond once it was checked', async () => {
  const { callerOf, hold } = open()
  const held = await hold(await callerOf(await newKey(2_000)))
  clock.advance(1_500)
  await settle()
  clock.advance(499)
  await settle()
  expect(held.revoked).toBe(0)
  clock.advance(1)
  await until(() => held.revoked === 1)
})

test('a change that affects nobody checks nothing', async () => {
  const { callerOf, hold, revocations } = open()
  await hold(await callerOf(await newKey()))
  const before = world.store.reads
  await revocations.announce({ credentialId: 'key_other' })
  await revocations.announce({ organizationId: 'org_other' })
  await settle()
  expect(world.store.reads).toBe(before)
})

test('after a removal each stream is checked, and those that lost their access end', async () => {
  const { callerOf, hold, revocations } = open()
  const caller = await callerOf(await newKey())
  const gone = await hold(caller, () => false)
  const there = await hold(caller)
  await revocations.announce({ organizationId: caller.organizationId })
  await settle()
  expect([gone.revoked, there.revoked]).toEqual([0, 0])
  await revocations.announce({ organizationId: caller.organizationId, removed: true })
  await until(() => gone.revoked === 1)
  expect([there.asked, there.revoked]).toEqual([1, 0])
})

test('when changes may have been missed, each stream is checked', async () => {
  const { callerOf, hold, revocations } = open()
  const caller = await callerOf(await newKey())
  const gone = await hold(caller, () => false)
  const there = await hold(caller)
  await revocations.announce({})
  await until(() => gone.revoked === 1)
  expect([there.asked, there.revoked]).toEqual([1, 0])
})

test('callers admitted by an answer from before a change are checked beside the known ones', async () => {
  const { callerOf, hold, authenticator } = open()
  const secret = await newKey()
  const before = await callerOf(secret)
  await world.change(secret, { operations: '["agent-runs:get"]' })
  authenticator.forget({})
  await hold(await callerOf(secret))
  const late = await hold(before, () => false)
  await until(() => late.revoked === 1)
})

test.each([
  ['operations', { operations: '["agent-runs:get"]' }],
  ['an earlier end', { expires_at: 1 }],
  ['a revocation', { status: 'revoked' as const }],
])('a key that was found unchanged is checked again each time: %s', async (_, changes) => {
  const { callerOf, hold } = open()
  const secret = await newKey()
  const held = await hold(await callerOf(secret), () => false)
  for (let looks = 0; looks < 2; looks += 1) {
    clock.advance(1_500)
    await settle()
  }
  expect(held.revoked).toBe(0)
  await world.change(secret, changes)
  clock.advance(1_500)
  await until(() => held.revoked === 1)
})

test('an unavailable store ends no stream, and is queried again', async () => {
  const { callerOf, hold } = open()
  const secret = await newKey()
  const held = await hold(await callerOf(secret))
  world.store.beforeAnswer = () => {
    throw new StoreUnavailable('away')
  }
  clock.advance(1_500)
  await until(() => errors.length === 1)
  expect(held.revoked).toBe(0)
  world.store.beforeAnswer = () => {}
  await world.change(secret, { status: 'revoked' })
  clock.advance(1_500)
  await until(() => held.revoked === 1)
})

test('nothing is left when the last stream is released, however often', async () => {
  const { callerOf, hold, streams } = open()
  const caller = await callerOf(await newKey())
  const held = await Promise.all(Array.from({ length: 50 }, () => hold(caller)))
  expect([clock.waiting, streams.statistics]).toEqual([1, { streams: 50, holders: 1 }])
  for (const { release } of [...held, ...held]) release()
  expect([clock.waiting, streams.statistics]).toEqual([0, { streams: 0, holders: 0 }])
})

test('other work continues while very many are checked', async () => {
  const { callerOf, hold } = open()
  const owner = await world.addUser('owner')
  const callers = await Promise.all(
    Array.from({ length: 2_000 }, async () =>
      callerOf(await world.addKey({ created_by: owner, expires_at: clock.now() + day })),
    ),
  )
  for (const caller of callers) await hold(caller)
  let reads = world.store.reads
  const perTurn: number[] = []
  let isOver = false
  const watch = () => {
    perTurn.push(world.store.reads - reads)
    reads = world.store.reads
    if (!isOver) setImmediate(watch)
  }
  setImmediate(watch)
  clock.advance(1_500)
  await until(() => perTurn.reduce((sum, count) => sum + count, 0) === 2_000)
  isOver = true
  expect(perTurn.filter((count) => count > 0).length).toBeGreaterThan(3)
})

describe.skipIf(!redisIsInstalled())('of several processes with Redis', () => {
  let redis: RedisServer
  const opened: Revocations[] = []
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((each) => each.close()))
  })
  afterAll(() => redis?.stop())
  const join = async () => {
    const revocations = await openRevocations({ redisUrl: redis.url })
    opened.push(revocations)
    return revocations
  }

  test('a revocation by one ends the streams of the other at once', async () => {
    const [here, there] = [await join(), open(await join())]
    const secret = await newKey()
    const held = await there.hold(await there.callerOf(secret))
    const other = await there.hold(await there.callerOf(await newKey()))
    await world.change(secret, { status: 'revoked' })
    await here.announce({ credentialId: (await world.key(secret)).id })
    await until(() => held.revoked === 1)
    expect(other.revoked).toBe(0)
  })

  test('and while Redis is unavailable, at the next check', async () => {
    const [here, there] = [await join(), open(await join())]
    const secret = await newKey()
    const held = await there.hold(await there.callerOf(secret))
    await redis.kill()
    await world.change(secret, { status: 'revoked' })
    await here.announce({ credentialId: (await world.key(secret)).id })
    clock.advance(1_500)
    await until(() => held.revoked === 1)
    await redis.restart()
  })
})
