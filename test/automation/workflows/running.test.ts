/** Execution of the steps of a workflow. Source: requirement 4.4; contract 6. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { eventually } from '../../support/process.ts'
import { data } from '../../support/world/replies.ts'
import { anyParams, openWorld, type Served, stepsOf, type World } from './world.ts'

let world: World
let served: Served
const step = (id: string, operation: string, more: object = {}) => ({ id, operation: `shop.${operation}`, ...more })

beforeAll(async () => {
  world = await openWorld()
  served = await world.serving({
    chain: {
      params: anyParams,
      steps: [
        step('find', 'echo', {
          input: { order: '{{params.order}}', note: 'Order {{params.order.id}} of {{params.who}}' },
        }),
        step('pay', 'echo', {
          input: { sum: '{{steps.find.output.order.sum}}', none: '{{steps.find.output.none.at.all}}' },
        }),
      ],
      output: { paid: '{{steps.pay.output.sum}}', said: '{{steps.find.output.note}}.', all: '{{steps.find.output}}' },
    },
    diamond: {
      params: anyParams,
      steps: [
        step('top', 'echo', { input: { n: 1 } }),
        step('left', 'read', { input: { what: 'left' }, after: ['top'] }),
        step('right', 'read', { input: { what: 'right' }, after: ['top'] }),
        step('bottom', 'read', { input: { what: '{{steps.left.output.ok}}-{{steps.right.output.ok}}' } }),
      ],
    },
    careless: {
      params: anyParams,
      steps: [
        step('find', 'read', { input: { what: 'find' }, onError: 'continue' }),
        step('next', 'echo', { input: { found: '{{steps.find.output.ok}}', text: 'Found: {{steps.find.output.ok}}' } }),
      ],
    },
    careful: {
      params: anyParams,
      steps: [
        step('find', 'read', { input: { what: 'find' } }),
        step('slow', 'read', { input: { what: 'slow' } }),
        step('next', 'echo', { after: ['find'] }),
        step('last', 'echo', { after: ['slow'] }),
      ],
    },
    retried: {
      params: anyParams,
      steps: [step('find', 'write', { input: { what: 'find' }, retry: { maxAttempts: 3, backoffMs: 1 } })],
    },
    ...Object.fromEntries(
      ['send', 'put'].map((name) => [
        name,
        { params: anyParams, steps: [step('find', name, { retry: { maxAttempts: 3, backoffMs: 1 } })] },
      ]),
    ),
    number: {
      params: anyParams,
      steps: [step('count', 'number', { input: { n: '{{params.n}}' }, retry: { maxAttempts: 5, backoffMs: 0 } })],
    },
    ungranted: { params: anyParams, steps: [step('take', 'ungranted', { retry: { maxAttempts: 5, backoffMs: 0 } })] },
    approved: {
      params: anyParams,
      steps: [step('ask', 'approved', { input: { sum: '{{params.sum}}' } }), step('pay', 'echo', { after: ['ask'] })],
    },
    large: {
      params: anyParams,
      steps: [
        step('one', 'echo', { input: { text: '{{params.text}}' } }),
        step('two', 'echo', { after: ['one'], input: { text: '{{params.text}}' } }),
      ],
    },
    swollen: {
      params: anyParams,
      steps: [
        step('one', 'echo', { input: Object.fromEntries([...'abcdefgh'].map((key) => [key, '{{params.text}}'])) }),
      ],
    },
    verbose: {
      params: anyParams,
      steps: [step('one', 'echo')],
      output: Object.fromEntries([...'abcdefgh'].map((key) => [key, '{{params.text}}'])),
    },
  })
})
afterAll(() => world?.stop())
beforeEach(() => {
  world.shop.asked.length = 0
  world.shop.answer = () => Response.json({ ok: true })
})

const asked = () => world.shop.asked.map(({ path }) => path.split('/').at(-1))

describe('values', () => {
  test('pass from the params through the steps into the output, with their JSON types', async () => {
    const params = { order: { id: 7, sum: 12.5, tags: ['a'] }, who: 'Ada' }
    const run = await world.run(served, 'chain', params)
    expect(run).toMatchObject({ state: 'completed', params })
    expect(run.steps.map(({ output }) => output)).toEqual([
      { order: params.order, note: 'Order 7 of Ada' },
      { sum: 12.5, none: null },
    ])
    expect(run.output).toEqual({
      paid: 12.5,
      said: 'Order 7 of Ada.',
      all: { order: params.order, note: 'Order 7 of Ada' },
    })
    expect(run.steps.every(({ startedAt, endedAt }) => startedAt !== null && endedAt !== null)).toBe(true)
  })

  test('are never parsed as placeholders', async () => {
    const run = await world.run(served, 'chain', {
      order: { id: '{{params.secret}}', sum: '{{steps.find.output}}' },
      secret: 'x',
    })
    expect(run.steps[0]!.output).toMatchObject({ note: 'Order {{params.secret}} of ' })
    expect(run.output).toMatchObject({ paid: '{{steps.find.output}}' })
  })

  test('of a workflow without an output are shown by its steps alone', async () => {
    expect((await world.run(served, 'diamond')).output).toBeNull()
  })
})

test('steps run as soon as their dependencies are done, in parallel', async () => {
  const { promise: both, resolve } = Promise.withResolvers<void>()
  let waiting = 0
  world.shop.answer = async ({ path }) => {
    if (path.endsWith('/left') || path.endsWith('/right')) {
      waiting += 1
      if (waiting === 2) resolve()
      await both
    }
    return Response.json({ ok: path.split('/').at(-1) })
  }
  const run = await world.run(served, 'diamond')
  expect(stepsOf(run)).toBe('top:succeeded left:succeeded right:succeeded bottom:succeeded')
  expect(asked().slice(0, 2).sort()).toEqual(['left', 'right'])
  expect(asked()[2]).toBe('left-right')
})

describe('a step that fails', () => {
  test('fails the run once the started steps have ended, and the rest is skipped', async () => {
    const { promise: slow, resolve } = Promise.withResolvers<void>()
    world.shop.answer = async ({ path }) => {
      if (path.endsWith('/find')) return new Response('No such order', { status: 404 })
      await slow
      return Response.json({ ok: true })
    }
    const { workflowRunId: id } = await data<{ workflowRunId: string }>(world.start(served, 'careful'))
    await eventually('a failed step', async () => (await world.get(served, id)).steps[0]!.state === 'failed')
    expect((await world.get(served, id)).state).toBe('running')
    resolve()
    const run = await world.until(served, id, ['failed'])
    expect(stepsOf(run)).toBe('find:failed slow:succeeded next:skipped last:skipped')
    expect(run.steps[0]!.error?.message).toContain('404')
    expect(run.endedAt).not.toBeNull()
  })

  test('lets dependent steps continue if the workflow says so; they see null', async () => {
    world.shop.answer = () => new Response(null, { status: 500 })
    const run = await world.run(served, 'careless')
    expect([run.state, stepsOf(run)]).toEqual(['completed', 'find:failed next:succeeded'])
    expect(run.steps[1]!.output).toEqual({ found: null, text: 'Found: ' })
  })

  test('is retried, each time as another invocation', async () => {
    let count = 0
    world.shop.answer = () => {
      count += 1
      return count < 3 ? new Response(null, { status: 503 }) : Response.json({ ok: count })
    }
    const run = await world.run(served, 'retried')
    expect(run).toMatchObject({
      state: 'completed',
      steps: [{ state: 'succeeded', attempts: 3, output: { ok: 3 }, error: null }],
    })
    const { items } = await data<{ items: { workflowRunId: string; stepId: string; state: string }[] }>(
      world.owner.get(`${served.place.path}/operation-invocations`, { query: { operation: 'shop.write', limit: 3 } }),
    )
    expect(items.map(({ workflowRunId, stepId, state }) => [workflowRunId, stepId, state])).toEqual(
      ['succeeded', 'failed', 'failed'].map((state) => [run.workflowRunId, 'find', state]),
    )
    expect(new Set(world.shop.asked.map(({ headers }) => headers['idempotency-key'])).size).toBe(3)
  })

  const tooLarge = () => new Response('x'.repeat(1024 * 1024 + 1))
  const odd = () => Response.json({ odd: true })
  const busy = () => new Response(null, { status: 503 })
  test.each([
    ['send', 'with more than 1 MiB', tooLarge, 'unknown', 1],
    ['send', 'outside its schema', odd, 'unknown', 1],
    ['send', 'with 503', busy, 'failed', 3],
    ['put', 'with more than 1 MiB', tooLarge, 'failed', 3],
    ['put', 'outside its schema', odd, 'failed', 3],
    ['put', 'with 503', busy, 'failed', 3],
  ])('as %s, answered %s, is repeated only if that is safe', async (name, _, answer, state, attempts) => {
    world.shop.answer = answer
    expect(await world.run(served, name)).toMatchObject({ state, steps: [{ state, attempts }] })
    expect(asked()).toHaveLength(attempts)
  })

  test.each([
    ['number', { n: 'x' }],
    ['ungranted', {}],
  ])('because of its schema or its grant is not retried: %s', async (name, params) => {
    const run = await world.run(served, name, params)
    expect(run).toMatchObject({
      state: 'failed',
      steps: [{ state: 'failed', attempts: 1, error: { code: 'tool_error' } }],
    })
  })
})

describe('too large', () => {
  test('an output fails its step', async () => {
    const run = await world.run(served, 'large', { text: 'x'.repeat(400_000) })
    expect(stepsOf(run)).toBe('one:succeeded two:failed')
    expect(run.steps[1]!.error?.code).toBe('output_too_large')
  })

  test('an input fails its step', async () => {
    const run = await world.run(served, 'swollen', { text: 'x'.repeat(200_000) })
    expect(run.steps[0]!.error?.code).toBe('input_too_large')
  })

  test('a run output fails the run', async () => {
    const run = await world.run(served, 'verbose', { text: 'x'.repeat(200_000) })
    expect([run.state, stepsOf(run), run.output]).toEqual(['failed', 'one:succeeded', null])
    const { items } = await data<{ items: { to: string; reason: { code: string } | null }[] }>(
      world.owner.get(`${served.path}/${run.workflowRunId}/transitions`),
    )
    expect(items.at(-1)).toMatchObject({ to: 'failed', reason: { code: 'output_too_large' } })
  })
})

describe('an approval', () => {
  const waiting = async () => {
    const run = await world.run(served, 'approved', { sum: 3 })
    expect([run.state, stepsOf(run)]).toEqual(['waiting', 'ask:waiting_approval pay:pending'])
    const approvals = await world.approvals(served)
    expect(approvals).toHaveLength(1)
    return { id: run.workflowRunId, approval: approvals[0]!.id }
  }

  test('that is granted resumes the run', async () => {
    const { id, approval } = await waiting()
    await data(world.decide(served, approval, 'approve'))
    const run = await world.until(served, id, ['completed', 'failed'])
    expect([run.state, stepsOf(run)]).toEqual(['completed', 'ask:succeeded pay:succeeded'])
    expect(run.steps[0]!.output).toEqual({ sum: 3 })
  })

  test('that is rejected fails the step, and resume asks again', async () => {
    const { id, approval } = await waiting()
    await data(world.decide(served, approval, 'reject'))
    const run = await world.until(served, id, ['completed', 'failed'])
    expect([run.state, stepsOf(run)]).toEqual(['failed', 'ask:failed pay:skipped'])
    await data(world.owner.post(`${served.path}/${id}/resume`))
    await world.until(served, id, ['waiting'])
    const [again] = await world.approvals(served)
    await data(world.decide(served, again!.id, 'approve'))
    expect((await world.until(served, id, ['completed', 'failed'])).state).toBe('completed')
  })

  test('is withdrawn when the run is canceled: a later decision returns 409, and nothing runs', async () => {
    const { id, approval } = await waiting()
    const canceled = await data<{ state: string }>(world.owner.post(`${served.path}/${id}/cancel`))
    expect(canceled.state).toBe('canceled')
    const late = await world.decide(served, approval, 'approve')
    expect([late.status, late.body.error.details.currentState]).toEqual([409, 'canceled'])
    const run = await world.get(served, id)
    expect([run.state, stepsOf(run)]).toEqual(['canceled', 'ask:canceled pay:canceled'])
  })

  test.each([1, 2, 3])('granted concurrently with a cancel: the call either runs or is canceled (%i)', async () => {
    const { id, approval } = await waiting()
    const [decision, canceling] = await Promise.all([
      world.decide(served, approval, 'approve'),
      world.owner.post(`${served.path}/${id}/cancel`),
    ])
    expect([200, 409]).toContain(decision.status)
    const run = await world.until(served, id, ['canceled', 'completed'])
    if (canceling.status === 409 || canceling.body.data.state === 'completed') {
      // the cancel came too late: everything was done
      expect([decision.status, run.state, stepsOf(run)]).toEqual([200, 'completed', 'ask:succeeded pay:succeeded'])
      return
    }
    expect(run.state).toBe('canceled')
    // the approved call may have been canceled before it started, and a step already running is completed
    const approved = ['ask:succeeded pay:succeeded', 'ask:succeeded pay:canceled', 'ask:canceled pay:canceled']
    expect(decision.status === 200 ? approved : ['ask:canceled pay:canceled']).toContain(stepsOf(run))
  })
})
