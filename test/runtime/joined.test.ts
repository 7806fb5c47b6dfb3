/** Two actors in one unit of work. Source: design 3, rules 4 and 5. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { quiet } from './support/clock.ts'
import { contextOf, type House, lamp, made, openHouse } from './support/lamps.ts'
import { answerOf, refusal } from './support/refusals.ts'

let house: House
beforeEach(async () => {
  house = await openHouse()
})
afterEach(() => house?.close())

const states = async () => [(await house.row('a'))?.state, (await house.row('b'))?.state]
const twoLamps = async (actors = house.actors()) => {
  await actors.create(lamp('a'), made)
  await actors.create(lamp('b'), made)
  return actors
}
const switchB = { joined: { address: lamp('b'), event: { type: 'switch' } } }

describe('an event that joins another', () => {
  test('is committed with it, and reported as if it had been sent alone', async () => {
    const actors = await twoLamps()
    const heard: string[] = []
    actors.subscribe(lamp('b'), ({ actor }) => heard.push(actor.state))
    const { units } = house.store.statistics
    await actors.send(lamp('a'), { type: 'switch' }, switchB)
    expect(await states()).toEqual(['on', 'on'])
    expect({ units: house.store.statistics.units - units, heard }).toEqual({ units: 1, heard: ['on'] })
    expect(actors.getCached(lamp('b'))?.state).toBe('on')
    expect(await house.journal('b')).toHaveLength(2)
    expect((await house.timers('b')).length).toBeGreaterThan(0)
  })

  test('that the other actor refuses leaves the first one unchanged', async () => {
    const actors = await twoLamps()
    for (const address of [lamp('b'), lamp('none')]) {
      await actors.send(lamp('a'), { type: 'switch' }, { joined: { address, event: { type: 'smash' } } })
    }
    expect(await states()).toEqual(['off', 'off'])
    expect(await house.journal('a')).toHaveLength(3)
    expect(await house.journal('b')).toHaveLength(1)
  })

  test('of a refused command is not sent', async () => {
    const actors = await twoLamps()
    expect(answerOf(await refusal(actors.send(lamp('a'), { type: 'smash' }, switchB))).status).toBe(400)
    expect(await states()).toEqual(['off', 'off'])
  })

  test.each(['a', 'b'])('is sent once, even if %s was changed by another server', async (changed) => {
    const actors = await twoLamps()
    await house.tamper('update lamps set version = 7 where id = ?', changed)
    await actors.send(lamp('a'), { type: 'switch' }, switchB)
    expect(await states()).toEqual(['on', 'on'])
    expect(await house.row(changed)).toMatchObject({ version: 8 })
    expect(await house.journal('b')).toHaveLength(2)
  })

  test("waits for its turn among the other actor's commands, and they wait for it", async () => {
    const actors = await twoLamps()
    const own = Array.from({ length: 50 }, () => actors.send(lamp('b'), { type: 'count' }))
    const joined = Array.from({ length: 50 }, async (_, index) => {
      await actors.create(lamp(`x${index}`), made)
      const joined = { address: lamp('b'), event: { type: 'count' } }
      return actors.send(lamp(`x${index}`), { type: 'count' }, { joined })
    })
    const later = Promise.all(joined).then(() => actors.send(lamp('b'), { type: 'count' }))
    await Promise.all([...own, ...joined])
    expect(contextOf(await later).count).toBe(101)
    await quiet()
    expect(actors.statistics.busy).toBe(0)
  })
})

describe('an actor that is created with another', () => {
  test('and sent events at once, is in memory and known to its subscribers with the commit', async () => {
    const rung: string[] = []
    const announce = { hint: (_: never, { address }: { address: { id: string } }) => rung.push(address.id) }
    const actors = house.actors({ effects: { announce } })
    const heard: string[] = []
    actors.subscribe({ kind: 'lamp' }, ({ actor }) => heard.push(`${actor.address.id} ${actor.state}`))
    const { actor, writes } = await actors.prepareCreateAndSend(lamp('b'), made, [{ type: 'switch' }])
    expect([actor.state, actors.getCached(lamp('b')), heard, rung]).toEqual(['on', undefined, [], []])
    await actors.create(lamp('a'), made, { writes: () => writes })
    expect(await states()).toEqual(['off', 'on'])
    expect([actors.getCached(lamp('b'))?.state, rung]).toEqual(['on', ['b']])
    expect(heard.sort()).toEqual(['a off', 'b on'])
    expect((await house.journal('b')).map(({ to_state }) => to_state)).toEqual(['off', 'on'])
  })

  test('does not exist if the other’s unit of work fails', async () => {
    const actors = await twoLamps()
    const { writes } = await actors.prepareCreateAndSend(lamp('c'), made, [{ type: 'switch' }])
    await refusal(actors.create(lamp('a'), made, { writes: () => writes }))
    expect([await house.row('c'), actors.getCached(lamp('c')), await house.timers('c')]).toEqual([
      undefined,
      undefined,
      [],
    ])
  })
})
