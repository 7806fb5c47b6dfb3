/** Steps that run another workflow. Source: contract 14, "Workflows". */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { echoOperation } from '../../support/world/places.ts'
import { data } from '../../support/world/replies.ts'
import { anyParams, openWorld, type Run, type Served, stepsOf, type World } from './world.ts'

let world: World
let served: Served
const step = (id: string, operation: string, more: object = {}) => ({ id, operation: `shop.${operation}`, ...more })
const running = (id: string, workflow: string, more: object = {}) => ({ id, workflow, ...more })

beforeAll(async () => {
  world = await openWorld()
  served = await world.serving({
    refund: {
      params: { type: 'object', properties: { order: { type: 'integer' } }, required: ['order'] },
      steps: [step('pay', 'write', { input: { what: 'order-{{params.order}}' } })],
      output: { paid: '{{steps.pay.output.ok}}', order: '{{params.order}}' },
    },
    asking: { params: anyParams, steps: [step('ask', 'approved'), step('last', 'echo', { after: ['ask'] })] },
    main: {
      params: anyParams,
      steps: [
        step('find', 'echo', { input: { order: '{{params.order}}' } }),
        running('refund', 'refund', { input: { order: '{{steps.find.output.order}}' } }),
        step('tell', 'echo', { input: { paid: '{{steps.refund.output}}' } }),
      ],
    },
    retrying: {
      params: anyParams,
      steps: [running('refund', 'refund', { input: { order: 1 }, retry: { maxAttempts: 2, backoffMs: 0 } })],
    },
    gated: {
      params: anyParams,
      steps: [step('ask', 'approved'), running('refund', 'refund', { after: ['ask'], input: { order: 1 } })],
    },
    outer: { params: anyParams, steps: [running('inner', 'asking')] },
    outermost: { params: anyParams, steps: [running('outer', 'outer')] },
    failing: {
      params: anyParams,
      steps: [running('outer', 'outer'), step('find', 'read', { input: { what: 'fails' } })],
    },
    ...Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [
        `deep${index}`,
        { params: anyParams, steps: [index === 11 ? step('end', 'echo') : running('next', `deep${index + 1}`)] },
      ]),
    ),
  })
})
afterAll(() => world?.stop())
beforeEach(() => {
  world.shop.asked.length = 0
  world.shop.answer = ({ path }) =>
    path.endsWith('/fails') ? new Response(null, { status: 404 }) : Response.json({ ok: true })
})

const started = async (name: string, params: object = {}) =>
  (await data<Run>(world.start(served, name, { params }))).workflowRunId
const childOf = async (run: Run, place = 0) => world.get(served, run.steps[place]!.childWorkflowRunId!)
const live = ['running', 'waiting']

test('lists can leave children out, with every other filter', async () => {
  const parent = await world.run(served, 'main', { order: 9 })
  const child = parent.steps[1]!.childWorkflowRunId!
  const listed = async (query: Record<string, string>) => {
    const { items } = await data<{ items: Run[] }>(world.owner.get(served.path, { query: { limit: '100', ...query } }))
    return items.map(({ workflowRunId }) => workflowRunId)
  }
  const { agentId } = served.agent
  const state = 'completed'
  const narrowed: Record<string, string>[] = [{}, { state }, { agentId }, { state, agentId }]
  for (const filters of narrowed) {
    const first = await listed({ ...filters, parentWorkflowRunId: 'none' })
    expect([first.includes(parent.workflowRunId), first.includes(child)]).toEqual([true, false])
    expect(await listed(filters)).toContain(child)
  }
  expect(await listed({ state: 'failed', parentWorkflowRunId: 'none' })).not.toContain(parent.workflowRunId)
  const { status, body } = await world.owner.get(served.path, { query: { parentWorkflowRunId: parent.workflowRunId } })
  expect([status, body.error.details.issues[0].path]).toEqual([422, '/query/parentWorkflowRunId'])
})

test('a step runs a workflow: its input are the params, its output is the output', async () => {
  const run = await world.run(served, 'main', { order: 7 })
  expect([run.state, stepsOf(run)]).toEqual(['completed', 'find:succeeded refund:succeeded tell:succeeded'])
  expect(run.steps[1]).toMatchObject({
    operation: null,
    workflow: 'refund',
    attempts: 1,
    output: { paid: true, order: 7 },
  })
  expect(run.steps[2]!.output).toEqual({ paid: { paid: true, order: 7 } })
  const child = await childOf(run, 1)
  const { agentId, deploymentId, workflowRunId } = run
  expect(child).toMatchObject({
    state: 'completed',
    params: { order: 7 },
    agentId,
    deploymentId,
    parentWorkflowRunId: workflowRunId,
    createdBy: { type: 'workflow', id: workflowRunId },
  })
  expect([run.parentWorkflowRunId, run.steps[0]!.childWorkflowRunId]).toEqual([null, null])
})

test('params that the workflow does not take fail the step', async () => {
  const run = await world.run(served, 'main', { order: 'x' })
  expect([run.state, run.steps[1]]).toMatchObject([
    'failed',
    { state: 'failed', error: { code: 'invalid_params' }, childWorkflowRunId: null },
  ])
})

