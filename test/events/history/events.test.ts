/** Pulling an Environment's history over HTTP. Source: requirement 4.12; contract 7; trust 2.3. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../../support/process.ts'
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

test('an answer has `events` and `pagination`, and nothing else', async () => {
  const { status, body } = await place.owner.get(place.events, { query: { limit: 2 } })
  expect(status).toBe(200)
  expect(Object.keys(body).sort()).toEqual(['events', 'pagination'])
  const { nextCursor, resumeCursor, ...pagination } = body.pagination
  expect(pagination).toEqual({ limit: 2, hasMore: true })
  for (const cursor of [nextCursor, resumeCursor]) expect(cursor).toMatch(/^[\w-]+$/)
  const { id, subject, actor, ...event } = body.events[0]
  expect(id).toStartWith('evt_')
  expect([subject.type, actor.type]).toEqual(['agentRun', 'user'])
  expect(event).toEqual({
    type: 'run.created',
    timestamp: new Date(world.clock.now()).toISOString(),
    sequence: 1,
    organizationId: world.ours,
    projectId: place.projectId,
    environmentId: place.environmentId,
    data: { from: null, to: 'queued' },
  })
})

test('a page has 20 events by default; the last page has no `nextCursor`', async () => {
  const first = await place.owner.get(place.events)
  expect(first.body.pagination).toMatchObject({ limit: 20, hasMore: true })
  expect(sequences(first)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
  const { nextCursor: cursor } = first.body.pagination
  const second = await place.owner.get(place.events, { query: { cursor } })
  expect(sequences(second)).toEqual([21, 22, 23, 24, 25])
  expect(Object.keys(second.body.pagination).sort()).toEqual(['hasMore', 'limit', 'resumeCursor'])
  expect(second.body.pagination.hasMore).toBe(false)
})

test('a new Environment has an empty page with a usable resume cursor', async () => {
  const young = await world.place()
  const { body } = await young.owner.get(young.events)
  expect([body.events, body.pagination.hasMore]).toEqual([[], false])
  world.add(young, 2)
  const { resumeCursor: cursor } = body.pagination
  expect(sequences(await young.owner.get(young.events, { query: { cursor } }))).toEqual([1, 2])
})

test('an empty page returns a resume cursor of the same position', async () => {
  const { body } = await place.owner.get(place.events, { query: { limit: 100 } })
  const { resumeCursor: cursor } = body.pagination
  const again = await place.owner.get(place.events, { query: { cursor } })
  expect(again.body).toEqual({ events: [], pagination: { limit: 20, hasMore: false, resumeCursor: cursor } })
})

test('the resume cursor of every page continues from it, with another limit', async () => {
  const seen: number[] = []
  let cursor: string | undefined
  for (const limit of [1, 2, 3, 5, 8, 13]) {
    const reply = await place.owner.get(place.events, { query: { limit, cursor } })
    seen.push(...sequences(reply))
    cursor = reply.body.pagination.resumeCursor
  }
  expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => index + 1))
})

describe('invalid requests', () => {
  test.each(['0', '101', '-1', '1e2', '1.5', 'ten', ''])('limit %p: 422', async (limit) => {
    const { status, body } = await place.owner.get(place.events, { query: { limit } })
    expect([status, body.error.code]).toEqual([422, 'validation_failed'])
  })

  test.each([1, 100])('limit %d is accepted', async (limit) => {
    expect((await place.owner.get(place.events, { query: { limit } })).body.pagination.limit).toBe(limit)
  })

  const refused = async (at: Place, cursor: string) => {
    const { status, body } = await at.owner.get(at.events, { query: { cursor } })
    expect([status, body.error.code]).toEqual([422, 'invalid_cursor'])
  }
  const cursorsOf = async (at: Place): Promise<string[]> => {
    const { pagination } = (await at.owner.get(at.events, { query: { limit: 1 } })).body
    return [pagination.nextCursor, pagination.resumeCursor]
  }

  test.each(['nonsense', 'AAAA', '!', 'a'.repeat(1024), `${'A'.repeat(22)}W10`])(
    'the cursor %p: 422 `invalid_cursor`',
    (cursor) => refused(place, cursor),
  )

  test('a cursor with any flipped bit', async () => {
    for (const cursor of await cursorsOf(place)) {
      const bytes = Buffer.from(cursor, 'base64url')
      for (let index = 0; index < bytes.length; index += 1) {
        const other = Buffer.from(bytes)
        other[index] = (other[index] as number) ^ (1 << (index % 8))
        await refused(place, other.toString('base64url'))
      }
    }
  })

  test('a cursor of another Environment of the Project', async () => {
    const { environments } = await world.project()
    const [, second] = (await place.owner.get(`${place.path.replace(/\/[^/]+$/, '')}`)).body.data.items
    expect(environments).not.toContain(second.id)
    const path = place.path.replace(place.environmentId, second.id)
    for (const cursor of await cursorsOf(place)) {
      await refused({ ...place, path, events: `${path}/events` }, cursor)
    }
  })

  test('a cursor of another organization, in both directions', async () => {
    const foreign = world.organization()
    const there = await world.place(foreign.owner, foreign.id)
    world.add(there, 2)
    for (const cursor of await cursorsOf(there)) await refused(place, cursor)
    for (const cursor of await cursorsOf(place)) await refused(there, cursor)
  })

  test('a cursor of another list', async () => {
    const { body } = await place.owner.get('/api/v1/projects', { query: { limit: 1 } })
    expect(body.pagination.nextCursor).toBeString()
    await refused(place, body.pagination.nextCursor)
    const [cursor] = await cursorsOf(place)
    expect((await place.owner.get('/api/v1/projects', { query: { cursor } })).body.error.code).toBe('invalid_cursor')
  })

  test("another organization's history is 404, and so is an Environment at another Project's path", async () => {
    const foreign = world.organization()
    const missing = await foreign.owner.get(place.events)
    const other = await world.project()
    const misplaced = await place.owner.get(`${other.path}/environments/${place.environmentId}/events`)
    for (const { status, body } of [missing, misplaced]) {
      expect([status, body.error.code]).toEqual([404, 'not_found'])
    }
  })

  test('a key that is bound to an Agent gets no events of other Agents', async () => {
    const shared = await world.place()
    const agentOf = (slug: string) => data(shared.owner.post(`${shared.project}/agents`, { slug, name: slug }))
    const [own, other] = [await agentOf('own'), await agentOf('other')]
    for (const agent of [own, undefined, other, own, other]) world.add(shared, 1, 0, agent?.id)
    const { projectId } = shared
    const bound = world.keyOf(world.ownerId, { projectId, agentId: own.id })
    expect(sequences(await bound.get(shared.events))).toEqual([1, 2, 4])
    const first = await bound.get(shared.events, { query: { limit: 3 } })
    expect(sequences(first)).toEqual([1, 2])
    const { nextCursor: cursor } = first.body.pagination
    expect(sequences(await bound.get(shared.events, { query: { cursor } }))).toEqual([4])
    expect(sequences(await shared.owner.get(shared.events))).toEqual([1, 2, 3, 4, 5])
  })

  test('it requires `webhooks:events:read`, in the Project or everywhere', async () => {
    const others = world.keyOf(world.ownerId, { operations: ['webhooks:list', 'webhooks:rebaseline', 'projects:get'] })
    const { status, body } = await others.get(place.events)
    expect([status, body.error.details]).toEqual([403, { permission: 'webhooks:events:read' }])
    const exactly = world.keyOf(world.ownerId, { operations: ['webhooks:events:read'], projectId: place.projectId })
    expect((await exactly.get(place.events)).status).toBe(200)
  })
})

describe('retention', () => {
  test('follows TROUPE_EVENT_RETENTION_DAYS (30): the cursor expires, and a baseline replaces it', async () => {
    const old = await world.place()
    world.add(old, 3)
    const { pagination } = (await old.owner.get(old.events, { query: { limit: 1 } })).body
    world.clock.advance(20 * day)
    world.add(old, 2)
    world.clock.advance(10 * day)
    const query = { cursor: pagination.resumeCursor }
    expect(sequences(await old.owner.get(old.events, { query }))).toEqual([2, 3, 4, 5])
    world.clock.advance(1)
    const { status, body } = await old.owner.get(old.events, { query })
    expect([status, body.error.code]).toEqual([409, 'cursor_expired'])
    expect(body.error.details).toEqual({ oldestSequence: 4, checkpointGeneration: 1 })
    expect(sequences(await old.owner.get(old.events))).toEqual([4, 5])
    const { baseline, resumeCursor } = (await old.owner.post(`${old.events}/rebaseline`)).body
    expect(baseline.sequence).toBe(5)
    world.add(old, 1)
    expect(sequences(await old.owner.get(old.events, { query: { cursor: resumeCursor } }))).toEqual([6])

    // the server removes them gradually: a sweep that was running when the clock moved is followed by another
    const stored = () =>
      world.rows<{ sequence: number }>(
        'select sequence from environment_events where environment_id = ? order by sequence',
        old.environmentId,
      )
    await eventually('the end of old events', () => {
      world.clock.advance(600_000)
      return stored().length === 3
    })
    expect(stored().map(({ sequence }) => sequence)).toEqual([4, 5, 6])
  })
})
