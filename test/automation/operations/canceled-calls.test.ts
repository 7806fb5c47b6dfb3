/** Calls in progress when their run is canceled, expires or is deleted. Source: contract 6, "Precise points". */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { AgentCalls } from '../../../src/automation/operations/agent-calls.ts'
import { WorkerCalls } from '../../../src/automation/workers/worker-calls.ts'
import { ApiError, conflict, notFound } from '../../../src/platform/http/answers/errors.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { eventually } from '../../support/process.ts'
import { echoOperation } from '../../support/world/places.ts'
import { data } from '../../support/world/replies.ts'
import { calls, httpOperation, type Operations, openOperations, type Served } from './world.ts'

let world: Operations
let clock: HandClock
const awaitTtlMs = 5_000
beforeAll(async () => {
  clock = new HandClock()
  world = await openOperations({ clock, environment: { TROUPE_AWAIT_TTL_MS: String(awaitTtlMs) } })
})
afterAll(() => world?.stop())

const post = (name: string, changes: object) =>
  httpOperation(name, { method: 'POST' }, { effect: 'write', timeoutMs: 60_000, ...changes })
const serving = () =>
  world.serving([
    httpOperation('read', {}, { timeoutMs: 60_000 }),
    post('put', { idempotent: true }),
    post('send', { idempotent: false }),
    post('approved', { idempotent: false, approval: 'always' }),
  ])
const invocationOf = async ({ invocations }: Served, agentRunId: string) => {
  const { items } = await data<{ items: { id: string }[] }>(world.owner.get(invocations, { query: { agentRunId } }))
  return items[0]!.id
}
const cancel = (id: string) => data<{ state: string }>(world.owner.post(`/api/v1/agent-runs/${id}/cancel`))

/** A run whose call the shop has received, with this response. */
async function calling(served: Served, name: string, answer: Promise<Response> = new Promise(() => {})) {
  world.shop.asked.length = 0
  const closed = Promise.withResolvers<void>()
  world.shop.answer = (_, { signal }) => {
    signal.addEventListener('abort', () => closed.resolve())
    return answer
  }
  const { id } = await data(world.start(served.place, served.agent.agentId, calls([name])))
  await eventually('a request', () => world.shop.asked.length === 1)
  return { id, invocationId: await invocationOf(served, id), closed: closed.promise }
}

describe('a cancel', () => {
  let served: Served
  beforeAll(async () => {
    served = await serving()
  })
  beforeEach(() => {
    world.shop.asked.length = 0
  })

  test.each([
    ['a read', 'read'],
    ['an idempotent write', 'put'],
  ])('aborts %s in progress', async (_, name) => {
    const { id, invocationId, closed } = await calling(served, name)
    await cancel(id)
    await closed
    expect(await world.invocationEnded(served, invocationId)).toMatchObject({
      state: 'failed',
      output: null,
      error: { code: 'call_canceled', message: expect.stringContaining('may have taken effect') },
    })
    expect((await world.ended(id, ['canceled'])).state).toBe('canceled')
    expect(world.shop.asked).toHaveLength(1)
  })

  const done = () => Response.json({ done: true })
  const succeeded = { state: 'succeeded', output: { done: true }, error: null }

  test('lets any other write in progress finish, and the run ends with its step', async () => {
    const answered = Promise.withResolvers<Response>()
    const { id, invocationId } = await calling(served, 'send', answered.promise)
    expect((await cancel(id)).state).toBe('canceling')
    // again, and by the work of the server
    expect((await cancel(id)).state).toBe('canceling')
    await clock.advance(10_000)
    expect((await world.invocation(served, invocationId)).state).toBe('running')
    answered.resolve(done())
    expect(await world.invocationEnded(served, invocationId)).toMatchObject(succeeded)
    expect((await world.ended(id, ['canceled'])).state).toBe('canceled')
    const { items } = await data<{ items: object[] }>(world.owner.get(`/api/v1/agent-runs/${id}/steps`))
    expect(items).toContainEqual(expect.objectContaining({ kind: 'tool', status: 'completed', output: { done: true } }))
    expect(world.shop.asked).toHaveLength(1)
  })

  test('ends the run after 30 seconds, and the write that still goes on keeps its outcome', async () => {
    const answered = Promise.withResolvers<Response>()
    const { id, invocationId } = await calling(served, 'send', answered.promise)
    await cancel(id)
    await clock.advance(31_000)
    await world.ended(id, ['canceled'])
    expect((await world.invocation(served, invocationId)).state).toBe('running')
    answered.resolve(done())
    expect(await world.invocationEnded(served, invocationId)).toMatchObject(succeeded)
    expect(world.shop.asked).toHaveLength(1)
  })

  test('that is forced ends the run at once, and its write finishes', async () => {
    const answered = Promise.withResolvers<Response>()
    const { id, invocationId } = await calling(served, 'send', answered.promise)
    const forced = await world.owner.post(`/api/v1/agent-runs/${id}/cancel`, undefined, { query: { force: 'true' } })
    expect(forced.body.data.state).toBe('canceled')
    answered.resolve(done())
    expect(await world.invocationEnded(served, invocationId)).toMatchObject(succeeded)
  })

  test('lets an approved write in progress finish', async () => {
    const answered = Promise.withResolvers<Response>()
    world.shop.answer = () => answered.promise
    const run = await world.run(served.place, served.agent.agentId, calls(['approved']))
    const { id, invocationId } = await world.pending(served)
    await data(world.owner.post(`${served.approvals}/${id}/approve`))
    await eventually('a request', () => world.shop.asked.length === 1)
    expect((await cancel(run.id)).state).toBe('canceled')
    answered.resolve(done())
    expect(await world.invocationEnded(served, invocationId)).toMatchObject(succeeded)
    expect(await data(world.owner.get(`${served.approvals}/${id}`))).toMatchObject({ status: 'approved' })
  })

  test('of a run whose call waits for its approval: the call is never made', async () => {
    const run = await world.run(served.place, served.agent.agentId, calls(['approved']))
    const { invocationId } = await world.pending(served)
    await cancel(run.id)
    expect(await world.invocation(served, invocationId)).toMatchObject({
      state: 'rejected',
      error: { code: 'call_canceled' },
    })
    expect(world.shop.asked).toHaveLength(0)
  })

  test('concurrent with the response: the call ends once, and a continued run gets the result', async () => {
    for (let round = 1; round <= 6; round += 1) {
      const answered = Promise.withResolvers<Response>()
      const { id, invocationId } = await calling(served, 'send', answered.promise)
      answered.resolve(Response.json({ ok: true }))
      const { status } = await world.owner.post(`/api/v1/agent-runs/${id}/cancel`)
      expect([200, 409]).toContain(status)
      expect(['succeeded', 'unknown']).toContain((await world.invocationEnded(served, invocationId)).state)
      await world.ended(id, ['canceled', 'completed'])
    }
  })
})

