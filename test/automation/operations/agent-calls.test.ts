/**
 * Runs that call operations which run Agents: with one machine, which the waiting run must not hold. Source:
 * contract 3, `Handler`; contract 5, "Statechart"; contract 6.
 */

import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { eventually } from '../../support/process.ts'
import { echoOperation, type Place } from '../../support/world/places.ts'
import { data } from '../../support/world/replies.ts'
import { calls, httpOperation, type Operations, openOperations, type Served } from './world.ts'

let world: Operations
let place: Place
let helper: Awaited<ReturnType<Operations['agent']>>
let served: Served
const unanswered = () => new Promise<Response>(() => {})
const agentOperation = (name: string, agent: string, query: string, changes: object = {}) =>
  echoOperation(name, { handler: { type: 'agent', agent, query }, timeoutMs: 20_000, ...changes })

beforeAll(async () => {
  world = await openOperations({ environment: { TROUPE_RUNNER_SLOTS: '1' } })
  place = await world.place()
  const tools = ['find', 'deep', 'ask'].map((name) => ({ kind: 'operation', name, operation: `shop.${name}` }))
  helper = await world.agent(place, { tools }, ['shop.find', 'shop.deep', 'shop.ask'])
  await world.connection(place, helper.agentId)
  served = await world.serving(
    [
      agentOperation('hello', helper.slug, '/say Hello {{input.name}}'),
      agentOperation('broken', helper.slug, '/fail Out of order'),
      agentOperation('slow', helper.slug, '/sleep 60000'),
      agentOperation('late', helper.slug, '/sleep 400\n/say In its own time', { timeoutMs: 1 }),
      agentOperation('asking', helper.slug, '/call ask {}\n/say Asked', { timeoutMs: 1 }),
      echoOperation('ask', { approval: 'always' }),
      agentOperation('finding', helper.slug, '/call find {}\n/say Found'),
      agentOperation('deep', helper.slug, '/say Deep'),
      agentOperation('deeper', helper.slug, '/call deep {}\n/say Deeper'),
      agentOperation('approved', helper.slug, '/call find {}\n/say Allowed', { approval: 'always' }),
      httpOperation('find', { method: 'GET' }, { timeoutMs: 60_000 }),
    ],
    { others: [helper] },
    place,
  )
})
afterAll(() => world?.stop())
beforeEach(() => {
  world.shop.asked.length = 0
  world.shop.answer = () => Response.json({ ok: true })
})

const start = async (...made: Parameters<typeof calls>) =>
  (await data(world.start(place, served.agent.agentId, calls(...made)))).id
const ended = (id: string) => world.ended(id, ['completed', 'failed', 'canceled', 'expired'])
const cancel = (id: string) => data(world.owner.post(`/api/v1/agent-runs/${id}/cancel`))
const transitions = async (id: string) => {
  const { items } = await data<{ items: { to: string; event: string }[] }>(
    world.owner.get(`/api/v1/agent-runs/${id}/transitions`),
  )
  return items.map(({ event, to }) => `${event} ${to}`)
}
const invocationOf = async (agentRunId: string) => {
  const { items } = await data<{ items: { id: string; state: string; error: { code: string } | null }[] }>(
    world.owner.get(served.invocations, { query: { agentRunId } }),
  )
  expect(items).toHaveLength(1)
  return items[0]!
}
const childOf = async (agentRunId: string) => (await invocationOf(agentRunId)).id.replace('opi_', 'run_')
const inState = (id: string, state: string) =>
  eventually(`${id} ${state}`, async () => {
    const { status, body } = await world.owner.get(`/api/v1/agent-runs/${id}`)
    return status === 200 && body.data.state === state && body.data
  })
/** A run that waits for the helper's running run. */
async function waiting(name: string) {
  const id = await start([name])
  const run = await inState(id, 'awaitingToolResult')
  const child = await childOf(id)
  await inState(child, 'running')
  return { id, run, child }
}

test('the run waits without a machine, and resumes with the output of the other run', async () => {
  const id = await start(['hello', { name: 'Ada' }])
  expect((await ended(id)).state).toBe('completed')
  expect((await world.called(id)).output).toBe('Hello Ada')
  expect(await transitions(id)).toContain('toolResult queued')
  expect(await invocationOf(id)).toMatchObject({ state: 'succeeded' })
})

test('the run waits for the invocation, not for an approval', async () => {
  const { id, run, child } = await waiting('slow')
  const { id: invocationId } = await invocationOf(id)
  expect(run.awaiting.pending).toEqual([
    { kind: 'agentRun', toolName: 'slow', toolCallId: expect.any(String), input: {}, invocationId },
  ])
  await cancel(id)
  await ended(child)
})

test('a failed run is reported to the calling model', async () => {
  const id = await start(['broken'])
  expect((await ended(id)).state).toBe('completed')
  expect((await world.called(id)).error?.message).toMatch(/Out of order/)
})

