/** Messages that interrupt while another server continues the run with a waiting one. Source: contract 12, "`ifBusy`". */
import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test'
import type { RunContext } from '../../../machines/run.ts'
import { runAddress } from '../../../src/runs/record.ts'
import { admission } from '../../machines/run/runs.ts'
import { assistant, openWorld, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

test('a message interrupts a turn that has begun since the run was read', async () => {
  const send = (query: string, changes: object = {}) =>
    world.owner.post('/api/v1/agent-runs', { agentId: assistant, threadKey: 'late', query, ...changes })
  const { id } = (await send('first')).body.data
  await world.runner.lead(id, 'running')
  await send('second', { ifBusy: 'enqueue' })
  await world.runner.complete(id)

  const { control } = world.runs
  const queue = control.queue.bind(control)
  const queueing = spyOn(control, 'queue').mockImplementationOnce(async (...message) => {
    const second = { type: 'continue', inputId: 1, input: { query: 'second', contents: [] }, ...admission }
    await world.actors.send(runAddress(id), second)
    await world.runner.lead(id, 'running')
    return queue(...message)
  })
  const { status, body } = await send('now', { ifBusy: 'interrupt' })
  expect({ status, state: body.data.state }).toEqual({ status: 200, state: 'canceling' })
  expect(queueing).toHaveBeenCalledTimes(2)
  const run = await world.actors.read<unknown, RunContext>(runAddress(id))
  expect(run?.context.queuedInputs?.map(({ query }) => query)).toEqual(['now'])
})
