import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { StoreUnavailable } from '../../storage/errors.ts'
import { quiet } from './support/clock.ts'
import { type House, lamp, made, openHouse } from './support/lamps.ts'

let house: House
beforeEach(async () => {
  house = await openHouse()
})
afterEach(() => house?.close())

/** Enough for some hundred timers, which fire a few at a time. */
const manyTurns = 400

const start = async () => {
  const actors = house.actors()
  await actors.start()
  return actors
}
const events = async (id: string) =>
  (await house.journal(id)).map(({ event, at }) => [event, (at as number) - 1_000_000])

test('entering a state stores its timers, leaving it removes them', async () => {
  const actors = await start()
  await actors.create(lamp('a'), made)
  expect(await house.timers('a')).toEqual([])
  await actors.send(lamp('a'), { type: 'switch' })
  expect(await house.timers('a')).toEqual([
    { name: '10000', due_at: 1_010_000 },
    { name: '60000', due_at: 1_060_000 },
  ])
  await actors.send(lamp('a'), { type: 'switch' })
  expect(await house.timers('a')).toEqual([])
  await house.clock.advance(100_000)
  expect(await events('a')).toEqual([
    ['make', 0],
    ['switch', 0],
    ['switch', 0],
  ])
})

test('they fire in order, each once and not before its time', async () => {
  const actors = await start()
  await actors.create(lamp('a'), made)
  await actors.send(lamp('a'), { type: 'switch' })
  await house.clock.advance(9_999)
  expect((await actors.read(lamp('a')))?.context.count).toBe(1)
  await house.clock.advance(1)
  // It stays on, so that the timer must go by itself.
  expect(await actors.read(lamp('a'))).toMatchObject({ state: 'on', context: { count: 2 } })
  expect(await house.timers('a')).toEqual([{ name: '60000', due_at: 1_060_000 }])
  await house.clock.advance(49_999)
  expect(await actors.read(lamp('a'))).toMatchObject({ state: 'on', context: { count: 2 } })
  await house.clock.advance(1)
  expect((await actors.read(lamp('a')))?.state).toBe('off')
  expect((await events('a')).at(-1)).toEqual(['60000', 60_000])
  expect((await house.journal('a')).at(-1)).toMatchObject({ by_type: 'system', by_id: 'troupe' })
})

test('those of several actors fire by their time, even if the poller was late', async () => {
  const actors = await start()
  const order: string[] = []
  actors.subscribe({ kind: 'lamp' }, ({ actor, moves }) => {
    if (moves[0]?.event.type === '10000') order.push(actor.address.id)
  })
  for (const id of ['a', 'b', 'c']) {
    await actors.create(lamp(id), made)
    await actors.send(lamp(id), { type: 'switch' })
    await house.clock.advance(1_000)
  }
  await house.clock.advance(20_000)
  expect(order).toEqual(['a', 'b', 'c'])
})

test('they survive a restart, and overdue ones fire at the start', async () => {
  const actors = await start()
  await actors.create(lamp('a'), made)
  await actors.send(lamp('a'), { type: 'switch' })
  await house.restart()
  await house.clock.advance(10_500)
  expect(await events('a')).toHaveLength(2)
  const again = await start()
  expect((await again.read(lamp('a')))?.context.count).toBe(2)
  await house.clock.advance(49_500)
  expect(await events('a')).toEqual([
    ['make', 0],
    ['switch', 0],
    ['60000', 60_000],
  ])
})

test('a state that was left and entered again has new timers; the old ones do not fire early', async () => {
  const actors = await start()
  await actors.create(lamp('a'), made)
  await actors.send(lamp('a'), { type: 'switch' })
  await house.clock.advance(50_000)
  await actors.send(lamp('a'), { type: 'switch' })
  await actors.send(lamp('a'), { type: 'switch' })
  await house.clock.advance(59_999)
  expect((await actors.read(lamp('a')))?.state).toBe('on')
  await house.clock.advance(1)
  expect((await actors.read(lamp('a')))?.state).toBe('off')
})

