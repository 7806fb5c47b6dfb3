/** Two servers on one store send events to the same actor. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { contextOf, type House, lamp, made, openHouse } from './support/lamps.ts'
import { answerOf, refusal } from './support/refusals.ts'

let house: House
beforeEach(async () => {
  house = await openHouse()
})
afterEach(() => house?.close())

describe('a concurrent change of the row', () => {
  test('makes the command decide again on the current row', async () => {
    const [one, other] = [house.actors(), house.actors()]
    await one.create(lamp('a'), made)
    await other.send(lamp('a'), { type: 'say', word: 'other' })
    const outcome = await one.send(lamp('a'), { type: 'say', word: 'one' })
    expect(contextOf(outcome).said).toEqual(['other', 'one'])
    expect(outcome.actor.version).toBe(3)
  })
  test('lets only the stored state refuse a command', async () => {
    const [one, other] = [house.actors(), house.actors()]
    await one.create(lamp('a'), made)
    await other.send(lamp('a'), { type: 'switch' })
    // `again` has a row only in `on`, and one server remembers `off`.
    expect((await one.send(lamp('a'), { type: 'again' })).move).toMatchObject({ from: 'on', to: 'on' })
    await house.tamper("delete from lamps where id = 'a'")
    expect(answerOf(await refusal(one.send(lamp('a'), { type: 'smash' }))).status).toBe(404)
  })
  test('leaves no gap in the journal', async () => {
    const both = [house.actors(), house.actors()]
    await both[0]?.create(lamp('a'), made)
    for (let index = 0; index < 20; index += 1) await both[index % 2]?.send(lamp('a'), { type: 'switch' })
    expect((await house.journal('a')).map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 21 }, (_, index) => index + 1),
    )
  })
  test('eight times in a row: 409 concurrent_change, and nothing is stored', async () => {
    let overtakes = 0
    const actors = house.actors({
      apply: async ({ before }) => {
        if (!before || overtakes === 8) return
        overtakes += 1
        await house.tamper("update lamps set version = version + 1 where id = 'a'")
      },
    })
    await actors.create(lamp('a'), made)
    expect(answerOf(await refusal(actors.send(lamp('a'), { type: 'switch' })))).toMatchObject({
      status: 409,
      code: 'concurrent_change',
    })
    expect(await house.row('a')).toMatchObject({ state: 'off', version: 9 })
    expect(await house.journal('a')).toHaveLength(1)
    expect((await actors.send(lamp('a'), { type: 'switch' })).actor.state).toBe('on')
  })
  test('that removes the row makes later commands 404', async () => {
    const actors = house.actors()
    await actors.create(lamp('a'), made)
    await house.tamper("delete from lamps where id = 'a'")
    expect(answerOf(await refusal(actors.send(lamp('a'), { type: 'switch' }))).status).toBe(404)
  })
})
