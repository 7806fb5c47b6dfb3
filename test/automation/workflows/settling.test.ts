/** Resolving, canceling and resuming workflow runs. Source: requirement 4.4; contract 6. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Reply } from '../../support/client.ts'
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
const invocations = () => served.path.replace(/workflows$/, 'operation-invocations')
/** The invocations of a run, newest first. */
async function callsOf(id: string) {
  const query = { operation: 'shop.charge', limit: 100 }
  const { items } = await data<{ items: { id: string; workflowRunId: string; state: string }[] }>(
    world.owner.get(invocations(), { query }),
  )
  return items.filter(({ workflowRunId }) => workflowRunId === id)
}
const resolveCall = (id: string) => world.owner.post(`${invocations()}/${id}/resolve`, { outcome: 'succeeded' })

/** A run whose result was lost. */
async function lost(name = 'charge'): Promise<string> {
  world.shop.answer = brokenOff
  const run = await world.run(served, name)
  expect(run.state).toBe('unknown')
  world.shop.answer = () => Response.json({ ok: true })
  world.shop.asked.length = 0
  return run.workflowRunId
}

describe('a step whose result was lost', () => {
  let untouched: string | undefined
  test('stops the run, and is not repeated automatically', async () => {
    const id = await lost()
    const run = await world.get(served, id)
    expect(stepsOf(run)).toBe('charge:unknown tell:pending')
    expect(run.steps[0]!.error?.message).toContain('may or may not have taken effect')
    expect((await send(id, 'resume')).status).toBe(409)
    expect(world.shop.asked).toEqual([])
  })

  test('is resolved with its run, and not on its own as an invocation', async () => {
    const id = await lost()
    const [invocation] = await callsOf(id)
    const { status, body } = await resolveCall(invocation!.id)
    expect([status, body.error.code, body.error.details]).toEqual([
      409,
      'invalid_transition',
      { currentState: 'unknown' },
    ])
    expect(body.error.message).toContain('resolve-unknown')
    expect(await callsOf(id)).toMatchObject([{ state: 'unknown' }])
  })

  test.each([
    ['succeeded', 'succeeded', null],
    ['failed', 'failed', 'The call had no effect, according to its resolution.'],
    ['retry', 'failed', 'The call had no effect: its step is run again.'],
  ])('is resolved as %s: its invocation is resolved as %s', async (outcome, state, message) => {
    const id = await lost()
    await data(resolve(id, outcome))
    expect(await callsOf(id)).toMatchObject([{ state, error: message && { message } }])
  })

  test('of a canceled run is resolved as an invocation', async () => {
    const id = await lost()
    await data(send(id, 'cancel'))
    const [invocation] = await callsOf(id)
    const refused = await resolve(id, 'succeeded')
    expect([refused.status, refused.body.error]).toMatchObject([
      409,
      { message: expect.stringContaining(`operation-invocations/${invocation!.id}/resolve`) },
    ])
    expect((await resolveCall(invocation!.id)).status).toBe(200)
    expect(await callsOf(id)).toMatchObject([{ state: 'succeeded' }])
    expect(stepsOf(await world.get(served, id))).toBe('charge:unknown tell:canceled')
  })

  test('is named by the conflicts of its run', async () => {
    const id = await lost('twice')
    await eventually('both unknown steps', async () =>
      stepsOf(await world.get(served, id)).startsWith('charge:unknown again:unknown'),
    )
    const messageOf = async (reply: Promise<Reply>) => (await reply).body.error.message
    expect(await messageOf(send(id, 'resume'))).toBe(
      'The outcome of the steps charge, again is unknown: resolve them (resolve-unknown), then resume.',
    )
    await data(resolve(id, 'failed'))
    expect(await messageOf(send(id, 'resume'))).toBe(
      'The outcome of the step again is unknown: resolve it (resolve-unknown), then resume.',
    )
    expect(await messageOf(resolve(id, 'failed'))).toBe(
      'The step charge is failed: only a step that is unknown can be resolved.',
    )
  })

  test('is resolved as succeeded: resume continues with the given output', async () => {
    const id = await lost()
    const resolved = await data<Run>(resolve(id, { status: 'succeeded', output: { receipt: 17 } }))
    expect([resolved.state, stepsOf(resolved)]).toEqual(['unknown', 'charge:succeeded tell:pending'])
    const resumed = await send(id, 'resume')
    expect(resumed.status).toBe(200)
    const run = await world.until(served, id)
    expect([run.state, run.steps[1]!.output]).toEqual(['completed', { charged: { receipt: 17 } }])
    expect(world.shop.asked).toEqual([])
  })

  test.each([
    ['that is no object', 17, '/body/outcome/output'],
    ['with a field of another type', { receipt: 17 }, '/body/outcome/output/receipt'],
    ['without a field', {}, '/body/outcome/output/receipt'],
  ])('is not resolved with an output %s, which its operation cannot have', async (_what, output, path) => {
    const { workflowRunId: id } = await world.run(served, 'settle')
    const { status, body } = await resolve(id, { status: 'succeeded', output }, 'settle')
    expect([status, body.error]).toMatchObject([422, { code: 'validation_failed', details: { issues: [{ path }] } }])
    expect(stepsOf(await world.get(served, id))).toBe('settle:unknown tell:pending')
    await data(resolve(id, { status: 'succeeded', output: { receipt: 'R-9' } }, 'settle'))
    await data(send(id, 'resume'))
    expect((await world.until(served, id)).steps[1]!.output).toEqual({ receipt: 'R-9' })
  })

  test('is resolved as succeeded, without an output', async () => {
    const id = await lost()
    await data(resolve(id, 'succeeded'))
    await data(send(id, 'resume'))
    expect((await world.until(served, id)).steps[1]!.output).toEqual({ charged: null })
  })

  test('is resolved as retry: the step runs again when the run is resumed', async () => {
    const id = await lost()
    const resolved = await data<Run>(resolve(id, 'retry'))
    expect([resolved.state, stepsOf(resolved)]).toEqual(['unknown', 'charge:pending tell:pending'])
    expect(world.shop.asked).toEqual([])
    await data(send(id, 'resume'))
    const run = await world.until(served, id)
    expect(run).toMatchObject({ state: 'completed', steps: [{ attempts: 2, output: { ok: true } }, {}] })
    expect(world.shop.asked).toHaveLength(1)
  })

  test('is resolved as failed: the run fails immediately', async () => {
    const id = await lost()
    const resolved = await data<Run>(resolve(id, 'failed'))
    expect([resolved.state, stepsOf(resolved)]).toEqual(['failed', 'charge:failed tell:skipped'])
    expect(resolved.steps[1]!.stateReason).toEqual({
      code: 'dependency_failed',
      message: 'It depends on the step charge, which has failed.',
    })
    await data(send(id, 'resume'))
    expect(await world.until(served, id)).toMatchObject({ state: 'completed', steps: [{ attempts: 2 }, {}] })
  })

  test('is resolved as failed, with onError continue', async () => {
    const id = await lost('careless')
    expect((await data<Run>(resolve(id, 'failed'))).state).toBe('unknown')
    await data(send(id, 'resume'))
    const run = await world.until(served, id)
    expect([run.state, stepsOf(run)]).toEqual(['completed', 'charge:failed tell:succeeded'])
  })

  test('with another one beside it: resume returns 409 while one is left', async () => {
    const id = await lost('twice')
    await eventually('both unknown steps', async () =>
      stepsOf(await world.get(served, id)).startsWith('charge:unknown again:unknown'),
    )
    await data(resolve(id, 'succeeded'))
    expect((await send(id, 'resume')).status).toBe(409)
    await data(resolve(id, 'succeeded', 'again'))
    await data(send(id, 'resume'))
    expect((await world.until(served, id)).state).toBe('completed')
  })

  test('is resolved once, however many requests are concurrent', async () => {
    const id = await lost()
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, number) => resolve(id, { status: 'succeeded', output: { number } })),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
    expect(replies.find(({ status }) => status === 409)!.body.error.details.currentState).toBe('unknown')
    const winner = replies.findIndex(({ status }) => status === 200)
    expect((await world.get(served, id)).steps[0]!.output).toEqual({ number: winner })
  })

  test.each([
    ['another outcome', { stepId: 'charge', outcome: 'maybe' }, 422],
    ['no outcome', { stepId: 'charge' }, 422],
    ['an outcome without an output', { stepId: 'charge', outcome: { status: 'succeeded' } }, 422],
    ['an output of a failed step', { stepId: 'charge', outcome: { status: 'failed', output: 1 } }, 422],
    ['an unknown field', { stepId: 'charge', outcome: 'retry', why: 'x' }, 422],
    ['no step', { outcome: 'retry' }, 422],
    ['an unknown step', { stepId: 'other', outcome: 'retry' }, 422],
    ['a step that is not unknown', { stepId: 'tell', outcome: 'retry' }, 409],
  ])('is not resolved with %s', async (_what, body, status) => {
    untouched ??= await lost()
    const id = untouched
    expect((await send(id, 'resolve-unknown', body)).status).toBe(status)
    expect(stepsOf(await world.get(served, id))).toBe('charge:unknown tell:pending')
  })
})

test('an output that is too large with the others is not accepted for an unknown step', async () => {
  world.shop.answer = brokenOff
  const run = await world.run(served, 'charge', { text: 'x'.repeat(600_000) })
  const { status, body } = await resolve(run.workflowRunId, { status: 'succeeded', output: 'x'.repeat(600_000) })
  expect([status, body.error.details.issues[0].path]).toEqual([422, '/body/outcome/output'])
})
