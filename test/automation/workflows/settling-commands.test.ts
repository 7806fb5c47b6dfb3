/** Canceling and resuming workflow runs. Source: requirement 4.4; contract 6. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { eventually } from '../../support/process.ts'
import { brokenOff, data } from '../../support/world/replies.ts'
import { definitions } from './settled.ts'
import { openWorld, type Run, type Served, stepsOf, type World } from './world.ts'

let world: World
let served: Served
beforeAll(async () => {
  world = await openWorld()
  served = await world.serving(definitions)
})
afterAll(() => world?.stop())
beforeEach(() => {
  world.shop.asked.length = 0
  world.shop.answer = () => Response.json({ ok: true })
})

const send = (id: string, command: string, body?: object) => world.owner.post(`${served.path}/${id}/${command}`, body)
const resolve = (id: string, outcome: unknown, stepId = 'charge') => send(id, 'resolve-unknown', { stepId, outcome })

/** A run whose result was lost. */
async function lost(name = 'charge'): Promise<string> {
  world.shop.answer = brokenOff
  const run = await world.run(served, name)
  expect(run.state).toBe('unknown')
  world.shop.answer = () => Response.json({ ok: true })
  world.shop.asked.length = 0
  return run.workflowRunId
}

describe('cancel', () => {
  test('lets started steps end, and starts no more', async () => {
    const { promise, resolve: answer } = Promise.withResolvers<Response>()
    world.shop.answer = () => promise
    const { workflowRunId: id } = await data<Run>(world.start(served, 'find'))
    await eventually('a request', () => world.shop.asked.length === 1)
    const canceled = await data<Run>(send(id, 'cancel'))
    expect([canceled.state, stepsOf(canceled)]).toEqual(['canceling', 'find:running next:canceled'])
    expect((await data<Run>(send(id, 'cancel'))).state).toBe('canceling')
    answer(Response.json({ ok: 1 }))
    const run = await world.until(served, id, ['canceled'])
    expect(stepsOf(run)).toBe('find:succeeded next:canceled')
  })

  test('of a run that has ended returns it unchanged', async () => {
    world.shop.answer = () => new Response(null, { status: 404 })
    for (const [name, state] of [
      ['plain', 'completed'],
      ['find', 'failed'],
    ] as const) {
      const ended = await world.run(served, name)
      expect(ended.state).toBe(state)
      const { status, body } = await send(ended.workflowRunId, 'cancel')
      expect([status, body.data]).toEqual([200, ended])
    }
  })

  test('of a run with an unknown step ends it', async () => {
    const id = await lost()
    expect(await data<Run>(send(id, 'cancel'))).toMatchObject({
      state: 'canceled',
      steps: [{ state: 'unknown' }, { state: 'canceled' }],
    })
    expect((await resolve(id, 'succeeded')).status).toBe(409)
    expect((await send(id, 'resume')).status).toBe(409)
    expect((await data<Run>(send(id, 'cancel'))).state).toBe('canceled')
  })

  test('by many at once is one cancel', async () => {
    const { workflowRunId: id } = await world.run(served, 'held')
    const replies = await Promise.all(Array.from({ length: 8 }, () => send(id, 'cancel')))
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect((await world.until(served, id, ['canceled'])).steps[0]!.state).toBe('canceled')
  })
})

describe('resume', () => {
  test('starts with the first step that did not succeed', async () => {
    world.shop.answer = () => new Response(null, { status: 500 })
    const failed = await world.run(served, 'find')
    expect([failed.state, stepsOf(failed)]).toEqual(['failed', 'find:failed next:skipped'])
    world.shop.answer = () => Response.json({ ok: true })
    const resumed = await data<Run>(send(failed.workflowRunId, 'resume'))
    expect([resumed.state, resumed.endedAt]).toEqual(['running', null])
    const run = await world.until(served, failed.workflowRunId)
    expect(run).toMatchObject({ state: 'completed', steps: [{ attempts: 2 }, { attempts: 1 }] })
  })

  test('by many at once resumes once', async () => {
    world.shop.answer = () => new Response(null, { status: 500 })
    const { workflowRunId: id } = await world.run(served, 'find')
    world.shop.asked.length = 0
    const { promise, resolve: answer } = Promise.withResolvers<Response>()
    world.shop.answer = () => promise
    const replies = await Promise.all(Array.from({ length: 8 }, () => send(id, 'resume')))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
    await eventually('a request', () => world.shop.asked.length > 0)
    expect(world.shop.asked).toHaveLength(1)
    answer(Response.json({ ok: true }))
  })

  test.each(['completed', 'canceled', 'waiting'])('of a run that is %s returns 409', async (state) => {
    const { workflowRunId: id } = await world.run(served, state === 'completed' ? 'plain' : 'held')
    if (state === 'canceled') await data(send(id, 'cancel'))
    const { status, body } = await send(id, 'resume')
    expect([status, body.error.details]).toEqual([409, { currentState: state }])
  })
})