test("the run has the timeout of a run: the operation's timeout applies to http handlers", async () => {
  const id = await start(['late'])
  expect((await ended(id)).state).toBe('completed')
  expect((await world.called(id)).output).toBe('In its own time')
})

test('while the child run waits for an approval, the call does not time out', async () => {
  const id = await start(['asking'])
  await inState(id, 'awaitingToolResult')
  const child = await childOf(id)
  await inState(child, 'awaitingToolResult')
  const { id: approvalId } = await world.pending(served)
  expect((await invocationOf(id)).state).toBe('running')
  await data(world.owner.post(`${served.approvals}/${approvalId}/approve`))
  expect((await ended(id)).state).toBe('completed')
  expect((await world.called(id)).output).toBe('Asked')
})

test('a chain of three runs needs only one machine', async () => {
  const id = await start(['deeper'])
  expect((await ended(id)).state).toBe('completed')
  expect((await world.called(id)).output).toBe('Deeper')
})

test('a call that needs an approval waits for that first, then for the run', async () => {
  const id = await start(['approved'])
  await inState(id, 'awaitingToolResult')
  const { id: approvalId } = await world.pending(served)
  const shop = Promise.withResolvers<Response>()
  world.shop.answer = () => shop.promise
  await data(world.owner.post(`${served.approvals}/${approvalId}/approve`))
  expect((await data(world.owner.get(`/api/v1/agent-runs/${id}`))).awaiting).toMatchObject({ kind: 'agentRun' })
  shop.resolve(Response.json({ ok: true }))
  expect((await ended(id)).state).toBe('completed')
  expect((await world.called(id)).output).toBe('Allowed')
})

test('a continue proceeds without the result', async () => {
  const { id, child } = await waiting('slow')
  const { status } = await world.owner.post(`/api/v1/agent-runs/${id}/continue`, { query: '/say Never mind' })
  expect(status).toBe(200)
  // there is only one machine
  await cancel(child)
  expect((await ended(id)).state).toBe('completed')
})

test('canceling the waiting run cancels the other one', async () => {
  const { id, child } = await waiting('slow')
  expect((await cancel(id)).state).toBe('canceled')
  expect((await ended(child)).state).toBe('canceled')
  const { id: invocationId } = await invocationOf(id)
  expect(await world.invocationEnded(served, invocationId)).toMatchObject({
    state: 'failed',
    error: { code: 'call_canceled' },
  })
  expect((await inState(id, 'canceled')).awaiting).toBeUndefined()
})

test('canceling also cancels what the child run has in progress, at any depth', async () => {
  world.shop.answer = unanswered
  const { id, child } = await waiting('finding')
  await eventually('a request', () => world.shop.asked.length === 1)
  await cancel(id)
  expect((await ended(child)).state).toBe('canceled')
  const { id: found } = await invocationOf(child)
  expect(await world.invocationEnded(served, found)).toMatchObject({
    state: 'failed',
    error: { code: 'call_canceled' },
  })
})

test('eight concurrent cancels of both: each run is canceled, and each invocation ends once', async () => {
  const { id, child } = await waiting('slow')
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) => world.owner.post(`/api/v1/agent-runs/${index % 2 ? child : id}/cancel`)),
  )
  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
  await Promise.all([ended(id), ended(child)])
  const { id: invocationId } = await invocationOf(id)
  expect((await world.invocationEnded(served, invocationId)).state).toBe('failed')
})

test("the other run uses its caller's Deployment, also if another is active or the Project is paused meanwhile", async () => {
  const other = await world.place()
  const ask = echoOperation('ask', { approval: 'always' })
  const shop = await world.operations(other, 'shop', [ask, agentOperation('help', 'deputy', '/say Helped')])
  const deputy = await world.agent(other, {}, [], 'deputy')
  const tools = ['ask', 'help'].map((name) => ({ kind: 'operation', name, operation: `shop.${name}` }))
  const lead = await world.agent(other, { tools }, ['shop.ask', 'shop.help'])
  const deploymentId = await world.serve(other, [lead, deputy], [shop])
  const { id } = await world.run(other, lead.agentId, calls(['ask'], ['help']))

  await world.serve(other, [await world.agent(other)])
  await data(world.owner.patch(other.project, { status: 'paused' }))
  const approvals = `${other.path}/operation-approvals`
  await data(world.owner.post(`${approvals}/${(await world.pending({ approvals })).id}/approve`))

  expect(await ended(id)).toMatchObject({ state: 'completed' })
  const { items } = await data<{ items: { id: string; output: unknown; error: unknown }[] }>(
    world.owner.get(`${other.path}/operation-invocations`, { query: { operation: 'shop.help' } }),
  )
  expect(items).toMatchObject([{ output: 'Helped', error: null }])
  const helping = await data(world.owner.get(`/api/v1/agent-runs/${items[0]!.id.replace('opi_', 'run_')}`))
  expect(helping).toMatchObject({ agentId: deputy.agentId, deploymentId })
})
