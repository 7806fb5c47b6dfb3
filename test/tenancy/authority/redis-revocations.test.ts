/** Requirement 5.2: a change applies to the next request, in every process. Two processes are two instances here. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { Redis } from 'ioredis'
import { openRevocations } from '../../../src/tenancy/authority/open-revocations.ts'
import { RedisRevocations } from '../../../src/tenancy/authority/redis-revocations.ts'
import { type Change, EmbeddedRevocations, type Revocations } from '../../../src/tenancy/authority/revocations.ts'
import { type Detour, detourTo } from '../../platform/leases/detour.ts'
import { type RedisServer, redisIsInstalled, startRedis } from '../../support/services/redis.ts'
import { openWorld, plain, refusalOf } from './tree-world.ts'

/** Resolves once the condition holds, or fails after this time. */
async function until(isSo: () => boolean | Promise<boolean>, withinMs = 45_000): Promise<void> {
  const end = performance.now() + withinMs
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`It was not so within ${withinMs} ms.`)
    await Bun.sleep(5)
  }
}

/** What one process has received. */
function heardBy(revocations: Revocations): Change[] {
  const changes: Change[] = []
  revocations.listen((change) => void changes.push(change))
  return changes
}

interface Process {
  revocations: Revocations
  heard: Change[]
}

/** Told to forget everything: it was disconnected for a while. */
const isForgetting = (change: Change) => Object.keys(change).length === 0

/**
 * Announces while all hear, and what was heard before is put aside. A machine with thirty times too much to do makes a
 * process deaf or late for a moment: the announcement is made again, some times at the most.
 */
async function announceToHearing(processes: readonly [Process, ...Process[]], change: Change): Promise<void> {
  for (let time = 0; time < 20; time += 1) {
    await until(() => processes.every(({ revocations }) => revocations.isHearing()))
    for (const { heard } of processes) heard.length = 0
    await processes[0].revocations.announce(change)
    if (processes.every(({ heard }) => heard.length === 1 && !heard.some(isForgetting))) return
  }
}

test('without a URL they are local to the process', async () => {
  const revocations = await openRevocations({})
  const heard = heardBy(revocations)
  await revocations.announce({ userId: 'usr_1' })
  expect(revocations).toBeInstanceOf(EmbeddedRevocations)
  expect([revocations.isHearing(), heard]).toEqual([true, [{ userId: 'usr_1' }]])
})

