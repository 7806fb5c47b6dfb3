import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { ApiError } from '../../src/http/errors.ts'
import type { News, Outcome } from '../../src/runtime/actors.ts'
import { StoreUnavailable, UniqueViolation } from '../../storage/errors.ts'
import { quiet } from './clock.ts'
import { type House, type LampContext, lamp, made, openHouse } from './lamps.ts'

let house: House
beforeEach(async () => {
  house = await openHouse()
})
afterEach(() => house.close())

const contextOf = (outcome: Outcome) => outcome.actor.context as unknown as LampContext
/** What a promise was refused with. */
const refusal = async (promise: Promise<unknown>) => {
  const [result] = await Promise.allSettled([promise])
  if (result?.status === 'fulfilled') throw new Error('It was not refused.')
  return result?.reason
}
const told = (error: unknown) => {
  const { status, code, details } = error as ApiError
  return { status, code, details }
}

describe('create', () => {
  test('stores the row, the first transition and the answer’s state together', async () => {
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
  test('of one that exists is a conflict that carries the state, whether or not it is in memory', async () => {
    const actors = house.actors()
    await actors.create(lamp('a'), made)
    await actors.send(lamp('a'), { type: 'switch' })
    for (const other of [actors, house.actors()])
      expect(told(await refusal(other.create(lamp('a'), made)))).toEqual({
        status: 409,
        code: 'invalid_transition',
        details: { currentState: 'on' },
      })
    expect(await house.journal('a')).toHaveLength(2)
  })
  test('twice at once makes one', async () => {
    const actors = house.actors()
    const results = await Promise.allSettled([actors.create(lamp('a'), made), actors.create(lamp('a'), made)])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  })
  test('behind a command that came too early gets its own seed', async () => {
    const actors = house.actors()
    const early = refusal(actors.send(lamp('a'), { type: 'switch' }))
    const created = actors.create(lamp('a'), { ...made, seed: { owner: 'ann' } })
    const late = actors.send(lamp('a'), { type: 'switch' })
    expect(told(await early).status).toBe(404)
    expect((await created).actor.address.id).toBe('a')
    expect((await late).move.to).toBe('on')
    expect(await house.row('a')).toMatchObject({ owner: 'ann', state: 'on' })
  })
  test('is refused with the other row’s name when that exists', async () => {
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
  test('a thousand commands to one address are taken in their order', async () => {
    const actors = house.actors()
    await actors.create(lamp('a'), made)
    const words = Array.from({ length: 1_000 }, (_, index) => `w${index}`)
    const outcomes = await Promise.all(words.map((word) => actors.send(lamp('a'), { type: 'say', word })))
    expect(outcomes.map(({ move }) => move.event.word)).toEqual(words)
    const { context } = (await house.row('a')) as { context: string }
    expect((JSON.parse(context) as LampContext).said).toEqual(words)
  })
  test('also when they come one by one while others are under way', async () => {
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
  test('commands in one go share a unit of work, and each gets its own answer', async () => {
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
    expect(told(refused?.status === 'rejected' && refused.reason)).toMatchObject({
      status: 409,
      details: { currentState: 'on' },
    })
  })
  test('a slow one holds up nobody else', async () => {
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
  test('many addresses share a transaction', async () => {
    const actors = house.actors()
    const ids = Array.from({ length: 64 }, (_, index) => `l${index}`)
    await Promise.all(ids.map((id) => actors.create(lamp(id), made)))
    const before = house.store.statistics.transactions
    await Promise.all(ids.map((id) => actors.send(lamp(id), { type: 'switch' })))
    expect(house.store.statistics.transactions - before).toBe(1)
  })
})

describe('a command that cannot be stored', () => {
  test('does not fail those that came with it', async () => {
    const actors = house.actors()
    await actors.create(lamp('a'), made)
    const broken = { writes: () => [{ sql: 'insert into nothing values (1)', parameters: [] }] }
    const throwing = {
      writes: () => {
        throw new Error('a bug')
      },
    }
    const results = await Promise.allSettled([
      actors.send(lamp('a'), { type: 'say', word: '1' }),
      actors.send(lamp('a'), { type: 'say', word: '2' }, broken),
      actors.send(lamp('a'), { type: 'say', word: '3' }, throwing),
      actors.send(lamp('a'), { type: 'say', word: '4' }),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
    expect(String(results[2]?.status === 'rejected' && results[2].reason)).toBe('Error: a bug')
    expect((await actors.read<unknown, LampContext>(lamp('a')))?.context.said).toEqual(['1', '4'])
  })
  test('for the store is away is told 503, changes nothing in memory, and can be sent again', async () => {
    const actors = house.actors()
    await actors.create(lamp('a'), made)
    const { commit } = house.store
    let commits = 0
    house.store.commit = () => {
      commits += 1
      return Promise.reject(new StoreUnavailable('The store is locked.'))
    }
    const errors = await Promise.all(
      ['1', '2', '3'].map((word) => refusal(actors.send(lamp('a'), { type: 'say', word }))),
    )
    for (const error of errors) expect(told(error)).toMatchObject({ status: 503, code: 'store_unavailable' })
    // One by one they would wait for the same lock again.
    expect(commits).toBe(1)
    house.store.commit = commit
    expect(contextOf(await actors.send(lamp('a'), { type: 'say', word: 'again' })).said).toEqual(['again'])
  })
})

describe('refusals', () => {
  test('carry the current state', async () => {
    const actors = house.actors()
    await actors.create(lamp('a'), made)
    const error = await refusal(actors.send(lamp('a'), { type: 'again' }))
    expect(error).toBeInstanceOf(ApiError)
    expect(told(error)).toEqual({ status: 409, code: 'invalid_transition', details: { currentState: 'off' } })
    expect((error as ApiError).message).toContain('off')
    expect(await house.journal('a')).toHaveLength(1)
  })
  test('are those that the state declares, where it does', async () => {
    const actors = house.actors()
    await actors.create(lamp('a'), made)
    expect(told(await refusal(actors.send(lamp('a'), { type: 'smash' })))).toEqual({
      status: 400,
      code: 'empty_input',
      details: { currentState: 'off' },
    })
    await actors.send(lamp('a'), { type: 'switch' })
    expect(told(await refusal(actors.send(lamp('a'), { type: 'smash' })))).toMatchObject({ status: 409 })
  })
  test('of an unknown actor are 404, of an unknown kind a bug', async () => {
    const actors = house.actors()
    expect(told(await refusal(actors.send(lamp('nobody'), { type: 'switch' })))).toMatchObject({
      status: 404,
      code: 'not_found',
    })
    expect(await refusal(actors.send({ kind: 'door', id: 'a' }, { type: 'open' }))).toMatchObject({
      message: 'There is no actor kind door.',
    })
    expect(await actors.read(lamp('nobody'))).toBeUndefined()
  })
  test('give way to the other event that was named', async () => {
    const actors = house.actors()
    await actors.create(lamp('a'), made)
    const orElse = { type: 'say', word: 'instead' }
    const { move } = await actors.send(lamp('a'), { type: 'again' }, { orElse })
    expect(move.event).toMatchObject({ ...orElse, at: house.clock.now() })
    expect((await actors.send(lamp('a'), { type: 'switch' }, { orElse })).move.event.type).toBe('switch')
    // Neither is possible: the answer is about the first.
    expect(told(await refusal(actors.send(lamp('a'), { type: 'smash' }, { orElse })))).toMatchObject({
      details: { currentState: 'on' },
    })
  })
  test('count for guards, too', async () => {
    const actors = house.actors()
    await actors.create(lamp('a'), { ...made, input: { count: 1 } })
    expect(told(await refusal(actors.send(lamp('a'), { type: 'ifEven' })))).toMatchObject({ status: 409 })
    await actors.send(lamp('a'), { type: 'count' })
    expect((await actors.send(lamp('a'), { type: 'ifEven' })).actor.state).toBe('on')
  })
})

describe('somebody else changes the row at the same moment', () => {
  test('the command is decided again on what is there now', async () => {
    const [one, other] = [house.actors(), house.actors()]
    await one.create(lamp('a'), made)
    await other.send(lamp('a'), { type: 'say', word: 'other' })
    const outcome = await one.send(lamp('a'), { type: 'say', word: 'one' })
    expect(contextOf(outcome).said).toEqual(['other', 'one'])
    expect(outcome.actor.version).toBe(3)
  })
  test('a command is turned down only by what is stored', async () => {
    const [one, other] = [house.actors(), house.actors()]
    await one.create(lamp('a'), made)
    await other.send(lamp('a'), { type: 'switch' })
    // `again` has a row in `on` alone, and one remembers `off`.
    expect((await one.send(lamp('a'), { type: 'again' })).move).toMatchObject({ from: 'on', to: 'on' })
    await house.tamper("delete from lamps where id = 'a'")
    expect(told(await refusal(one.send(lamp('a'), { type: 'smash' }))).status).toBe(404)
  })
  test('the journal has no gaps then either', async () => {
    const both = [house.actors(), house.actors()]
    await both[0]?.create(lamp('a'), made)
    for (let index = 0; index < 20; index += 1) await both[index % 2]?.send(lamp('a'), { type: 'switch' })
    expect((await house.journal('a')).map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 21 }, (_, index) => index + 1),
    )
  })
  test('three times in a row: 409 concurrent_change, and nothing is stored', async () => {
    let overtakes = 0
    const actors = house.actors({
      apply: async ({ before }) => {
        if (!before || overtakes === 3) return
        overtakes += 1
        await house.tamper("update lamps set version = version + 1 where id = 'a'")
      },
    })
    await actors.create(lamp('a'), made)
    expect(told(await refusal(actors.send(lamp('a'), { type: 'switch' })))).toMatchObject({
      status: 409,
      code: 'concurrent_change',
    })
    expect(await house.row('a')).toMatchObject({ state: 'off', version: 4 })
    expect(await house.journal('a')).toHaveLength(1)
    expect((await actors.send(lamp('a'), { type: 'switch' })).actor.state).toBe('on')
  })
  test('a row that is gone is 404 for those that come after', async () => {
    const actors = house.actors()
    await actors.create(lamp('a'), made)
    await house.tamper("delete from lamps where id = 'a'")
    expect(told(await refusal(actors.send(lamp('a'), { type: 'switch' }))).status).toBe(404)
  })
})

describe('what is stored with a change', () => {
  test('the caller’s statements, with the outcome in hand', async () => {
    const actors = house.actors()
    await actors.create(lamp('a'), made)
    await actors.send(
      lamp('a'),
      { type: 'switch' },
      {
        writes: ({ actor, move }) => [
          { sql: 'insert into counters values (?, ?)', parameters: [`${move.from}-${actor.state}`, actor.version] },
        ],
      },
    )
    expect(
      await house.store.all<{ name: string; next: number }>({ sql: 'select * from counters', parameters: [] }),
    ).toEqual([{ name: 'off-on', next: 2 }])
  })
  test('a journal row per change of the state, without gaps, with who, why and which attempt', async () => {
    const actors = house.actors()
    await actors.create(lamp('a'), made)
    await actors.send(lamp('a'), { type: 'switch', word: 'dark' }, { by: { type: 'apiKey', id: 'key_1' } })
    await actors.send(lamp('a'), { type: 'count' })
    await actors.send(lamp('a'), { type: 'again' })
    await house.clock.advance(5)
    await actors.send(lamp('a'), { type: 'switch' })
    const [, on, off, ...rest] = await house.journal('a')
    expect(rest).toEqual([])
    expect(on).toEqual({
      kind: 'lamp',
      actor_id: 'a',
      sequence: 2,
      from_state: 'off',
      to_state: 'on',
      event: 'switch',
      by_type: 'apiKey',
      by_id: 'key_1',
      attempt: 1,
      stream_sequence: null,
      reason: '{"code":"said","message":"dark"}',
      at: 1_000_000,
    })
    expect(off).toMatchObject({
      sequence: 3,
      from_state: 'on',
      to_state: 'off',
      by_type: 'system',
      attempt: 2,
      reason: null,
      at: 1_000_005,
    })
  })
  test('the number that the kind gives a move in its own stream', async () => {
    const actors = house.actors({
      apply: ({ moves }) => {
        for (const [index, move] of moves.entries()) move.streamSequence = 40 + index
      },
    })
    await actors.create(lamp('a'), made)
    await Promise.all([actors.send(lamp('a'), { type: 'switch' }), actors.send(lamp('a'), { type: 'switch' })])
    expect((await house.journal('a')).map(({ stream_sequence }) => stream_sequence)).toEqual([40, 40, 41])
  })
  test('a version that grows only when something changed', async () => {
    const actors = house.actors()
    await actors.create(lamp('a'), made)
    expect((await actors.send(lamp('a'), { type: 'nudge' })).actor.version).toBe(1)
    expect((await actors.send(lamp('a'), { type: 'count' })).actor.version).toBe(2)
  })
  test('survives a restart', async () => {
    const first = house.actors()
    await first.create(lamp('a'), made)
    await first.send(lamp('a'), { type: 'switch' })
    await house.restart()
    const actors = house.actors()
    const actor = await actors.read(lamp('a'))
    expect(actor).toMatchObject({ state: 'on', version: 2, sequence: 2, context: { count: 1 } })
    expect((await actors.send(lamp('a'), { type: 'switch' })).move.sequence).toBe(3)
  })
})

describe('subscribers', () => {
  const listen = (
    actors: ReturnType<House['actors']>,
    address: { kind: string; id?: undefined } | ReturnType<typeof lamp>,
  ) => {
    const heard: News[] = []
    const stop = actors.subscribe(address, (news) => heard.push(news))
    return { heard, stop }
  }
  test('hear of each commit after it, in order, of one actor or of all', async () => {
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
  test('hear nothing of what was not stored, and nothing after they left', async () => {
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
  test('that throw harm nobody', async () => {
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

describe('preview', () => {
  test('tells the answer and stores nothing', async () => {
    const done: string[] = []
    const actors = house.actors({ effects: { announce: { hint: () => void done.push('announce') } } })
    await actors.create(lamp('a'), made)
    const before = { row: await house.row('a'), units: house.store.statistics.units }
    expect(await actors.preview(lamp('a'), { type: 'switch' })).toMatchObject({
      accepted: true,
      state: 'on',
      wishes: [{ name: 'glow' }, { name: 'announce', params: { count: 1 } }],
    })
    expect(await actors.preview(lamp('a'), { type: 'again' })).toEqual({ accepted: false, state: 'off' })
    expect(await actors.preview(lamp('a'), { type: 'neverHeardOf' })).toEqual({ accepted: false, state: 'off' })
    expect({ row: await house.row('a'), units: house.store.statistics.units }).toEqual(before)
    expect(done).toEqual([])
    expect(told(await refusal(actors.preview(lamp('b'), { type: 'switch' }))).status).toBe(404)
  })
})

describe('memory', () => {
  test('holds the actors used last, and no more', async () => {
    const actors = house.actors({}, { cacheSize: 100 })
    for (let index = 0; index < 20; index += 1) {
      await Promise.all(Array.from({ length: 500 }, (_, lane) => actors.create(lamp(`l${index}-${lane}`), made)))
    }
    await quiet()
    expect(actors.statistics.busy).toBe(0)
    expect(actors.statistics.cached).toBeLessThanOrEqual(100)
    // One that was dropped is there all the same.
    expect((await actors.send(lamp('l0-0'), { type: 'switch' })).actor).toMatchObject({ state: 'on', version: 2 })
    expect(actors.statistics.cached).toBeLessThanOrEqual(100)
    expect(actors.peek(lamp('l0-0'))?.state).toBe('on')
    expect(actors.peek(lamp('l0-1'))).toBeUndefined()
  })
  test('a hundred thousand actors that were read leave a bounded cache', async () => {
    await house.tamper(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000)
      insert into lamps select 'p' || i, 'off', 1, '3', '{"count":0,"said":[]}', 'me' from n`)
    const actors = house.actors({}, { cacheSize: 1_000 })
    for (let index = 1; index <= 100_000; index += 1) await actors.read(lamp(`p${index}`))
    expect(actors.statistics.cached).toBeLessThanOrEqual(1_000)
  })
  test('a read that is overtaken by a commit leaves the newer state in memory', async () => {
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
})
