/** Steps that are done for each item of a list. Source: contract 14, "Workflows". */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { WorkflowReadings } from '../../../src/automation/workflows/steps/readings.ts'
import type { Address } from '../../../src/runtime/kind.ts'
import { eventually } from '../../support/process.ts'
import { data } from '../../support/world/replies.ts'
import { anyParams, openWorld, type Run, type Served, stepsOf, type World } from './world.ts'

let world: World
let served: Served
const each = (operation: string, more: object = {}) => ({
  id: 'all',
  operation: `shop.${operation}`,
  forEach: '{{params.items}}',
  ...more,
})

beforeAll(async () => {
  world = await openWorld()
  served = await world.serving({
    echo: {
      params: anyParams,
      steps: [
        each('echo', { input: { of: '{{item.name}}', at: '{{index}}', text: '{{index}} of {{params.who}}' } }),
        { id: 'after', operation: 'shop.echo', input: { second: '{{steps.all.output.1.of}}' } },
      ],
      output: { all: '{{steps.all.output}}' },
    },
    write: { params: anyParams, steps: [each('write', { input: { what: '{{item}}' }, concurrency: 2 })] },
    charge: { params: anyParams, steps: [each('send', { input: { what: '{{item}}' }, concurrency: 1 })] },
    child: {
      params: anyParams,
      steps: [{ id: 'one', operation: 'shop.echo', input: { n: '{{params.n}}' } }],
      output: { n: '{{params.n}}' },
    },
    made: {
      params: anyParams,
      steps: [
        {
          id: 'make',
          operation: 'shop.read',
          input: { what: 'list' },
          compensate: { operation: 'shop.write', input: { what: 'undo' } },
        },
        each('write', { forEach: '{{steps.make.output.items}}', input: { what: '{{item}}' } }),
      ],
    },
    without: {
      params: anyParams,
      steps: [
        each('echo', { when: '{{params.items}}' }),
        each('number', { id: 'failed', input: { n: '{{item}}' }, onError: 'continue' }),
        {
          id: 'after',
          operation: 'shop.echo',
          input: { all: '{{steps.all.output}}', failed: '{{steps.failed.output}}' },
        },
      ],
    },
    held: { params: anyParams, steps: [each('approved', { input: { of: '{{item}}' } })] },
    asks: { params: anyParams, steps: [{ id: 'ask', operation: 'shop.approved', input: { of: '{{params.n}}' } }] },
    asking: {
      params: anyParams,
      steps: [
        { id: 'all', workflow: 'asks', forEach: '{{params.items}}', input: { n: '{{item}}' }, onError: 'continue' },
      ],
    },
    children: {
      params: anyParams,
      steps: [{ id: 'all', workflow: 'child', forEach: '{{params.items}}', input: { n: '{{item}}' } }],
    },
  })
})
afterAll(() => world?.stop())
beforeEach(() => {
  world.shop.asked.length = 0
  world.shop.answer = () => Response.json({ ok: true })
})
const asked = () => world.shop.asked.map(({ path }) => path.split('/').at(-1))
const states = ({ steps }: Run) => steps[0]!.elements?.map(({ state }) => state) ?? null

