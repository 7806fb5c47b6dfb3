/** Patient commands wait for the actor's next command, for a short time. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { quiet } from './support/clock.ts'
import { type House, lamp, made, openHouse } from './support/lamps.ts'

let house: House
beforeEach(async () => {
  house = await openHouse()
})
afterEach(() => house?.close())

const patient = { patient: true }
const units = () => house.store.statistics.units

/** The shortest time that a command waits for the next one, in milliseconds. */
const waitMsMin = 10

test('they are committed with the next command, in order, each with its own time', async () => {
  const actors = house.actors()
  async function switched(id: string) {
    await actors.create(lamp(id), made)
    const [at, before] = [house.clock.now(), units()]
    const begunAt = performance.now()
    const on = actors.send(lamp(id), { type: 'switch' }, patient)
    await house.clock.jump(7)
    const off = actors.send(lamp(id), { type: 'switch' }, patient)
    await house.clock.jump(2)
    const last = actors.send(lamp(id), { type: 'switch' })
    const isQuick = performance.now() - begunAt < waitMsMin
    expect((await Promise.all([on, off, last])).map(({ move }) => move.to)).toEqual(['on', 'off', 'on'])
    return { isQuick, count: units() - before, at }
  }
  // on a busy machine the first one may have waited long enough
  let tries = 1
  let sent = await switched('1')
  for (; !sent.isQuick; tries += 1) sent = await switched(`${tries + 1}`)
  expect(sent.count).toBe(1)
  const { at } = sent
  expect((await house.journal(`${tries}`)).map((entry) => [entry.to_state, entry.at])).toEqual([
    ['off', at],
    ['on', at],
    ['off', at + 7],
    ['on', at + 9],
  ])
})

test('without another command they are committed together', async () => {
  const actors = house.actors()
  await actors.create(lamp('a'), made)
  const before = units()
  const sent = [1, 2, 3].map(() => actors.send(lamp('a'), { type: 'switch' }, patient))
  expect((await Promise.all(sent)).map(({ move }) => move.to)).toEqual(['on', 'off', 'on'])
  expect(units() - before).toBe(1)
  await quiet()
  expect(actors.statistics.busy).toBe(0)
})

test('those that arrive while the actor is busy wait too, and are not forgotten', async () => {
  const actors = house.actors()
  await actors.create(lamp('a'), made)
  // after an expensive creation, the next command would wait for a turn, and take the second one with it
  await quiet()
  const busy = actors.send(lamp('a'), { type: 'switch' }).then(() => units())
  // its commit is in progress
  await new Promise<void>((resolve) => setImmediate(() => resolve()))
  const waiting = actors.send(lamp('a'), { type: 'switch' }, patient)
  const between = await busy
  expect((await waiting).move.to).toBe('off')
  expect(units() - between).toBe(1)
})

test('they wait no longer once the actor is hurried', async () => {
  const actors = house.actors()
  await actors.create(lamp('a'), made)
  let hurried = false
  const sent = actors.send(lamp('a'), { type: 'switch' }, patient).then(() => hurried)
  actors.hurry(lamp('a'))
  hurried = true
  expect(await sent).toBe(true)
  actors.hurry(lamp('a'))
  actors.hurry(lamp('nobody'))
  await quiet()
  expect(actors.statistics.busy).toBe(0)
})

test('a clock that is set back does not set the journal back', async () => {
  const actors = house.actors()
  await actors.create(lamp('a'), made)
  await house.clock.jump(-1_000)
  const sent = actors.send(lamp('a'), { type: 'switch' }, patient)
  await house.clock.jump(-1_000)
  await actors.send(lamp('a'), { type: 'switch' })
  await sent
  expect((await house.journal('a')).map(({ at }) => at)).toEqual([1_000_000, 1_000_000, 1_000_000])
})
