/**
 * Large numbers of timers and effects are processed a few at a time, so that requests go in between. Source: contract
 * 9, "Background work".
 */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { fewMax } from '../../src/platform/time/few-at-once.ts'
import type { Effect } from '../../src/runtime/kind.ts'
import { quiet } from './support/clock.ts'
import { type House, lamp, made, openHouse } from './support/lamps.ts'

const count = 5 * fewMax

let house: House
beforeEach(async () => {
  house = await openHouse()
})
afterEach(() => house?.close())

/** This many lamps, switched on; then the process is gone. */
async function light(effects: Record<string, Effect> = {}) {
  const actors = house.actors({ effects })
  const ids = Array.from({ length: count }, (_, index) => `lamp-${index}`)
  await Promise.all(ids.map((id) => actors.create(lamp(id), made)))
  await Promise.all(ids.map((id) => actors.send(lamp(id), { type: 'switch' })))
  await house.restart()
}

test('timers that became due during a downtime fire a few at a time', async () => {
  await light()
  await house.clock.advance(10_000)
  const actors = house.actors()
  const before = house.store.statistics.units
  await actors.start()
  expect((await actors.read(lamp('lamp-0')))?.context.count).toBe(2)
  expect(house.store.statistics.units - before).toBeGreaterThanOrEqual(count)
  expect(house.store.statistics.unitsMax).toBeLessThanOrEqual(fewMax)
})

test('effects of an earlier process start a few at a time', async () => {
  await light({ announce: { durable: async () => {} } })
  let begun = 0
  let most = 0
  let inTurn = 0
  const durable = async () => {
    begun += 1
    inTurn += 1
    most = Math.max(most, inTurn)
    setImmediate(() => {
      inTurn = 0
    })
  }
  await house.actors({ effects: { announce: { durable } } }).start()
  await quiet()
  expect(begun).toBe(count)
  expect(most).toBeLessThanOrEqual(fewMax)
  expect(await house.effects()).toEqual([])
})

test('a command of background work is committed at its pace, unless somebody waits for the same commit', async () => {
  const { commit } = house.store.background
  const behind: number[] = []
  house.store.background.commit = (unit) => {
    behind.push(unit.length)
    return commit(unit)
  }
  const actors = house.actors()
  await actors.create(lamp('a'), made)
  expect(behind).toHaveLength(0)
  const { actor } = await actors.send(lamp('a'), { type: 'switch' }, { background: true })
  expect(actor.state).toBe('on')
  expect(behind).toHaveLength(1)
  await Promise.all([
    actors.send(lamp('a'), { type: 'count' }, { background: true }),
    actors.send(lamp('a'), { type: 'count' }),
  ])
  expect(behind).toHaveLength(1)
  expect((await house.row('a'))?.context).toContain('"count":3')
})