test('a timer that is read as due while its state is entered again does not fire, and the new one stays', async () => {
  const actors = await start()
  await actors.create(lamp('a'), made)
  await actors.send(lamp('a'), { type: 'switch' })
  // The command is in the mailbox first, the timer second, in one turn.
  const { all } = house.store
  let sent: Promise<unknown> | undefined
  house.store.all = (query) => {
    if (query.sql.includes('"due_at" <=')) sent ??= actors.send(lamp('a'), { type: 'again' })
    return all.call(house.store, query) as never
  }
  await house.clock.advance(60_000)
  house.store.all = all
  await sent
  await quiet()
  // The first poll was at 10 s: `again` restarted both timers then, and the shorter one has fired since, once.
  expect(await actors.read(lamp('a'))).toMatchObject({ state: 'on', context: { count: 2 } })
  expect(await house.timers('a')).toEqual([{ name: '60000', due_at: 1_070_000 }])
  await house.clock.advance(10_000)
  expect((await actors.read(lamp('a')))?.state).toBe('off')
})

test('a timer that is restarted just before it fires keeps its new time', async () => {
  const actors = await start()
  await actors.create(lamp('a'), made)
  await actors.send(lamp('a'), { type: 'switch' })
  await house.tamper("update timers set due_at = 999999 where name = '60000'")
  // Read as due, restarted by another process before its turn came.
  const { all } = house.store
  house.store.all = async (query) => {
    const rows = await all.call(house.store, query)
    if (query.sql.includes('"due_at" <=')) await house.tamper("update timers set due_at = 1060000 where name = '60000'")
    return rows as never
  }
  await actors.timers.start()
  house.store.all = all
  expect(await house.timers('a')).toContainEqual({ name: '60000', due_at: 1_060_000 })
  expect((await actors.read(lamp('a')))?.state).toBe('on')
})

test('a state may re-enter itself repeatedly', async () => {
  await house.tamper(`insert into lamps values ('p', 'pulsing', 1, '3', '{"count":0,"said":[]}', 'me')`)
  await house.tamper("insert into timers values ('lamp', 'p', '1000', 1001000)")
  const actors = await start()
  await house.clock.advance(10_000)
  expect((await actors.read(lamp('p')))?.context.count).toBe(10)
  expect(await house.timers('p')).toEqual([{ name: '1000', due_at: 1_011_000 }])
})

test('a thousand that are due at once all fire', async () => {
  const actors = await start()
  const ids = Array.from({ length: 1_000 }, (_, index) => `l${index}`)
  await Promise.all(ids.map((id) => actors.create(lamp(id), made)))
  await Promise.all(ids.map((id) => actors.send(lamp(id), { type: 'switch' })))
  await house.restart()
  await house.clock.advance(60_000)
  const again = await start()
  const actual = await Promise.all(ids.map((id) => again.read(lamp(id))))
  expect(actual.filter((actor) => actor?.state === 'off')).toHaveLength(1_000)
  expect(await house.store.all({ sql: 'select * from timers', parameters: [] })).toEqual([])
  expect(house.errors).toEqual([])
})

