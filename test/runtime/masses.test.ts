/**
 * Large numbers of timers and effects are processed a few at a time, so that requests go in between, and those of one
 * kind leave room to the others. Source: contract 9, "Background work".
 */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { fewMax } from '../../src/platform/time/few-at-once.ts'
import type { Effect } from '../../src/runtime/kind.ts'
import { quiet } from './support/clock.ts'
import { type House, lamp, lampKind, made, openHouse } from './support/lamps.ts'

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

const durable = (run: (id: string) => Promise<void>): Record<string, Effect> => ({
  announce: { durable: (_, { address }) => run(address.id) },
})
const door = (id: string) => ({ kind: 'door', id })
const many = Array.from({ length: 400 }, (_, number) => `lamp-${number}`)

/** Lamps that announce slowly, and doors that do so at once. */
function open(announceLamp: (id: string) => Promise<void>) {
  const opened: string[] = []
  const lamps = lampKind({ effects: durable(announceLamp) })
  const doors = { ...lampKind({ effects: durable(async (id) => void opened.push(id)) }), kind: 'door' }
  return { actors: house.actors({}, { kinds: [lamps, doors] }), opened }
}

test('many slow effects of one kind delay no effect of another, whether they began before or wait', async () => {
  const gate = Promise.withResolvers<void>()
  const begun: string[] = []
  const { actors, opened } = open(async (id) => {
    begun.push(id)
    await gate.promise
  })
  await actors.start()
  for (const id of many) await actors.create(lamp(id), made)
  await actors.create(door('a'), made)
  for (const id of many) await actors.send(lamp(id), { type: 'ring' })
  await quiet()
  expect(begun.length).toBeLessThan(many.length)

  await actors.send(door('a'), { type: 'ring' })
  await quiet()
  expect(opened).toEqual(['a'])

  gate.resolve()
  while ((await house.effects()).length > 0) await quiet()
  expect(begun.toSorted()).toEqual(many.toSorted())
})

test('an effect that waits for a place begins before those that are requested later', async () => {
  const begun: string[] = []
  const gates = new Map(many.map((id) => [id, Promise.withResolvers<void>()]))
  const { actors } = open(async (id) => {
    begun.push(id)
    await gates.get(id)?.promise
  })
  await actors.start()
  for (const id of [...many, 'waiting', 'later']) await actors.create(lamp(id), made)
  // until one finds no place
  for (const id of many) {
    await actors.send(lamp(id), { type: 'ring' })
    await quiet()
    if (!begun.includes(id)) break
  }
  await actors.send(lamp('waiting'), { type: 'ring' })
  const [first] = begun
  gates.get(first as string)?.resolve()
  await quiet()
  await actors.send(lamp('later'), { type: 'ring' })
  await quiet()
  for (const gate of gates.values()) gate.resolve()
  while ((await house.effects()).length > 0) await quiet()
  expect(begun.filter((id) => id === 'waiting' || id === 'later')).toEqual(['waiting', 'later'])
})

test('effects of an organization begin while any number of slow ones of another are in progress or wait', async () => {
  const gate = Promise.withResolvers<void>()
  const begun: string[] = []
  const { actors } = open(async (id) => {
    begun.push(id)
    await gate.promise
  })
  await actors.start()
  for (const id of many) await actors.create(lamp(id), made)
  for (const id of many) await actors.send(lamp(id), { type: 'ring' })
  await quiet()
  const few = ['other-1', 'other-2', 'other-3', 'third-1']
  for (const id of few) {
    await actors.create(lamp(id), { ...made, seed: { owner: id.split('-')[0] } })
    await actors.send(lamp(id), { type: 'ring' })
  }
  await quiet()
  expect(begun.slice(-few.length)).toEqual(few)
  expect(begun.length).toBeLessThan(many.length)

  gate.resolve()
  while ((await house.effects()).length > 0) await quiet()
  expect(begun.toSorted()).toEqual([...many, ...few].toSorted())
})

test('after a start, the effects of a kind do not wait behind any number of slow ones of another', async () => {
  const never = new Promise<void>(() => {})
  const before = open(() => never)
  for (const id of many) await before.actors.create(lamp(id), made)
  await before.actors.create(door('a'), made)
  for (const id of many) await before.actors.send(lamp(id), { type: 'ring' })
  await before.actors.send(door('a'), { type: 'ring' })
  expect(await house.effects()).toHaveLength(many.length + 1)
  await house.restart()

  const gate = Promise.withResolvers<void>()
  const { actors, opened } = open(() => gate.promise)
  await actors.start()
  while ((await house.effects()).length > many.length) await quiet()
  expect(opened).toEqual(['a'])
  gate.resolve()
  while ((await house.effects()).length > 0) await quiet()
})