describe('a step with a list', () => {
  test('is done for each item, and its output is the list of outputs', async () => {
    const items = ['a', 'b', 'c'].map((name) => ({ name }))
    const run = await world.run(served, 'echo', { items, who: 'Ada' })
    const outputs = items.map(({ name }, index) => ({ of: name, at: index, text: `${index} of Ada` }))
    expect([run.state, stepsOf(run), run.steps[0]!.output]).toEqual([
      'completed',
      'all:succeeded after:succeeded',
      outputs,
    ])
    expect([run.steps[1]!.output, run.output]).toEqual([{ second: 'b' }, { all: outputs }])
    expect(run.steps[0]!.elements).toEqual(
      items.map((_, index) => ({ index, state: 'succeeded', attempts: 1, error: null, childWorkflowRunId: null })),
    )
  })

  test('that is empty has an empty output', async () => {
    const run = await world.run(served, 'echo', { items: [] })
    expect([run.state, run.steps[0]!.output, run.steps[0]!.elements]).toEqual(['completed', [], null])
  })

  test.each([[null], [{ a: 1 }], ['text']])('that is none fails: %j', async (items) => {
    const run = await world.run(served, 'echo', { items })
    expect([run.state, run.steps[0]!.error?.code]).toEqual(['failed', 'invalid_for_each'])
  })

  test('takes a thousand items and no more', async () => {
    const numbers = (count: number) => Array.from({ length: count }, (_, name) => ({ name }))
    const run = await world.run(served, 'echo', { items: numbers(1_000) })
    expect([run.state, (run.steps[0]!.output as unknown[]).length]).toEqual(['completed', 1_000])
    const refused = await world.run(served, 'echo', { items: numbers(1_001) })
    expect(refused.steps[0]!.error?.code).toBe('too_many_elements')
  })

  test('does so many at once', async () => {
    let [open, most] = [0, 0]
    world.shop.answer = async () => {
      open += 1
      most = Math.max(most, open)
      await Bun.sleep(5)
      open -= 1
      return Response.json({ ok: true })
    }
    expect((await world.run(served, 'write', { items: [1, 2, 3, 4, 5] })).state).toBe('completed')
    expect(most).toBe(2)
  })

  test.each(['held', 'asking'])('withdraws the other approvals when one of them is rejected: %s', async (name) => {
    const { workflowRunId: id } = await data<Run>(world.start(served, name, { params: { items: [1, 2, 3] } }))
    const [rejected, ...others] = await world.approvalsOf(served, 3)
    await data(world.decide(served, rejected!.id, 'reject'))
    const run = await world.until(served, id, ['completed', 'failed'])
    expect([run.state, states(run)?.sort()]).toEqual([
      name === 'held' ? 'failed' : 'completed',
      ['canceled', 'canceled', 'failed'],
    ])
    for (const other of others) {
      const { status, body } = await world.decide(served, other.id, 'approve')
      expect([status, body.error.details.currentState]).toEqual([409, 'canceled'])
    }
    const { items } = await data<{ items: object[] }>(world.owner.get('/api/v1/inbox', { query: { kind: 'approval' } }))
    expect(items).toEqual([])
  })

  test('fails with one item, and a resume does again what has not succeeded', async () => {
    world.shop.answer = ({ path }) =>
      path.endsWith('/b') ? new Response(null, { status: 404 }) : Response.json({ ok: path })
    const run = await world.run(served, 'write', { items: ['a', 'b'] })
    expect([run.state, states(run), run.steps[0]!.output]).toEqual(['failed', ['succeeded', 'failed'], null])
    expect(run.steps[0]!.error?.message).toContain('all.1')
    world.shop.answer = ({ path }) => Response.json({ ok: path })
    await data(world.owner.post(`${served.path}/${run.workflowRunId}/resume`))
    const resumed = await world.until(served, run.workflowRunId, ['completed'])
    expect(resumed.steps[0]!.output).toEqual([{ ok: '/v1/write/a' }, { ok: '/v1/write/b' }])
    expect(asked().sort()).toEqual(['a', 'b', 'b'])
  })

  test.each([
    [
      ['a', 'c', 'd'],
      ['a', 'c', 'd'],
    ],
    [['a'], ['a', 'b']],
  ])('whose list is made again by a resume goes on with %j', async (items, done) => {
    const make = (list: string[]) => {
      world.shop.answer = ({ path }) =>
        path.endsWith('/b') ? new Response(null, { status: 404 }) : Response.json({ items: list, ok: path })
    }
    make(['a', 'b'])
    const run = await world.run(served, 'made')
    expect([run.state, stepsOf(run)]).toEqual(['failed', 'make:succeeded all:failed'])
    make(items)
    await data(world.owner.post(`${served.path}/${run.workflowRunId}/resume`))
    const resumed = await world.until(served, run.workflowRunId)
    const outputs = items.map((item) => ({ items, ok: `/v1/write/${item}` }))
    expect([resumed.state, resumed.steps[1]!.output]).toEqual([
      'completed',
      [{ items: ['a', 'b'], ok: '/v1/write/a' }, ...outputs.slice(1)],
    ])
    expect(
      asked()
        .filter((what) => /^[a-d]$/.test(what!))
        .sort(),
    ).toEqual([...new Set([...done, 'b'])].sort())
  })

  test('that was left out, or has failed, has no output for the steps after it', async () => {
    const run = await world.run(served, 'without', { items: [] })
    expect([stepsOf(run), run.steps[2]!.output]).toEqual([
      'all:skipped failed:succeeded after:succeeded',
      { all: null, failed: [] },
    ])
    const failed = await world.run(served, 'without', { items: [1, 'x'] })
    expect([stepsOf(failed), failed.steps[2]!.output]).toEqual([
      'all:succeeded failed:failed after:succeeded',
      { all: [{}, {}], failed: null },
    ])
  })

  test('with an item of unknown outcome waits until it is resolved', async () => {
    world.shop.answer = () => Response.json({ odd: true })
    const run = await world.run(served, 'charge', { items: ['a', 'b'] })
    expect([run.state, states(run)]).toEqual(['unknown', ['unknown', 'pending']])
    world.shop.answer = () => Response.json('sent')
    const path = `${served.path}/${run.workflowRunId}`
    await data(
      world.owner.post(`${path}/resolve-unknown`, {
        stepId: 'all.0',
        outcome: { status: 'succeeded', output: 'given' },
      }),
    )
    await data(world.owner.post(`${path}/resume`))
    expect((await world.until(served, run.workflowRunId, ['completed'])).steps[0]!.output).toEqual(['given', 'sent'])
  })

  test('may run a workflow for each item', async () => {
    const run = await world.run(served, 'children', { items: [3, 4] })
    expect(run.steps[0]!.output).toEqual([{ n: 3 }, { n: 4 }])
    const ids = run.steps[0]!.elements!.map(({ childWorkflowRunId }) => childWorkflowRunId!)
    expect(await Promise.all(ids.map(async (id) => (await world.get(served, id)).params))).toEqual([{ n: 3 }, { n: 4 }])
  })

  test('is canceled with the run', async () => {
    world.shop.answer = () => new Promise(() => {})
    const { workflowRunId: id } = await data<Run>(world.start(served, 'write', { params: { items: ['a', 'b', 'c'] } }))
    await eventually('two calls', async () => asked().length === 2)
    const run = await data<Run>(world.owner.post(`${served.path}/${id}/cancel`))
    expect([run.state, states(run)]).toEqual(['canceling', ['running', 'running', 'canceled']])
  })
})

test('items that end together share a reading of their run, and later ones get another', async () => {
  const read: string[] = []
  const actors = { read: async ({ id }: Address) => void read.push(id) }
  const readings = new WorkflowReadings({ actors } as unknown as ConstructorParameters<typeof WorkflowReadings>[0])
  await Promise.all(['a', 'b', 'a', 'a'].map((id) => readings.read(id)))
  expect(read).toEqual(['a', 'b'])
  await readings.read('a')
  expect(read).toEqual(['a', 'b', 'a'])
})
