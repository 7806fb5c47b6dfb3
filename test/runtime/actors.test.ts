/** Actors are created, process commands in order, and preview their answers. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { UniqueViolation } from '../../storage/errors.ts'
import { quiet } from './support/clock.ts'
import { type House, type LampContext, lamp, made, openHouse } from './support/lamps.ts'
import { answerOf, refusal } from './support/refusals.ts'

let house: House
beforeEach(async () => {
  house = await openHouse()
})
afterEach(() => house?.close())

describe('create', () => {
  test('stores the row, the first transition and the state together', async () => {
    const actors = house.actors()
    const { actor, move } = await actors.create(
      lamp('a'),
      { named: 'make', input: { count: 4 }, seed: { owner: 'ann' } },
      { by: { type: 'user', id: 'u1' } },
    )
    expect(actor).toMatchObject({ state: 'off', version: 1, sequence: 1, context: { count: 4, said: [] } })
    expect(move).toMatchObject({ from: null, to: 'off', sequence: 1 })
    expect(await house.row('a')).toMatchObject({ state: 'off', version: 1, owner: 'ann' })
    expect(await house.journal('a')).toMatchObject([
      { sequence: 1, from_state: null, to_state: 'off', event: 'make', by_type: 'user', by_id: 'u1' },
    ])
  })
  test('of an existing actor is a conflict with its state, whether or not it is in memory', async () => {
    const actors = house.actors()
    await actors.create(lamp('a'), made)
    await actors.send(lamp('a'), { type: 'switch' })
    for (const other of [actors, house.actors()])
      expect(answerOf(await refusal(other.create(lamp('a'), made)))).toEqual({
        status: 409,
        code: 'invalid_transition',
        details: { currentState: 'on' },
      })
    expect(await house.journal('a')).toHaveLength(2)
  })
  test('by an unknown creation creates nothing', async () => {
    const actors = house.actors()
    expect(String(await refusal(actors.create(lamp('a'), { ...made, named: 'find' })))).toContain('no birth by find')
    expect(await house.journal('a')).toEqual([])
    expect((await actors.create(lamp('a'), made)).actor.state).toBe('off')
  })
  test('twice at once creates one', async () => {
    const actors = house.actors()
    const results = await Promise.allSettled([actors.create(lamp('a'), made), actors.create(lamp('a'), made)])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  })
  test('after a command that came too early uses its own seed', async () => {
    const actors = house.actors()
    const early = refusal(actors.send(lamp('a'), { type: 'switch' }))
    const created = actors.create(lamp('a'), { ...made, seed: { owner: 'ann' } })
    const late = actors.send(lamp('a'), { type: 'switch' })
    expect(answerOf(await early).status).toBe(404)
    expect((await created).actor.address.id).toBe('a')
    expect((await late).move.to).toBe('on')
    expect(await house.row('a')).toMatchObject({ owner: 'ann', state: 'on' })
  })
  test("is refused with the existing row's name if the row exists", async () => {
    const actors = house.actors()
    const writes = () => [{ sql: "insert into counters values ('slug', 1)", parameters: [] }]
    await actors.create(lamp('a'), made, { writes })
    const error = await refusal(actors.create(lamp('b'), made, { writes }))
    expect(error).toBeInstanceOf(UniqueViolation)
    expect((error as UniqueViolation).columns).toBe('counters.name')
    expect(await house.row('b')).toBeUndefined()
  })
})

describe('order and concurrency', () => {
  test('a thousand commands to one address are processed in order', async () => {
    const actors = house.actors()
    await actors.create(lamp('a'), made)
    const words = Array.from({ length: 1_000 }, (_, index) => `w${index}`)
    const outcomes = await Promise.all(words.map((word) => actors.send(lamp('a'), { type: 'say', word })))
    expect(outcomes.map(({ move }) => move.event.word)).toEqual(words)
    const { context } = (await house.row('a')) as { context: string }
    expect((JSON.parse(context) as LampContext).said).toEqual(words)
  })
  test('also if they arrive one by one while others are processed', async () => {
    const actors = house.actors()
    await actors.create(lamp('a'), made)
    const sent: Promise<unknown>[] = []
    for (let index = 0; index < 200; index += 1) {
      sent.push(actors.send(lamp('a'), { type: 'say', word: `${index}` }))
      if (index % 7 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    await Promise.all(sent)
    const { context } = (await house.row('a')) as { context: string }
    expect((JSON.parse(context) as LampContext).said).toEqual(Array.from({ length: 200 }, (_, index) => `${index}`))
  })
  test('concurrent commands share a unit of work, and each gets its own answer', async () => {
    const applied: number[] = []
    const actors = house.actors({ apply: ({ moves }) => void applied.push(moves.length) })
    await actors.create(lamp('a'), made)
    const before = house.store.statistics.units
    const [one, refused, two] = await Promise.allSettled([
      actors.send(lamp('a'), { type: 'switch' }),
      actors.send(lamp('a'), { type: 'say' }),
      actors.send(lamp('a'), { type: 'switch' }),
    ])
    expect(house.store.statistics.units - before).toBe(1)
    expect(applied).toEqual([1, 2])
    expect(one?.status === 'fulfilled' && one.value.move).toMatchObject({ from: 'off', to: 'on', sequence: 2 })
    expect(two?.status === 'fulfilled' && two.value.move).toMatchObject({ from: 'on', to: 'off', sequence: 3 })
    expect(answerOf(refused?.status === 'rejected' && refused.reason)).toMatchObject({
      status: 409,
      details: { currentState: 'on' },
    })
  })
  test('a slow command does not delay other actors', async () => {
    const gate = Promise.withResolvers<void>()
    const actors = house.actors({ apply: ({ address }) => (address.id === 'slow' ? gate.promise : undefined) })
    await actors.create(lamp('a'), made)
    let isDone = false
    const slow = actors.create(lamp('slow'), made).then(() => {
      isDone = true
    })
    await actors.send(lamp('a'), { type: 'switch' })
    await actors.send(lamp('a'), { type: 'switch' })
    await quiet()
    expect(isDone).toBe(false)
    expect(actors.statistics.busy).toBe(1)
    gate.resolve()
    await slow
    await quiet()
    expect(actors.statistics.busy).toBe(0)
  })
  test('commands to many addresses share a transaction', async () => {
    const actors = house.actors()
    const ids = Array.from({ length: 64 }, (_, index) => `l${index}`)
    await Promise.all(ids.map((id) => actors.create(lamp(id), made)))
    const before = house.store.statistics.transactions
    await Promise.all(ids.map((id) => actors.send(lamp(id), { type: 'switch' })))
    expect(house.store.statistics.transactions - before).toBe(1)
  })
})

describe('preview', () => {
  test('returns the answer and stores nothing', async () => {
    const done: string[] = []
    const actors = house.actors({ effects: { announce: { hint: () => void done.push('announce') } } })
    await actors.create(lamp('a'), made)
    const before = { row: await house.row('a'), units: house.store.statistics.units }
    expect(await actors.preview(lamp('a'), { type: 'switch' })).toMatchObject({
      accepted: true,
      state: 'on',
      effects: [{ name: 'glow' }, { name: 'announce', params: { count: 1 } }],
    })
    expect(await actors.preview(lamp('a'), { type: 'again' })).toEqual({ accepted: false, state: 'off' })
    expect(await actors.preview(lamp('a'), { type: 'neverHeardOf' })).toEqual({ accepted: false, state: 'off' })
    expect({ row: await house.row('a'), units: house.store.statistics.units }).toEqual(before)
    expect(done).toEqual([])
    expect(answerOf(await refusal(actors.preview(lamp('b'), { type: 'switch' }))).status).toBe(404)
  })
})
