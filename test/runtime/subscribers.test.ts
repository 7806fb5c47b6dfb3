/** Subscribers of actors are notified of what was stored. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Notification } from '../../src/runtime/actors.ts'
import { quiet } from './support/clock.ts'
import { type House, lamp, made, openHouse } from './support/lamps.ts'
import { refusal } from './support/refusals.ts'

let house: House
beforeEach(async () => {
  house = await openHouse()
})
afterEach(() => house?.close())

describe('subscribers', () => {
  const listen = (
    actors: ReturnType<House['actors']>,
    address: { kind: string; id?: undefined } | ReturnType<typeof lamp>,
  ) => {
    const heard: Notification[] = []
    const stop = actors.subscribe(address, (news) => heard.push(news))
    return { heard, stop }
  }
  test('are notified after each commit, in order, of one actor or of all', async () => {
    const actors = house.actors()
    await actors.create(lamp('a'), made)
    const one = listen(actors, lamp('a'))
    const all = listen(actors, { kind: 'lamp' })
    const stored: unknown[] = []
    actors.subscribe(lamp('a'), () => house.row('a').then((row) => stored.push(row?.version)))
    await actors.send(lamp('a'), { type: 'switch' })
    await Promise.all([actors.send(lamp('a'), { type: 'count' }), actors.send(lamp('a'), { type: 'switch' })])
    await actors.create(lamp('b'), made)
    await Promise.allSettled([actors.send(lamp('a'), { type: 'smash' })])
    await quiet()
    expect(one.heard.map(({ moves }) => moves.map(({ event }) => event.type))).toEqual([
      ['switch'],
      ['count', 'switch'],
    ])
    expect(one.heard.map(({ news }) => news)).toEqual([1, 2])
    expect(all.heard.map(({ actor }) => actor.address.id)).toEqual(['a', 'a', 'b'])
    expect(stored).toEqual([2, 3])
  })
  test('are not notified of what was not stored, nor after they unsubscribed', async () => {
    const actors = house.actors()
    await actors.create(lamp('a'), made)
    const { heard, stop } = listen(actors, lamp('a'))
    await refusal(actors.send(lamp('a'), { type: 'switch' }, { writes: () => [{ sql: 'no', parameters: [] }] }))
    expect(heard).toEqual([])
    await actors.send(lamp('a'), { type: 'switch' })
    stop()
    stop()
    await actors.send(lamp('a'), { type: 'switch' })
    expect(heard).toHaveLength(1)
  })
  test('that throw affect nobody else', async () => {
    const actors = house.actors()
    actors.subscribe(lamp('a'), () => {
      throw new Error('a bug of the subscriber')
    })
    const { heard } = listen(actors, lamp('a'))
    await actors.create(lamp('a'), made)
    expect((await actors.send(lamp('a'), { type: 'switch' })).actor.version).toBe(2)
    expect(heard).toHaveLength(2)
    expect(house.errors.map(({ what }) => what)).toEqual(['a subscriber of lamp/a', 'a subscriber of lamp/a'])
  })
})
