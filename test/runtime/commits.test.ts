/** What is stored with a command: the caller's statements, the journal, the version. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type House, lamp, made, openHouse } from './support/lamps.ts'

let house: House
beforeEach(async () => {
  house = await openHouse()
})
afterEach(() => house?.close())

describe('a change stores', () => {
  test('the caller’s statements, which know the outcome', async () => {
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
  test('a journal row for each change of state, without gaps, with actor, reason and attempt', async () => {
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
  test('the number that the kind gives a move in its stream', async () => {
    const actors = house.actors({
      apply: ({ moves }) => {
        for (const [index, move] of moves.entries()) move.streamSequence = 40 + index
      },
    })
    await actors.create(lamp('a'), made)
    await Promise.all([actors.send(lamp('a'), { type: 'switch' }), actors.send(lamp('a'), { type: 'switch' })])
    expect((await house.journal('a')).map(({ stream_sequence }) => stream_sequence)).toEqual([40, 40, 41])
  })
  test('a version that grows only with a change', async () => {
    const actors = house.actors()
    await actors.create(lamp('a'), made)
    expect((await actors.send(lamp('a'), { type: 'nudge' })).actor.version).toBe(1)
    expect((await actors.send(lamp('a'), { type: 'count' })).actor.version).toBe(2)
  })
  test('everything across a restart', async () => {
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
