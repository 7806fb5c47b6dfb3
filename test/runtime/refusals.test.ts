/** Refusals of actors, and the state after a command that could not be stored. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { ApiError } from '../../src/platform/http/answers/errors.ts'
import { StoreUnavailable } from '../../storage/errors.ts'
import { contextOf, type House, type LampContext, lamp, made, openHouse } from './support/lamps.ts'
import { answerOf, refusal } from './support/refusals.ts'

let house: House
beforeEach(async () => {
  house = await openHouse()
})
afterEach(() => house?.close())

describe('a command that cannot be stored', () => {
  test('does not fail other commands of the same turn', async () => {
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
  test('because the store is unavailable is answered by 503, changes nothing in memory, and can be repeated', async () => {
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
    for (const error of errors) expect(answerOf(error)).toMatchObject({ status: 503, code: 'store_unavailable' })
    // One by one they would wait for the same lock again.
    expect(commits).toBe(1)
    house.store.commit = commit
    expect(contextOf(await actors.send(lamp('a'), { type: 'say', word: 'again' })).said).toEqual(['again'])
  })
})

describe('refusals', () => {
  test('contain the current state', async () => {
    const actors = house.actors()
    await actors.create(lamp('a'), made)
    const error = await refusal(actors.send(lamp('a'), { type: 'again' }))
    expect(error).toBeInstanceOf(ApiError)
    expect(answerOf(error)).toEqual({ status: 409, code: 'invalid_transition', details: { currentState: 'off' } })
    expect((error as ApiError).message).toContain('off')
    expect(await house.journal('a')).toHaveLength(1)
  })
  test('are those that the state declares, if it declares any', async () => {
    const actors = house.actors()
    await actors.create(lamp('a'), made)
    expect(answerOf(await refusal(actors.send(lamp('a'), { type: 'smash' })))).toEqual({
      status: 400,
      code: 'empty_input',
      details: { currentState: 'off' },
    })
    await actors.send(lamp('a'), { type: 'switch' })
    expect(answerOf(await refusal(actors.send(lamp('a'), { type: 'smash' })))).toMatchObject({ status: 409 })
  })
  test('of an unknown actor are 404, of an unknown kind an exception', async () => {
    const actors = house.actors()
    expect(answerOf(await refusal(actors.send(lamp('nobody'), { type: 'switch' })))).toMatchObject({
      status: 404,
      code: 'not_found',
    })
    expect(await refusal(actors.send({ kind: 'door', id: 'a' }, { type: 'open' }))).toMatchObject({
      message: 'Unknown actor kind: door.',
    })
    expect(await actors.read(lamp('nobody'))).toBeUndefined()
  })
  test('are replaced by the alternative event if that is possible', async () => {
    const actors = house.actors()
    await actors.create(lamp('a'), made)
    const orElse = { type: 'say', word: 'instead' }
    const { move } = await actors.send(lamp('a'), { type: 'again' }, { orElse })
    expect(move.event).toMatchObject({ ...orElse, at: house.clock.now() })
    expect((await actors.send(lamp('a'), { type: 'switch' }, { orElse })).move.event.type).toBe('switch')
    // Neither is possible: the refusal is that of the first.
    expect(answerOf(await refusal(actors.send(lamp('a'), { type: 'smash' }, { orElse })))).toMatchObject({
      details: { currentState: 'on' },
    })
  })
  test('also come from guards', async () => {
    const actors = house.actors()
    await actors.create(lamp('a'), { ...made, input: { count: 1 } })
    expect(answerOf(await refusal(actors.send(lamp('a'), { type: 'ifEven' })))).toMatchObject({ status: 409 })
    await actors.send(lamp('a'), { type: 'count' })
    expect((await actors.send(lamp('a'), { type: 'ifEven' })).actor.state).toBe('on')
  })
})
