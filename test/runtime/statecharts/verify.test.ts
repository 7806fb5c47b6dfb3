/** Verification that the journal of an actor leads to its state. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { dataOf, openWorld, pathOf, toOpen, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

describe('verify', () => {
  const verify = async (id: string) => dataOf(await world.get(pathOf(id, '/verify')))

  test('a journal that leads to the stored state is valid', async () => {
    const id = await world.ticket(...toOpen, { type: 'park' })
    expect(await verify(id)).toEqual({ valid: true, storedState: 'note', replayedState: 'note', problem: null })
  })

  test('so is one of many pages, with deadlines', async () => {
    const id = await world.ticket(...toOpen)
    await Promise.all(
      Array.from({ length: 1_100 }, (_, index) => world.send(id, { type: index % 2 ? 'resume' : 'park' })),
    )
    expect(await verify(id)).toMatchObject({ valid: true, storedState: 'open' })

    const late = await world.ticket({ type: 'submit' })
    world.clock.advance(60_000)
    await world.actors.timers.start()
    world.actors.timers.stop()
    expect(await verify(late)).toMatchObject({ valid: true, storedState: 'draft' })
    expect(await dataOf(await world.get(pathOf(late)))).toHaveProperty('journal.2.event', 'reviewDeadline')
  })

  test('a move between reading the journal and reading the actor is read too', async () => {
    const id = await world.ticket(...toOpen)
    using _ = world.afterNextLookAt('transitions', () => world.send(id, { type: 'park' }))
    expect(await verify(id)).toEqual({ valid: true, storedState: 'note', replayedState: 'note', problem: null })
  })

  test('an actor that moves meanwhile is not reported as broken', async () => {
    const id = await world.ticket(...toOpen)
    const moves = (async () => {
      for (let index = 0; index < 60; index += 1) await world.send(id, { type: index % 2 ? 'resume' : 'park' })
    })()
    for (let index = 0; index < 20; index += 1) {
      const response = await world.get(pathOf(id, '/verify'))
      if (response.status === 200) expect(await dataOf(response)).toMatchObject({ valid: true })
      else expect(response.status).toBe(409)
    }
    await moves
    expect(await verify(id)).toMatchObject({ valid: true, storedState: 'open' })
  })

  const journal = 'transitions set'
  const at = (sequence: number) => `where actor_id = ? and sequence = ${sequence}`
  // the ticket's moves: 1 draft, 2 in-review, 3 open, 4 note
  test.each([
    ['a gap', `delete from transitions ${at(2)}`, 'draft', 'Transition 2 is missing.'],
    ['no beginning', `delete from transitions ${at(1)}`, null, 'Transition 1 is missing.'],
    ['no end', `delete from transitions ${at(4)}`, 'open', 'The journal ends in open'],
    ['no journal', 'delete from transitions where actor_id = ?', null, 'The journal ends in nothing'],
    [
      'a move to another state',
      `update ${journal} to_state = 'closed' ${at(3)}`,
      'in-review',
      'Transition 3 is no move',
    ],
    ['an unknown state', `update ${journal} to_state = 'lost' ${at(4)}`, 'open', 'Transition 4 is no move'],
    ['an unknown event', `update ${journal} event = 'bribe' ${at(2)}`, 'draft', 'Transition 2 is no move'],
    ['an event of another state', `update ${journal} event = 'resume' ${at(2)}`, 'draft', 'Transition 2 is no move'],
    [
      'a move from another state',
      `update ${journal} from_state = 'note' ${at(3)}`,
      'in-review',
      'Transition 3 begins in note',
    ],
    [
      'a second creation',
      `update ${journal} from_state = null ${at(3)}`,
      'in-review',
      'Transition 3 begins in nothing',
    ],
    ['another beginning', `update ${journal} event = 'find' ${at(1)}`, null, 'Transition 1 is no move'],
    ['another initial state', `update ${journal} to_state = 'open' ${at(1)}`, null, 'Transition 1 begins in open'],
  ] as const)('%s is not valid', async (_, sql, replayedState, problem) => {
    const id = await world.ticket(...toOpen, { type: 'park' })
    await world.tamper(sql, id)
    const answer = await verify(id)
    expect({ ...answer }).toMatchObject({ valid: false, storedState: 'note', replayedState })
    expect(answer.problem).toStartWith(problem)
  })

  test.each([
    ["state = 'open'", 'open', 'The journal ends in note, and the stored state is open.'],
    ["state = 'lost'", 'lost', 'A stored snapshot of kind ticket cannot be read: its statechart has no state lost.'],
    ["context = '{'", 'note', 'A stored snapshot of kind ticket cannot be read: its context is not JSON.'],
  ])('a stored row with %s is not valid, even if memory differs', async (change, storedState, problem) => {
    const id = await world.ticket(...toOpen, { type: 'park' })
    await world.tamper(`update tickets set ${change} where id = ?`, id)
    expect(await verify(id)).toEqual({ valid: false, storedState, replayedState: 'note', problem })
  })
})
