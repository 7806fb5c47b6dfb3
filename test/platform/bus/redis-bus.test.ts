/** Hints between servers, over a real Redis. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { RedisBus } from '../../../src/platform/bus/redis-bus.ts'
import { eventually } from '../../support/process.ts'
import { type RedisServer, redisIsInstalled, startRedis } from '../../support/services/redis.ts'

describe.skipIf(!redisIsInstalled())('servers of one store', () => {
  let redis: RedisServer
  const open: RedisBus[] = []
  const join = async (id: string, namespace = 'troupe:store:') => {
    const bus = await RedisBus.open({ url: redis.url, namespace, id })
    open.push(bus)
    return bus
  }

  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(async () => {
    for (const bus of open) bus.close()
    await redis.stop()
  })

  test('hear each other, and not themselves', async () => {
    const [one, other] = [await join('one'), await join('other')]
    const heard: string[] = []
    await Promise.all([
      one.listen('things', (message: string) => void heard.push(`one: ${message}`)).ready,
      other.listen('things', (message: string) => void heard.push(`other: ${message}`)).ready,
    ])
    expect(await one.tell('things', 'hello')).toBe(2)
    await eventually('the message', () => heard.length > 0)
    expect(await other.tell('things', 'good-bye')).toBe(2)
    await eventually('the answer', () => heard.length > 1)
    expect(heard).toEqual(['other: hello', 'one: good-bye'])
  })

  test('hear no other store in the same Redis, and no channel that they left', async () => {
    const [one, outsider, left] = [await join('one'), await join('one', 'troupe:another:'), await join('left')]
    const heard: string[] = []
    await outsider.listen('apart', () => void heard.push('stranger')).ready
    const listening = left.listen('apart', () => void heard.push('left'))
    await listening.ready
    expect(await one.tell('apart', 1)).toBe(1)
    await eventually('the message', () => heard.length > 0)
    listening.end()
    await eventually('nobody who listens', async () => (await one.tell('apart', 2)) === 0)
    expect(heard).not.toContain('stranger')
  })

  test('know while Redis is unavailable that they hear nothing, and are notified when they may have missed something', async () => {
    const [one, other] = [await join('one'), await join('other')]
    const heard: number[] = []
    let gaps = 0
    other.onceMore(() => {
      gaps += 1
    })
    await other.listen('things', (message: number) => void heard.push(message)).ready
    expect(other.isHearing()).toBe(true)
    await redis.kill()
    await eventually('a server that hears nothing', () => !other.isHearing())
    expect(await one.tell('things', 1)).toBe(0)
    // a subscriber that comes meanwhile does not wait, and is heard later
    const late = other.listen('late', (message: number) => void heard.push(message))
    await late.ready
    await redis.restart()
    await eventually('a word of what may be missed', () => gaps > 0)
    expect(other.isHearing()).toBe(true)
    await eventually('a message', async () => (await one.tell('late', 2)) > 0)
    await eventually('the message', () => heard.includes(2))
    expect(heard).not.toContain(1)
  })
})