test("a run that expires while it waits for another Agent's run: that run is canceled", async () => {
  const place = await world.place()
  const helper = await world.agent(place)
  const slow = echoOperation('slow', {
    handler: { type: 'agent', agent: helper.slug, query: '/sleep 3600000' },
    timeoutMs: 120_000,
  })
  const served = await world.serving([slow], { others: [helper] }, place)
  const { id } = await data(world.start(place, served.agent.agentId, calls(['slow'])))
  await world.ended(id, ['awaitingToolResult'])
  const child = (await invocationOf(served, id)).replace('opi_', 'run_')
  await world.ended(child, ['running'])
  clock.advance(awaitTtlMs)
  expect((await world.ended(id, ['expired'])).state).toBe('expired')
  expect((await world.ended(child, ['canceled'])).state).toBe('canceled')
})

test.each(['read', 'put'])('deleting a Project aborts a %s that its run has in progress', async (name) => {
  const served = await serving()
  const { closed } = await calling(served, name)
  expect((await world.owner.delete(served.place.project)).status).toBe(202)
  await closed
})

test('deleting a Project lets a write finish that its run has in progress', async () => {
  const served = await serving()
  const answered = Promise.withResolvers<Response>()
  await calling(served, 'send', answered.promise)
  expect((await world.owner.delete(served.place.project)).status).toBe(202)
  expect((await world.owner.get(served.place.project)).body.data.status).toBe('deleting')
  answered.resolve(Response.json({ done: true }))
  await eventually('its removal', async () => {
    // a removal that finds the run live looks again later
    await clock.advance(1_000)
    return (await world.owner.get(served.place.project)).status === 404
  })
})

describe.each([
  { what: 'the run of a call', open: (parts: never) => new AgentCalls(parts) },
  { what: 'the call of a worker', open: (parts: never) => new WorkerCalls(parts) },
])('a cancel of $what', ({ open }) => {
  const cancelRefusedBy = (error: Error) => {
    const send = () => Promise.reject(error)
    const actors = { send, read: async () => undefined }
    return open({ actors, hints: { on() {} }, limits: {} } as never).cancel('opi_1')
  }

  test.each([
    { standing: 'ended', error: conflict('completed') },
    { standing: 'gone', error: notFound() },
  ])('is done if it is $standing', async ({ error }) => {
    expect(await cancelRefusedBy(error)).toBeUndefined()
  })

  test('fails if it could not be stored, so that it is sent again', async () => {
    const error = new ApiError(409, 'concurrent_change', 'The resource was changed concurrently.')
    await expect(cancelRefusedBy(error)).rejects.toThrow(error.message)
  })
})