test('a child that fails fails its step, and a retry is another run', async () => {
  let count = 0
  world.shop.answer = () => {
    count += 1
    return count === 1 ? new Response(null, { status: 404 }) : Response.json({ ok: true })
  }
  const run = await world.run(served, 'retrying')
  expect([run.state, run.steps[0]!.attempts]).toEqual(['completed', 2])
  expect((await childOf(run)).state).toBe('completed')
  world.shop.answer = () => new Response(null, { status: 404 })
  const failed = await world.run(served, 'retrying')
  expect(failed.steps[0]).toMatchObject({ state: 'failed', attempts: 2, error: { code: 'workflow_failed' } })
})

test('a child waits on its own, and its end continues the run above', async () => {
  const id = await started('outermost')
  const [approval] = await world.approvalsOf(served, 1)
  expect((await world.get(served, id)).state).toBe('running')
  await data(world.decide(served, approval!.id, 'approve'))
  expect((await world.until(served, id, ['completed'])).steps[0]!.output).toBeNull()
})

test('cancel passes down', async () => {
  const id = await started('outermost')
  const [approval] = await world.approvalsOf(served, 1)
  const outer = await childOf(await world.get(served, id))
  const inner = await childOf(outer)
  await data(world.owner.post(`${served.path}/${id}/cancel`))
  const run = await world.until(served, id, ['canceled'])
  expect(stepsOf(run)).toBe('outer:canceled')
  expect([
    (await world.get(served, outer.workflowRunId)).state,
    (await world.get(served, inner.workflowRunId)).state,
  ]).toEqual(['canceled', 'canceled'])
  expect((await world.decide(served, approval!.id, 'approve')).status).toBe(409)
})

test('a run that fails cancels its children, and does not wait for them', async () => {
  const run = await world.until(served, await started('failing'), ['failed'])
  expect(stepsOf(run)).toBe('outer:canceled find:failed')
  const { childWorkflowRunId } = run.steps[0]!
  if (childWorkflowRunId !== null) expect((await world.get(served, childWorkflowRunId)).state).toBe('canceled')
})

test('a child that is canceled fails its step', async () => {
  const id = await started('outer')
  await world.approvalsOf(served, 1)
  const child = await childOf(await world.get(served, id))
  expect(live).toContain(child.state)
  await data(world.owner.post(`${served.path}/${child.workflowRunId}/cancel`))
  expect((await world.until(served, id, ['failed'])).steps[0]).toMatchObject({ error: { code: 'workflow_canceled' } })
})

test('workflows run each other ten deep at most', async () => {
  expect((await world.run(served, 'deep1')).state).toBe('completed')
  const run = await world.run(served, 'deep0')
  expect([run.state, run.steps[0]!.error?.code]).toEqual(['failed', 'workflow_failed'])
  let deepest = run
  while (deepest.steps[0]!.childWorkflowRunId !== null) deepest = await childOf(deepest)
  expect(deepest.steps[0]!.error?.code).toBe('workflow_too_deep')
})

test('a paused Project starts children of active runs', async () => {
  const { place } = served
  const id = await started('gated')
  const [approval] = await world.approvalsOf(served, 1)
  await data(world.owner.patch(place.project, { status: 'paused' }))
  expect((await world.start(served, 'main')).body.error.code).toBe('project_paused')
  await data(world.decide(served, approval!.id, 'approve'))
  expect((await world.until(served, id, ['completed'])).steps[1]!.output).toEqual({ paid: true, order: 1 })
  await data(world.owner.patch(place.project, { status: 'active' }))
})

test.each([
  ['a missing workflow', { a: [running('x', 'none')] }, /pins no Definition named none/],
  ['operations', { a: [running('x', 'shop')] }, /is operations, no workflow/],
  ['itself', { a: [running('x', 'a')] }, /runs itself: a → a\./],
  ['another that runs it', { a: [running('x', 'b')], b: [running('y', 'a')] }, /runs itself: a → b → a\./],
])('a Release is refused with a step that runs %s', async (_, workflows, message) => {
  const place = await world.place()
  const { agentId, agentRevisionId } = await world.agent(place, {}, [])
  const definitions: object[] = []
  const path = `${place.project}/definitions`
  if (JSON.stringify(workflows).includes('shop')) {
    definitions.push(await world.operations(place, 'shop', [echoOperation('echo')]))
  }
  for (const [name, steps] of Object.entries(workflows)) {
    const { id: definitionId } = await data(world.owner.post(path, { name, kind: 'workflow' }))
    const { id } = await data(world.owner.post(`${path}/${definitionId}/revisions`, { source: { params: {}, steps } }))
    definitions.push({ definitionId, definitionRevisionId: id })
  }
  const { status, body } = await world.owner.post(`${place.project}/releases`, {
    agents: [{ agentId, agentRevisionId }],
    definitions,
  })
  expect([status, body.error.code]).toEqual([422, 'unresolved_reference'])
  const issues = body.error.details.issues as { path: string; message: string }[]
  expect(issues).toHaveLength(1)
  expect(issues[0]!.path).toMatch(/^\/body\/definitions\/\d\/source\/steps\/0\/workflow$/)
  expect(issues[0]!.message).toMatch(message)
})
