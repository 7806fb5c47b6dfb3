/** Followers of a run's log that come late, or read slowly. Source: contract 13, "Logs". */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { EventReader } from './stream/event-stream.ts'
import { openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

const follow = (runId: string, after: number, headers: Record<string, string> = {}) =>
  world.owner.raw('GET', `/api/v1/agent-runs/${runId}/logs`, undefined, { query: { follow: true, after }, headers })

test('a follower of a log that was removed gets no stream that never ends', async () => {
  const runId = await world.startIn('running')
  await world.runner.complete(runId)
  world.clock.advance(31 * 86_400_000)
  expect(await world.runs.contentRetention.prune(10)).toBe(1)
  for (const after of [0, 1]) {
    expect((await follow(runId, after)).status).toBe(204)
    expect((await follow(runId, 0, { 'last-event-id': String(after) })).status).toBe(204)
  }
})

test('a slow follower misses no line: its stream ends where lines were left out', async () => {
  const runId = await world.startIn('running')
  const slow = new EventReader(await follow(runId, 0))
  await slow.take(1)
  const step = () => world.runner.startStep(runId, { kind: 'tool', name: 'find' })
  for (let index = 0; index < 1_500; index += 1) await step()
  const reading = slow.all()
  for (let index = 0; index < 100; index += 1) await step()
  await world.runner.complete(runId)
  const numbers = (await reading).map(({ id }) => id)
  for (let last = slow.events.at(-1)?.event; last !== 'end'; ) {
    const rest = await new EventReader(await follow(runId, 0, { 'last-event-id': String(numbers.at(-1)) })).all()
    last = rest.at(-1)?.event
    numbers.push(...rest.map(({ id }) => id))
  }
  expect(numbers).toEqual(numbers.map((_, index) => index + 1))
})
