/** Messages that interrupt while another server continues the run with a waiting one. Source: contract 12, "`ifBusy`". */
import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test'
import type { RunContext } from '../../../machines/run.ts'
import { runAddress } from '../../../src/runs/record.ts'
import { admission } from '../../machines/run/runs.ts'
import { assistant, callers, openWorld, type World } from '../world.ts'

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

test('a message of a session may wait, but an interruption, which cancels, requires an API key', async () => {
  const send = (query: string, changes: object = {}) =>
    world.session.post('/api/v1/agent-runs', { agentId: assistant, threadKey: 'session', query, ...changes })
  const { id } = (await send('first')).body.data
  await world.runner.lead(id, 'running')
  const { status, body } = await send('now', { ifBusy: 'interrupt' })
  expect({ status, code: body.error.code }).toEqual({ status: 401, code: 'unauthenticated' })
  expect((await send('second', { ifBusy: 'enqueue' })).body.data).toMatchObject({ id, state: 'running' })
  const run = await world.actors.read<unknown, RunContext>(runAddress(id))
  expect(run?.context.queuedInputs?.map(({ query }) => query)).toEqual(['second'])
})

test('a message for a turn is refused if another turn has begun and ended since the run was read', async () => {
  const id = await world.startIn('completed')
  const send = world.actors.send.bind(world.actors)
  spyOn(world.actors, 'send').mockImplementationOnce(async (...sent) => {
    const other = { type: 'continue', input: { query: 'second', contents: [] }, ...admission }
    await send(runAddress(id), other)
    await world.runner.begin(id)
    await world.runner.complete(id)
    return send(...sent)
  })
  const continuing = world.runs.control.continueNow(callers.owner, id, { query: 'now' }, { turn: 1 }, () => [])
  expect(continuing).rejects.toMatchObject({ status: 409, code: 'concurrent_change' })
  await continuing.catch(() => {})
  expect(await world.actors.read(runAddress(id))).toMatchObject({ state: 'completed', context: { chain: 2 } })
})
