import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { followActor } from '../../../src/runtime/statecharts/live/follow.ts'
import { StoreUnavailable } from '../../../storage/errors.ts'
import { listTransitions } from '../../../storage/runtime/journal.ts'
import { EventReader } from './events.ts'
import { close, openWorld, toOpen, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

const path = (id: string) => `/api/v1/actors/ticket/${id}`
const open = async (id: string, lastEventId?: string) => {
  const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
  const response = await world.get(`${path(id)}/stream`, 'reader', headers)
  expect(response.status).toBe(200)
  return new EventReader(response.body)
}
const journalOf = (id: string) => listTransitions(world.store, { kind: 'ticket', actorId: id, after: 0, limit: 10_000 })
const shuttle = (id: string, times: number) =>
  Promise.all(Array.from({ length: times }, (_, index) => world.send(id, { type: index % 2 ? 'resume' : 'park' })))
/** Resolves once this many streams are idle; everything before has been sent by then. */
const resting = async (count: number) => {
  while (world.clock.waiting !== count) await Bun.sleep(1)
}

test('the headers forbid caching and buffering', async () => {
  const response = await world.get(`${path(await world.ticket())}/stream`)
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(response.headers.get('cache-control')).toBe('no-cache, no-transform')
  expect(response.headers.get('x-accel-buffering')).toBe('no')
  expect(response.headers.get('x-request-id')).toStartWith('req_')
  await response.body?.cancel()
})

test('first the snapshot, then every change of state, then the end', async () => {
  const id = await world.ticket()
  const stream = await open(id)
  const [snapshot] = await stream.take(1)
  const read = (await (await world.get(path(id))).json()) as { data: Record<string, unknown> }
  expect(snapshot).toEqual({ id: '1', event: 'actor.snapshot', data: read.data })

  await world.send(id, { type: 'submit' })
  const [submitted] = await stream.take(1)
  expect(submitted).toEqual({
    id: '2',
    event: 'actor.transition',
    data: {
      sequence: 2,
      from: 'draft',
      to: 'in-review',
      event: 'submit',
      actor: { type: 'user', id: 'usr_1' },
      attempt: 0,
      reason: null,
      at: new Date(world.clock.now()).toISOString(),
      nextEvents: ['approve', 'reject', 'reviewDeadline'],
      timers: [{ event: 'reviewDeadline', dueAt: new Date(world.clock.now() + 60_000).toISOString() }],
    },
  })

  await world.send(id, toOpen[1]!)
  await world.send(id, { type: 'note', text: 'the state stays, and the journal says nothing of it' })
  await world.send(id, close)
  const rest = await stream.rest()
  expect(rest.map((event) => [event.id, event.event, event.data.to ?? event.data.state])).toEqual([
    ['3', 'actor.transition', 'open'],
    ['4', 'actor.transition', 'closed'],
    ['4', 'end', 'closed'],
  ])
})

test('of an actor in a final state: the snapshot, the end, and the server closes', async () => {
  const events = await (await open(await world.ticket(...toOpen, close))).rest()
  expect(events.map(({ id, event }) => [id, event])).toEqual([
    ['4', 'actor.snapshot'],
    ['4', 'end'],
  ])
})

describe('resuming', () => {
  test('after an interruption at any event, both parts together are the journal', async () => {
    const id = await world.ticket(
      ...toOpen,
      { type: 'park' },
      { type: 'resume' },
      { type: 'park' },
      { type: 'resume' },
      close,
    )
    const journal = (await journalOf(id)).map(({ sequence, to_state }) => [String(sequence), to_state])
    expect(journal).toHaveLength(8)
    for (let cut = 0; cut < journal.length; cut += 1) {
      const events = await (await open(id, String(cut))).rest()
      expect(events.pop()).toMatchObject({ id: '8', event: 'end' })
      const seen = events.map((event) => [event.id, event.data.to])
      expect([...journal.slice(0, cut), ...seen]).toEqual(journal)
    }
  })

  test('while the actor moves, a repeatedly interrupted reader misses and repeats nothing', async () => {
    const id = await world.ticket(...toOpen)
    const seen: string[] = []
    const moves = (async () => {
      for (let index = 0; index < 40; index += 1) await world.send(id, { type: index % 2 ? 'resume' : 'park' })
      await world.send(id, close)
    })()
    let cuts = 0
    for (let ended = false; !ended; cuts += 1) {
      const stream = await open(id, seen.at(-1) ?? '0')
      for (let taken = 0; taken < 5; taken += 1) {
        const event = await stream.next()
        ended = event === undefined || event.event === 'end'
        if (ended || !event) break
        seen.push(event.id)
      }
      await stream.cancel()
    }
    await moves
    expect(cuts).toBeGreaterThan(5)
    expect(seen).toEqual((await journalOf(id)).map(({ sequence }) => String(sequence)))
  })

  test('shows only deadlines of the current state', async () => {
    const id = await world.ticket({ type: 'submit' }, { type: 'reject' }, { type: 'submit' })
    const stream = await open(id, '0')
    const events = await stream.take(4)
    await stream.cancel()
    expect(events.map(({ data }) => (data.timers as unknown[]).length)).toEqual([0, 0, 0, 1])
  })

  test('never shows those of the next state', async () => {
    const id = await world.ticket({ type: 'submit' }, { type: 'reject' })
    // the rows are read before the deadlines
    using _ = world.afterNextLookAt('transitions', () => world.send(id, { type: 'submit' }))
    const stream = new EventReader(followActor(world.watch, id, { sequence: 2, state: 'draft' }))
    const events = await stream.take(2)
    expect(events.map(({ data }) => [data.to, (data.timers as unknown[]).length])).toEqual([
      ['draft', 0],
      ['in-review', 1],
    ])
    await stream.cancel()
  })

  test('a reader that has everything of an ended actor is told not to return', async () => {
    const id = await world.ticket(...toOpen, close)
    const response = await world.get(`${path(id)}/stream`, 'reader', { 'last-event-id': '4' })
    expect(response.status).toBe(204)
    expect(await response.text()).toBe('')
  })

  test.each(['5', '-1', '1.5', 'one', '1 ', '99999999999999999999'])(
    'a Last-Event-ID of %p: 422 or its meaning',
    async (given) => {
      const id = await world.ticket(...toOpen)
      const response = await world.get(`${path(id)}/stream`, 'reader', { 'last-event-id': given })
      // surrounding white space is not part of a header's value
      expect(response.status).toBe(given.trim() === '1' ? 200 : 422)
      await response.body?.cancel()
    },
  )

  test('an empty Last-Event-ID is ignored', async () => {
    const stream = await open(await world.ticket(), '')
    expect((await stream.take(1))[0]?.event).toBe('actor.snapshot')
    await stream.cancel()
  })
})

describe('a quiet stream', () => {
  test('sends a sign of life every 5 s, and continues', async () => {
    const id = await world.ticket()
    await resting(0)
    const stream = await open(id)
    await stream.take(1)
    for (let beat = 0; beat < 3; beat += 1) {
      await resting(1)
      world.clock.advance(5_000)
      expect(await stream.comment()).toBe(': keep-alive')
    }
    await world.send(id, { type: 'submit' })
    expect((await stream.take(1))[0]?.id).toBe('2')
    await stream.cancel()
    await resting(0)
  })

  test('is released when its reader disconnects, or requested only the headers', async () => {
    const id = await world.ticket()
    const streams = await Promise.all(Array.from({ length: 5 }, () => open(id)))
    await resting(5)
    for (const stream of streams) await stream.cancel()
    await resting(0)
    const head = await fetch(`${world.url}${path(id)}/stream`, {
      method: 'HEAD',
      headers: { authorization: 'Bearer reader' },
    })
    expect(head.status).toBe(200)
    await world.send(id, { type: 'submit' })
    expect(world.clock.waiting).toBe(0)
  })
})

test('is released when its reader disconnects during a query', async () => {
  const id = await world.ticket()
  await resting(0)
  const reader = followActor(world.watch, id, { sequence: 1, state: 'draft' }).getReader()
  await reader.read()
  using _ = world.afterNextLookAt('transitions', () => reader.cancel())
  expect(await reader.read()).toMatchObject({ done: true })
  await world.send(id, { type: 'submit' })
  expect(world.clock.waiting).toBe(0)
})

describe('a slow reader', () => {
  test('costs nothing while it does not read, and misses nothing afterwards', async () => {
    const id = await world.ticket(...toOpen)
    const all = world.store.all.bind(world.store)
    let reads = 0
    const counting = spyOn(world.store, 'all').mockImplementation((query) => {
      reads += 1
      return all(query) as never
    })
    const body = followActor(world.watch, id, { sequence: 0, state: 'open' })
    const chunks: string[] = []
    const source = body.getReader() as ReadableStreamDefaultReader<Uint8Array>
    const take = async () => {
      const { value } = await source.read()
      chunks.push(new TextDecoder().decode(value))
    }
    await take()
    await take()
    const before = reads
    await shuttle(id, 1_000)
    expect(reads).toBe(before)

    const counts: number[] = []
    while (!chunks.at(-1)?.includes('id: 1003\n')) {
      await take()
      counts.push(chunks.at(-1)?.match(/^event: actor\.transition$/gm)?.length ?? 0)
    }
    await source.cancel()
    counting.mockRestore()
    expect(Math.max(...counts)).toBeLessThanOrEqual(100)
    const ids = [...chunks.join('').matchAll(/^id: \d+$/gm)].map(([line]) => line)
    expect(ids).toEqual((await journalOf(id)).map(({ sequence }) => `id: ${sequence}`))
  })

  test('does not slow other readers', async () => {
    const id = await world.ticket(...toOpen)
    const slow = await open(id)
    const quick = await open(id)
    await quick.take(1)
    await shuttle(id, 500)
    const events = await quick.take(500)
    expect(events.map((event) => Number(event.id))).toEqual(Array.from({ length: 500 }, (_, index) => index + 4))
    expect((await slow.take(501)).at(-1)?.id).toBe('503')
    await Promise.all([slow.cancel(), quick.cancel()])
  })
})

test('when the store is unavailable, a stream breaks off without an end, and can be resumed', async () => {
  const id = await world.ticket()
  await resting(0)
  const stream = await open(id)
  await stream.take(1)
  await resting(1)
  const all = world.store.all.bind(world.store)
  const broken = spyOn(world.store, 'all').mockImplementation((query) =>
    query.sql.includes('"transitions"')
      ? Promise.reject(new StoreUnavailable('The store is away.'))
      : (all(query) as never),
  )
  await world.send(id, { type: 'submit' })
  await expect(stream.next()).rejects.toThrow()
  broken.mockRestore()
  await resting(0)
  expect(world.errors).toEqual(['a stream of ticket: StoreUnavailable: The store is away.'])

  const resumed = await open(id, '1')
  expect((await resumed.take(1))[0]?.id).toBe('2')
  await resumed.cancel()
})
