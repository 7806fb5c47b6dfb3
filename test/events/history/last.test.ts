/** Reading the end of an Environment's history over HTTP: `last`. Source: requirement 4.12; contract 7, "Retention". */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { data } from '../../support/world/replies.ts'
import { day, openWorld, type Place, sequences, type World } from './world.ts'

let world: World
let place: Place
beforeAll(async () => {
  world = await openWorld()
  place = await world.place()
  world.add(place, 25)
})
afterAll(() => world?.stop())

const read = (at: Place, query: Record<string, string | number>) => at.owner.get(at.events, { query })

test('begins that many events before the head, and pages on from there', async () => {
  const first = await read(place, { last: 5, limit: 3 })
  expect([sequences(first), first.body.pagination.hasMore]).toEqual([[21, 22, 23], true])
  const second = await read(place, { cursor: first.body.pagination.nextCursor, limit: 3 })
  expect([sequences(second), second.body.pagination.hasMore]).toEqual([[24, 25], false])
  expect(sequences(await read(place, { last: 1 }))).toEqual([25])
})

test('a pull ends at the head at its start, and the resume cursor continues behind it: nothing is missed or repeated', async () => {
  const busy = await world.place()
  world.add(busy, 10)
  const first = await read(busy, { last: 4, limit: 2 })
  world.add(busy, 3)
  const second = await read(busy, { cursor: first.body.pagination.nextCursor, limit: 2 })
  expect([sequences(first), sequences(second), second.body.pagination.hasMore]).toEqual([[7, 8], [9, 10], false])
  for (const { body } of [first, second]) {
    const rest = await read(busy, { cursor: body.pagination.resumeCursor })
    expect(sequences(rest)[0]).toBe(body.events.at(-1).sequence + 1)
    expect(sequences(rest).at(-1)).toBe(13)
  }
})

test('0 begins at the head: an empty page whose resume cursor continues there', async () => {
  const { body } = await read(place, { last: 0 })
  expect([body.events, body.pagination.hasMore]).toEqual([[], false])
  const whole = await read(place, { limit: 100 })
  expect(body.pagination.resumeCursor).toBe(whole.body.pagination.resumeCursor)
  const young = await world.place()
  const { resumeCursor: cursor } = (await read(young, { last: 0 })).body.pagination
  world.add(young, 2)
  expect(sequences(await read(young, { cursor }))).toEqual([1, 2])
})

test('of a shorter history it is everything, and of an expired one what is kept', async () => {
  expect(sequences(await read(place, { last: 10_000, limit: 100 }))).toHaveLength(25)
  const old = await world.place()
  world.add(old, 3, 31 * day)
  world.add(old, 2)
  expect(sequences(await read(old, { last: 4 }))).toEqual([4, 5])
  expect(sequences(await read(old, { last: 1 }))).toEqual([5])
  const expired = await world.place()
  world.add(expired, 3, 31 * day)
  const { body } = await read(expired, { last: 2 })
  expect(body.events).toEqual([])
  world.add(expired, 1)
  expect(sequences(await read(expired, { cursor: body.pagination.resumeCursor }))).toEqual([4])
})

test('for a key that is bound to an Agent, events of other Agents count too', async () => {
  const shared = await world.place()
  const agentOf = (slug: string) => data(shared.owner.post(`${shared.project}/agents`, { slug, name: slug }))
  const [own, other] = [await agentOf('own'), await agentOf('other')]
  for (const agent of [own, undefined, other, own, other]) world.add(shared, 1, 0, agent?.id)
  const bound = world.keyOf(world.ownerId, { projectId: shared.projectId, agentId: own.id })
  const last = async (count: number) => sequences(await bound.get(shared.events, { query: { last: count } }))
  expect([await last(1), await last(2), await last(4)]).toEqual([[], [4], [2, 4]])
})

describe('refused is', () => {
  test('a cursor beside it, of any kind', async () => {
    const { nextCursor, resumeCursor } = (await read(place, { limit: 1 })).body.pagination
    for (const cursor of [nextCursor, resumeCursor]) {
      const { status, body } = await read(place, { cursor, last: 1 })
      expect([status, body.error.code]).toEqual([422, 'validation_failed'])
      expect(body.error.details.issues).toEqual([
        {
          path: '/query/last',
          message: 'Is for a read without a cursor, which says itself where to continue: leave out last or cursor.',
        },
      ])
    }
  })

  test.each(['-1', '10001', '1.5', 'ten', ''])('%p', async (last) => {
    const { status, body } = await read(place, { last })
    expect([status, body.error.code, body.error.details.issues[0].path]).toEqual([
      422,
      'validation_failed',
      '/query/last',
    ])
  })

  test("another organization's history: 404", async () => {
    expect((await world.organization().owner.get(place.events, { query: { last: 1 } })).status).toBe(404)
  })
})