describe.skipIf(!redisIsInstalled())('over Redis', () => {
  let server: RedisServer
  let detour: Detour
  let lines: string[]
  const open: Revocations[] = []
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server?.stop())
  beforeEach(() => {
    detour = detourTo(server.port)
    lines = []
  })
  afterEach(async () => {
    await Promise.all(open.splice(0).map((revocations) => revocations.close()))
    detour?.stop()
  })

  async function join(url = server.url): Promise<Process> {
    const log = { warn: (details: object, message: string) => void lines.push(JSON.stringify({ ...details, message })) }
    const revocations = await RedisRevocations.open({ url, log })
    open.push(revocations)
    return { revocations, heard: heardBy(revocations) }
  }

  test('an announcement of one process is received by all when it resolves, each once', async () => {
    const [one, other, third] = [await join(), await join(), await join()]
    expect(one.revocations.isHearing()).toBe(true)
    const change = { organizationId: 'org_1', userId: 'usr_1' }
    await announceToHearing([one, other, third], change)
    expect([one.heard, other.heard, third.heard]).toEqual([[change], [change], [change]])
  })

  test('many concurrent announcements, from all sides, each reach all', async () => {
    const processes = [await join(), await join(), await join()]
    const changes = Array.from({ length: 60 }, (_, index) => ({ credentialId: `key_${index}` }))
    await Promise.all(changes.map((change, index) => processes[index % 3]!.revocations.announce(change)))
    const names = (heard: Change[]) => heard.map(({ credentialId }) => credentialId).sort()
    for (const { heard } of processes) expect(names(heard)).toEqual(names(changes))
  })

  test('a key that one process revokes is refused by the other on the next request', async () => {
    const world = await openWorld()
    try {
      const [here, there] = [await join(), await join()]
      const secret = await world.addKey()
      const authenticator = world.authenticator({ revocations: there.revocations })
      const header = `Bearer ${secret}`
      const { credentialId } = await authenticator.authenticate(header, plain)
      expect(authenticator.authenticate(header, plain)).not.toBeInstanceOf(Promise)
      await world.change(secret, { status: 'revoked' })
      await here.revocations.announce({ credentialId })
      expect((await refusalOf(() => authenticator.authenticate(header, plain))).code).toBe('invalid_api_key')
    } finally {
      await world.close()
    }
  })

  test('nothing is left in Redis', async () => {
    const [one] = [await join(), await join()]
    await one.revocations.announce({ userId: 'usr_1' })
    const redis = new Redis(server.url)
    expect(await redis.keys('*')).toEqual([])
    redis.disconnect()
  })

  test('a foreign message makes all forget everything, and breaks nothing', async () => {
    const one = await join()
    const redis = new Redis(server.url)
    for (const text of ['nonsense', '{}', 'null', '{"id":1,"from":"x","change":{}}']) {
      await redis.publish('troupe:revocations', text)
    }
    redis.disconnect()
    await until(() => one.heard.length === 4)
    expect(one.heard).toEqual([{}, {}, {}, {}])
    await one.revocations.announce({ userId: 'usr_1' })
    expect(one.heard.at(-1)).toEqual({ userId: 'usr_1' })
  })

  test('a process whose connection is closed trusts nothing until it is connected again, and then forgets everything', async () => {
    const [one, other] = [await join(), await join(detour.url)]
    const redis = new Redis(server.url)
    const wasDeaf = new Promise<boolean>((resolve) => {
      const look = setInterval(() => {
        if (other.revocations.isHearing()) return
        clearInterval(look)
        resolve(true)
      }, 1)
    })
    await redis.call('client', 'kill', 'type', 'pubsub')
    redis.disconnect()
    expect(await wasDeaf).toBe(true)
    await one.revocations.announce({ userId: 'usr_missed' })
    await until(() => other.revocations.isHearing() && one.revocations.isHearing())
    expect(other.heard).toContainEqual({})
    await one.revocations.announce({ userId: 'usr_1' })
    expect(other.heard.at(-1)).toEqual({ userId: 'usr_1' })
  })

  test('a silent process is waited for about a second, and notices within two that it is disconnected', async () => {
    const [one, other] = [await join(), await join(detour.url)]
    detour.fallSilent()
    await one.revocations.announce({ userId: 'usr_1' })
    expect(one.heard).toEqual([{ userId: 'usr_1' }])
    expect(other.heard).toEqual([])
    await until(() => !other.revocations.isHearing())
    await until(() => other.revocations.isHearing())
    expect(other.heard).toEqual([{}])
  })

  describe('that is unavailable', () => {
    let mortal: RedisServer
    beforeEach(async () => {
      mortal = await startRedis()
    })
    afterEach(() => mortal?.stop())

    test('an announcement still reaches this process, at once, and is logged once', async () => {
      const one = await join(mortal.url)
      await mortal.kill()
      await until(() => !one.revocations.isHearing())
      for (let time = 0; time < 20; time += 1) await one.revocations.announce({ userId: 'usr_1' })
      expect(one.heard).toEqual(Array(20).fill({ userId: 'usr_1' }))
      expect(lines).toHaveLength(1)
      expect(lines[0]).toContain('Redis is down')
    })

    test('and recovers is connected again, after everything was forgotten', async () => {
      const [one, other] = [await join(mortal.url), await join(mortal.url)]
      await mortal.restart()
      await until(() => one.revocations.isHearing() && other.revocations.isHearing())
      await until(() => one.heard.length > 0 && other.heard.length > 0)
      // once for each connection, and a slow machine may have needed several
      expect([one.heard, other.heard].map((heard) => heard.filter((each) => !isForgetting(each)))).toEqual([[], []])
      await announceToHearing([one, other], { userId: 'usr_1' })
      expect(other.heard).toEqual([{ userId: 'usr_1' }])
    })

    test('at the start does not stop the server: nothing is trusted until it is there', async () => {
      await mortal.kill()
      const one = await join(mortal.url)
      expect(one.revocations.isHearing()).toBe(false)
      await mortal.restart()
      await until(() => one.revocations.isHearing())
    })

    test('because it hangs delays nobody for long', async () => {
      const one = await join(mortal.url)
      mortal.pause()
      try {
        await one.revocations.announce({ userId: 'usr_1' })
        await until(() => !one.revocations.isHearing())
        await one.revocations.announce({ userId: 'usr_2' })
        expect(one.heard).toEqual([{ userId: 'usr_1' }, { userId: 'usr_2' }])
      } finally {
        mortal.resume()
      }
      await until(() => one.revocations.isHearing())
    })

    test('while an announcement waits for others ends the wait', async () => {
      const [one, other] = [await join(mortal.url), await join(mortal.url)]
      const announced = one.revocations.announce({ userId: 'usr_1' })
      await mortal.kill()
      await announced
      expect(one.heard).toEqual([{ userId: 'usr_1' }])
      await until(() => !other.revocations.isHearing())
    })
  })

  test('after close, it receives nothing and announces only to this process', async () => {
    const one = await join()
    await one.revocations.close()
    await one.revocations.announce({ userId: 'usr_1' })
    expect([one.revocations.isHearing(), one.heard, lines]).toEqual([false, [{ userId: 'usr_1' }], []])
    await one.revocations.close()
  })
})
