import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { openWorld, type World } from '../world.ts'
import { EventReader, type StreamEvent } from './event-stream.ts'

const path = '/api/v1/agent-runs'
let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())
afterEach(() => {
  const left = world.runs.streams.statistics
  world?.runs.streams.close()
  expect(left).toEqual({ readers: 0, runs: 0 })
})

interface From {
  after?: number
  lastEventId?: number | string
  types?: string
  depth?: number
}
const open = (runId: string, { lastEventId, ...query }: From = {}, signal?: AbortSignal) =>
  world.owner.raw('GET', `${path}/${runId}/stream`, undefined, {
    query,
    headers: lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) },
    ...(signal && { signal }),
  })
const follow = async (runId: string, from: From = {}) => {
  const answer = await open(runId, from)
  if (answer.status !== 200) throw new Error(await answer.text())
  return new EventReader(answer)
}
const ids = (events: readonly StreamEvent[]) => events.map(({ id }) => id)
const names = (events: readonly StreamEvent[]) => events.map(({ event }) => event)
const through = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

describe('readers', () => {
  test('get a sign of life every five seconds', async () => {
    const reader = await follow(await world.start())
    await reader.take(1)
    world.clock.advance(5_000)
    await reader.untilOther(': keep-alive')
    await reader.cancel()
    world.clock.advance(5_000)
  })

  test('leave no timer behind when the server stops', async () => {
    const before = world.clock.waiting
    const reader = await follow(await world.start())
    world.runs.streams.close()
    await reader.all()
    expect(world.clock.waiting).toBe(before)
  })

  test('that are slow are told of the gap, and use no memory', async () => {
    const runId = await world.start()
    const root = await world.runner.begin(runId)
    const model = await world.runner.startStep(runId, { parent_agent_step_id: root })
    const slow = await follow(runId)
    await slow.take(1)
    const text = 'x'.repeat(1_000)
    for (let index = 0; index < 40; index += 1) {
      await world.runner.deltas(runId, model, ...Array.from({ length: 100 }, () => text))
    }
    const lastSequence = (
      await world.store.first<{ last: number }>({
        sql: 'select max(last_sequence) as last from run_events where run_id = ?',
        parameters: [runId],
      })
    )?.last
    const snapshot = await slow.until(({ event, data }) => event === 'run.snapshot' && data.data.gap)
    expect(snapshot).toMatchObject({ id: lastSequence, data: { data: { run: { state: 'running' }, lastSequence } } })
    // earlier events are in order, and later ones continue after the snapshot
    const before = slow.events.slice(1, slow.events.indexOf(snapshot))
    expect(ids(before)).toEqual(through(7, 6 + before.length))
    expect(before.length).toBeLessThan(1_000)
    await world.runner.complete(runId)
    const after = (await slow.all()).slice(slow.events.indexOf(snapshot) + 1)
    expect(ids(after)).toEqual(through((lastSequence ?? 0) + 1, after.at(-1)?.id ?? 0))
    expect(names(after).at(-1)).toBe('end')
  })

  test('that replay a long history have no gap, however slow they are', async () => {
    const runId = await world.start()
    const root = await world.runner.begin(runId)
    const model = await world.runner.startStep(runId, { parent_agent_step_id: root })
    for (let index = 0; index < 50; index += 1) {
      await world.runner.deltas(runId, model, ...Array.from({ length: 50 }, () => 'x'.repeat(500)))
    }
    const reader = await follow(runId, { after: 0 })
    await reader.take(1)
    await world.runner.complete(runId)
    const events = await reader.all()
    expect(names(events)).not.toContain('run.snapshot')
    expect(ids(events)).toEqual(through(1, events.length))
  })

  test('that disconnect cancel nothing', async () => {
    const runId = await world.startIn('running')
    const reader = await follow(runId)
    await reader.take(1)
    await reader.cancel()
    expect((await world.owner.get(`${path}/${runId}`)).body.data.state).toBe('running')
  })

  test('that disconnect before the first byte leave nothing behind', async () => {
    const runId = await world.startIn('running')
    const gone = new AbortController()
    const answer = open(runId, {}, gone.signal)
    gone.abort()
    await (await answer).body?.cancel()
  })

  test('of one run, 500 at once, all get everything', async () => {
    const runId = await world.start()
    const readers = await Promise.all(Array.from({ length: 500 }, () => follow(runId)))
    expect(world.runs.streams.statistics).toEqual({ readers: 500, runs: 1 })
    const root = await world.runner.begin(runId)
    const model = await world.runner.startStep(runId, { parent_agent_step_id: root })
    await world.runner.deltas(runId, model, 'a', 'b', 'c')
    await world.runner.complete(runId)
    const [first, ...others] = await Promise.all(readers.map((reader) => reader.all()))
    expect(ids(first ?? [])).toEqual(through(1, 13))
    for (const events of others) expect(events).toEqual(first ?? [])
  })

  test('are disconnected when the server stops, and resume where they were', async () => {
    const runId = await world.startIn('running')
    const reader = await follow(runId, { after: 0 })
    await reader.take(5)
    world.runs.streams.close()
    const before = await reader.all()
    expect(names(before)).not.toContain('end')
    await world.runner.complete(runId)
    const rest = await (await follow(runId, { lastEventId: before.at(-1)?.id })).all()
    expect(ids([...before, ...rest])).toEqual(through(1, before.length + rest.length))
  })
})
