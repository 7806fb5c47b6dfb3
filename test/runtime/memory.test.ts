/** The cache of recently used actors. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { aloneBus } from '../../src/platform/bus/bus.ts'
import { quiet } from './support/clock.ts'
import { type House, type LampRow, lamp, made, openHouse } from './support/lamps.ts'

let house: House
beforeEach(async () => {
  house = await openHouse()
})
afterEach(() => house?.close())

describe('memory', () => {
  test('holds the most recently used actors, and no more', async () => {
    const actors = house.actors({}, { cacheSize: 100 })
    for (let index = 0; index < 20; index += 1) {
      await Promise.all(Array.from({ length: 500 }, (_, lane) => actors.create(lamp(`l${index}-${lane}`), made)))
    }
    await quiet()
    expect(actors.statistics.busy).toBe(0)
    expect(actors.statistics.cached).toBeLessThanOrEqual(100)
    // An evicted one still exists.
    expect((await actors.send(lamp('l0-0'), { type: 'switch' })).actor).toMatchObject({ state: 'on', version: 2 })
    expect(actors.statistics.cached).toBeLessThanOrEqual(100)
    expect(actors.getCached(lamp('l0-0'))?.state).toBe('on')
    expect(actors.getCached(lamp('l0-1'))).toBeUndefined()
  })
  test('a hundred thousand actors that were read leave a bounded cache', async () => {
    await house.tamper(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000)
      insert into lamps select 'p' || i, 'off', 1, '3', '{"count":0,"said":[]}', 'me' from n`)
    const actors = house.actors({}, { cacheSize: 1_000 })
    for (let index = 1; index <= 100_000; index += 1) await actors.read(lamp(`p${index}`))
    expect(actors.statistics.cached).toBeLessThanOrEqual(1_000)
  })
  test('a read that a commit overtakes leaves the newer state in memory', async () => {
    const gate = Promise.withResolvers<void>()
    const actors = house.actors()
    await actors.create(lamp('a'), made)
    const other = house.actors()
    const { first } = house.store
    house.store.first = async (query) => {
      const row = await first.call(house.store, query)
      if (query.sql.startsWith('select * from lamps')) await gate.promise
      return row as never
    }
    const reading = other.read(lamp('a'))
    house.store.first = first
    await other.send(lamp('a'), { type: 'switch' })
    gate.resolve()
    await reading
    expect((await other.read(lamp('a')))?.state).toBe('on')
  })
  test('of servers that share a store keeps what is known beyond a row only while nobody has changed the actor', async () => {
    const renew = (_: LampRow, read: LampRow) => ({ ...read, owner: `${read.owner} again` })
    const server = () => house.actors({ renew }, { bus: { ...aloneBus, isShared: true } })
    const [one, other] = [server(), server()]
    await one.create(lamp('a'), made)
    const ownerAt = async (actors: typeof one) => (await actors.read<LampRow>(lamp('a')))?.row.owner
    expect(await ownerAt(one)).toBe('me again')
    expect(await ownerAt(other)).toBe('me')
    // not by an event
    await house.tamper("update lamps set owner = 'you' where id = 'a'")
    expect(await ownerAt(one)).toBe('you again')
    await other.send(lamp('a'), { type: 'switch' })
    expect(await one.read(lamp('a'))).toMatchObject({ state: 'on', version: 2, sequence: 2, row: { owner: 'you' } })
    await house.tamper("delete from lamps where id = 'a'")
    expect(await one.read(lamp('a'))).toBeUndefined()
  })
})
