/** What time does to runs of workflows. Source: contract 6. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { HandClock } from '../../statecharts/clock.ts'
import { eventually } from '../../support/process.ts'
import { anyParams, data, openWorld, type Run, type Served, stepsOf, type World } from './world.ts'

const clock = new HandClock()
const [minute, hour] = [60_000, 3_600_000]
let world: World
let served: Served
beforeAll(async () => {
  world = await openWorld({ clock })
  const find = { id: 'find', operation: 'shop.read', input: { what: 'x' } }
  served = await world.serving({
    patient: { params: anyParams, steps: [{ ...find, retry: { maxAttempts: 3, backoffMs: minute } }] },
    held: { params: anyParams, steps: [{ id: 'ask', operation: 'shop.approved' }] },
  })
})
afterAll(() => world.stop())

const attempted = (id: string, attempts: number) =>
  eventually(`attempt ${attempts}, over`, async () => {
    const run = await world.get(served, id)
    return run.steps[0]!.attempts === attempts && run.steps[0]!.state !== 'running' && run
  })

test('a step is tried again when its delay is over, and not before', async () => {
  world.shop.answer = () => new Response(null, { status: 503 })
  const { workflowRunId: id } = await data<Run>(world.start(served, 'patient'))
  expect((await attempted(id, 1)).steps[0]!).toMatchObject({ state: 'pending', error: { code: 'tool_error' } })
  clock.advance(minute - 1)
  expect(stepsOf(await world.get(served, id))).toBe('find:pending')
  clock.advance(1)
  expect((await attempted(id, 2)).state).toBe('running')
  clock.advance(minute)
  expect(await attempted(id, 3)).toMatchObject({ state: 'failed', steps: [{ state: 'failed' }] })
  expect(world.shop.asked).toHaveLength(3)
})

test('a run that waits for another attempt is canceled at once, and the attempt is never made', async () => {
  const { workflowRunId: id } = await data<Run>(world.start(served, 'patient'))
  await attempted(id, 1)
  const before = world.shop.asked.length
  expect((await data<Run>(world.owner.post(`${served.path}/${id}/cancel`))).state).toBe('canceled')
  clock.advance(hour)
  expect(world.rows('select 1 from timers where actor_id = ?', id)).toEqual([])
  expect(world.shop.asked).toHaveLength(before)
})

test('an approval that nobody decides expires: its step has failed', async () => {
  const { workflowRunId: id } = await world.run(served, 'held')
  clock.advance(72 * hour)
  const run = await world.until(served, id, ['failed'])
  expect(run.steps[0]).toMatchObject({ state: 'failed', error: { code: 'approval_expired' } })
})
