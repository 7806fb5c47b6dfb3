/** A history never goes back in time, even if the clock does. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type House, lamp, made, openHouse } from './support/lamps.ts'

let house: House
beforeEach(async () => {
  house = await openHouse()
})
afterEach(() => house?.close())

const timesOf = async (id: string) => (await house.journal(id)).map(({ at }) => Number(at))

test.each([
  ['in memory', false],
  ['read again', true],
])("when the clock is set back by 5 s, the journal's time stands still, of an actor that is %s", async (_, again) => {
  const actors = house.actors()
  await actors.create(lamp('a'), made)
  await house.clock.advance(10_000)
  await actors.send(lamp('a'), { type: 'switch' })
  const reached = house.clock.now()
  await house.clock.advance(-5_000)
  expect(house.clock.now()).toBe(reached - 5_000)
  await (again ? house.actors() : actors).send(lamp('a'), { type: 'switch' })
  const times = await timesOf('a')
  expect(times).toEqual(times.toSorted((one, other) => one - other))
  expect(times.at(-1)).toBe(reached)
  await house.clock.advance(20_000)
  await (again ? house.actors() : actors).send(lamp('a'), { type: 'switch' })
  expect((await timesOf('a')).at(-1)).toBe(house.clock.now())
})
