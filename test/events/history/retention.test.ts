/** The retention of events and their removal. Source: contract 7, "Retention". */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { ApiError } from '../../../src/platform/http/answers/errors.ts'
import { day, openWorld, type Place, raw, type World } from './feed-world.ts'

let world: World
beforeEach(async () => {
  world = await openWorld({ days: 30 })
})
afterEach(() => world?.store.close())

/** This many events of this age; the clock returns to its previous time. */
async function add(place: Place, count: number, ageMs: number) {
  world.clock.time -= ageMs
  await Promise.all(Array.from({ length: count }, (_, number) => world.record(place, number)))
  world.clock.time += ageMs
}
const left = async (...places: Place[]) => Promise.all(places.map(async (place) => (await world.stored(place)).length))
const sequences = async (place: Place, cursor?: string) =>
  (await world.read(place, 100, cursor)).events.map(({ sequence }) => sequence)

describe('pruning', () => {
  test('removes events at the end of their retention, to the millisecond', async () => {
    const place = await world.plant()
    await add(place, 1, 30 * day + 1)
    await add(place, 1, 30 * day)
    await add(place, 1, 30 * day - 1)
    expect(await world.retention.prune(500)).toBe(1)
    expect(await world.stored(place)).toEqual([2, 3])
  })

  test('removes one batch at a time, the oldest first, and continues after the last Environment', async () => {
    const [a, b, c] = [await world.plant(), await world.plant(), await world.plant()]
    await add(a, 30, 40 * day)
    await add(a, 5, day)
    await add(b, 7, day)
    await add(c, 330, 40 * day)
    expect(await world.retention.prune(20)).toBe(20)
    expect(await left(a, b, c)).toEqual([15, 7, 330])
    expect(await world.retention.prune(20)).toBe(20)
    expect(await left(a, b, c)).toEqual([5, 7, 320])
    expect((await world.stored(a))[0]).toBe(31)
    expect(await world.retention.prune(310)).toBe(310)
    expect(await left(a, b, c)).toEqual([5, 7, 10])
    expect(await world.retention.prune(310)).toBe(10)
    expect(await left(a, b, c)).toEqual([5, 7, 0])
    expect(await world.retention.prune(310)).toBe(0)
    // and again from the beginning
    world.clock.time += 30 * day
    expect(await world.retention.prune(310)).toBe(12)
  })

  test('a clock that goes back delays no removal', async () => {
    const place = await world.plant()
    await add(place, 3, 0)
    await add(place, 3, 5 * day)
    world.clock.time += 30 * day
    expect(await world.retention.prune(500)).toBe(0)
    world.clock.time += 1
    expect(await world.retention.prune(500)).toBe(6)
  })
})

describe('reads use the age of events', () => {
  test.each([1, 2, 3, 7, 64, 100, 1_000])('%d retained events are found after 500 expired ones', async (kept) => {
    const place = await world.plant()
    await add(place, 500, 31 * day)
    await add(place, kept, day)
    const { events } = await world.read(place, 1)
    expect(events.map(({ sequence }) => sequence)).toEqual([501])
  })

  test('without a cursor a read begins with the oldest retained event, whether or not expired ones are removed', async () => {
    const place = await world.plant()
    await add(place, 3, 31 * day)
    await add(place, 2, day)
    expect(await sequences(place)).toEqual([4, 5])
    await world.retention.prune(2)
    expect(await sequences(place)).toEqual([4, 5])
    await world.retention.prune(500)
    expect(await sequences(place)).toEqual([4, 5])
  })

  test('without retained events a read is empty, and continues with new ones', async () => {
    const place = await world.plant()
    await add(place, 3, 31 * day)
    const { events, pagination } = await world.read(place, 10)
    expect([events, pagination.hasMore]).toEqual([[], false])
    await add(place, 1, 0)
    expect(await sequences(place, pagination.resumeCursor)).toEqual([4])
  })

  const refused = async (place: Place, cursor: string): Promise<Record<string, unknown>> => {
    const error = await world.read(place, 10, cursor).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ApiError)
    const { status, code, details } = error as ApiError
    return { status, code, ...details }
  }
  const expired = (oldestSequence: number, checkpointGeneration = 1) => ({
    status: 409,
    code: 'cursor_expired',
    oldestSequence,
    checkpointGeneration,
  })

  test.each([false, true])('a cursor before an expired event has expired; pruned: %p', async (pruned) => {
    const place = await world.plant()
    await add(place, 3, 29 * day)
    const { pagination } = await world.read(place, 1)
    await add(place, 2, day)
    expect(await sequences(place, pagination.resumeCursor)).toEqual([2, 3, 4, 5])
    world.clock.time += 2 * day
    if (pruned) await world.retention.prune(500)
    expect(await refused(place, pagination.resumeCursor)).toEqual(expired(4))
    expect(await refused(place, pagination.nextCursor as string)).toEqual(expired(4))
    world.clock.time += 30 * day
    if (pruned) await world.retention.prune(500)
    expect(await refused(place, pagination.resumeCursor)).toEqual(expired(6))
  })

  test('a resume cursor at the head never expires', async () => {
    const place = await world.plant()
    await add(place, 3, 0)
    const { pagination } = await world.read(place, 10)
    world.clock.time += 1_000 * day
    await world.retention.prune(500)
    const again = await world.read(place, 10, pagination.resumeCursor)
    expect(again.events).toEqual([])
    expect(again.pagination.resumeCursor).toBe(pagination.resumeCursor)
    await add(place, 2, 0)
    expect(await sequences(place, pagination.resumeCursor)).toEqual([4, 5])
    expect(await sequences(place, again.pagination.resumeCursor)).toEqual([4, 5])
  })

  test('a gap made by an operator is reported', async () => {
    const place = await world.plant()
    await add(place, 9, 0)
    const { pagination } = await world.read(place, 2)
    await world.store.commit([raw('delete from environment_events where sequence = 5')])
    expect(await refused(place, pagination.resumeCursor)).toMatchObject({ code: 'cursor_expired' })
  })

  test('after the restore of a backup, cursors from before are refused', async () => {
    const place = await world.plant()
    await add(place, 4, 0)
    const { pagination } = await world.read(place, 2)
    await world.store.commit([raw('update history set generation = generation + 1')])
    for (const cursor of [pagination.resumeCursor, pagination.nextCursor as string]) {
      expect(await refused(place, cursor)).toEqual(expired(1, 2))
    }
    const { checkpointGeneration, resumeCursor } = await world.rebaseline(place)
    expect(checkpointGeneration).toBe(2)
    await add(place, 1, 0)
    expect(await sequences(place, resumeCursor)).toEqual([5])
  })

  test('a cursor beyond the backup has expired, whatever its generation', async () => {
    const place = await world.plant()
    await add(place, 4, 0)
    const { pagination } = await world.read(place, 10)
    await world.store.commit([
      raw('delete from environment_events where sequence > 2'),
      raw('update environment_sequences set sequence = 2'),
    ])
    expect(await refused(place, pagination.resumeCursor)).toEqual(expired(1))
  })
})