describe('a timer without effect', () => {
  const pending = () => house.store.all<{ actor_id: string }>({ sql: 'select actor_id from timers', parameters: [] })

  test('of an actor that is gone is removed and affects nobody else', async () => {
    await house.tamper("insert into timers values ('lamp', 'gone', '60000', 1)")
    const actors = await start()
    expect(await pending()).toEqual([])
    await actors.create(lamp('a'), made)
    await actors.send(lamp('a'), { type: 'switch' })
    await house.tamper("delete from lamps where id = 'a'")
    await house.clock.advance(120_000)
    expect(await pending()).toEqual([])
    expect(house.errors).toEqual([])
  })
  test('of a run is left alone: only a server of an earlier version stores it outside of the row of the run', async () => {
    await house.tamper("insert into timers values ('run', 'run_1', 'queueDeadline', 1)")
    await start()
    await house.clock.advance(120_000)
    expect(await pending()).toEqual([{ actor_id: 'run_1' }])
    expect(house.errors).toEqual([])
  })
  test('of a state that does not know it is removed', async () => {
    const actors = await start()
    await actors.create(lamp('a'), made)
    await house.tamper("insert into timers values ('lamp', 'a', '60000', 1)")
    await house.clock.advance(120_000)
    expect(await pending()).toEqual([])
    expect((await actors.read(lamp('a')))?.version).toBe(1)
  })
  test('of an unreadable actor delays no other, and is retried less and less often', async () => {
    await house.tamper(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 300)
      insert into lamps select 'broken' || i, 'on', 1, '3', 'no JSON', 'me' from n`)
    await house.tamper("insert into timers select 'lamp', id, '60000', 1 from lamps")
    const actors = await start()
    await actors.create(lamp('a'), made)
    await actors.send(lamp('a'), { type: 'switch' })
    await house.clock.advance(60_000, manyTurns)
    expect((await actors.read(lamp('a')))?.state).toBe('off')
    const perTimer = house.errors.length / 300
    expect(perTimer).toBeGreaterThanOrEqual(3)
    expect(perTimer).toBeLessThanOrEqual(8)
    // Once repaired, they fire.
    await house.tamper(`update lamps set context = '{"count":0,"said":[]}' where id like 'broken%'`)
    await house.clock.advance(120_000, manyTurns)
    expect(await pending()).toEqual([])
  })
})

test('a timer that is stored and becomes due during a poll is not missed', async () => {
  const actors = house.actors()
  await actors.create(lamp('a'), made)
  const gate = Promise.withResolvers<void>()
  const { first } = house.store
  house.store.first = async (query) => {
    const row = await first.call(house.store, query)
    await gate.promise
    return row as never
  }
  // The query has found no timer at all, and is still running.
  const starting = actors.start()
  await quiet()
  house.store.first = first
  await actors.send(lamp('a'), { type: 'switch' })
  await house.clock.advance(10_000)
  gate.resolve()
  await starting
  await quiet()
  expect((await actors.read(lamp('a')))?.context.count).toBe(2)
})

test('an unavailable store is queried again', async () => {
  const actors = await start()
  await actors.create(lamp('a'), made)
  await actors.send(lamp('a'), { type: 'switch' })
  const { all } = house.store
  house.store.all = () => Promise.reject(new Error('away'))
  await house.clock.advance(60_000)
  expect(house.errors.length).toBeGreaterThan(0)
  house.store.all = all
  await house.clock.advance(2_000)
  expect((await actors.read(lamp('a')))?.state).toBe('off')
})

test('timers that failed while the store was unavailable all fire within a second of its return', async () => {
  const actors = await start()
  const ids = Array.from({ length: 250 }, (_, index) => `lamp-${index}`)
  for (const id of ids) {
    await actors.create(lamp(id), made)
    await actors.send(lamp(id), { type: 'switch' })
  }
  const { commit } = house.store
  house.store.commit = () => Promise.reject(new StoreUnavailable('The store is away.'))
  await house.clock.advance(120_000, manyTurns)
  for (const id of ids) expect((await actors.read(lamp(id)))?.state).toBe('on')
  house.store.commit = commit
  await house.clock.advance(1_000, manyTurns)
  const left = await Promise.all(ids.map(async (id) => (await actors.read(lamp(id)))?.state))
  expect(left.filter((state) => state !== 'off')).toEqual([])
})

test('nothing fires after stop', async () => {
  const actors = await start()
  await actors.create(lamp('a'), made)
  await actors.send(lamp('a'), { type: 'switch' })
  await actors.stop()
  expect(house.clock.pending).toBe(0)
  await house.clock.advance(100_000)
  expect((await actors.read(lamp('a')))?.state).toBe('on')
  expect(await house.timers('a')).toHaveLength(2)
})
