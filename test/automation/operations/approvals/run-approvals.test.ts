/** Tool calls of runs that need an approval. Source: contract 6: "pauses the run in `awaitingToolResult`". */

import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { echoOperation } from '../../../support/world/places.ts'
import { bothAtOnce, data } from '../../../support/world/replies.ts'
import { calls, httpOperation, type Operations, openOperations, type Served } from '../world.ts'

let world: Operations
let served: Served
beforeAll(async () => {
  world = await openOperations()
  served = await world.serving(
    [
      httpOperation('send', { method: 'POST' }, { effect: 'write', idempotent: false, approval: 'always' }),
      echoOperation('ask', { approval: 'always' }),
      echoOperation('free'),
    ],
    { tools: [{ kind: 'interactive', name: 'choose', description: 'Asks.', inputSchema: { type: 'object' } }] },
  )
})
afterAll(() => world?.stop())
beforeEach(() => {
  world.shop.asked.length = 0
  world.shop.answer = () => Response.json({ ok: true })
})

const start = (...made: Parameters<typeof calls>) => world.run(served.place, served.agent.agentId, calls(...made))
const approve = (id: string, body?: object) => world.owner.post(`${served.approvals}/${id}/approve`, body)
const reject = (id: string, body?: object) => world.owner.post(`${served.approvals}/${id}/reject`, body)
const approval = (id: string) => data(world.owner.get(`${served.approvals}/${id}`))
const ended = (id: string) => world.ended(id, ['completed', 'failed', 'canceled', 'expired'])
const transitions = async (id: string) => {
  const { items } = await data<{ items: { to: string; event: string }[] }>(
    world.owner.get(`/api/v1/agent-runs/${id}/transitions`),
  )
  return items.map(({ event, to }) => `${event} ${to}`)
}
const said = async (id: string) => {
  const { runtimeCheckpoint } = await data<{ runtimeCheckpoint: { messages: { role: string; content: unknown }[] } }>(
    world.owner.get(`/api/v1/agent-runs/${id}/checkpoints/latest`),
  )
  return runtimeCheckpoint.messages
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => (content as { output: { value: unknown } }[])[0]!.output.value)
}

test('a call that needs an approval pauses the run, which names the approval', async () => {
  const run = await start(['send', { n: 1 }])
  expect(run.state).toBe('awaitingToolResult')
  const pending = await world.pending(served)
  const invocation = await world.invocation(served, pending.invocationId)
  expect(invocation).toMatchObject({
    state: 'pending_approval',
    operation: 'shop.send',
    agentId: served.agent.agentId,
    agentRunId: run.id,
    workflowRunId: null,
    stepId: null,
    input: { n: 1 },
    output: null,
    error: null,
    approvalId: pending.id,
  })
  expect(pending).toMatchObject({
    operation: 'shop.send',
    input: { n: 1 },
    decidedBy: null,
    decidedAt: null,
    note: null,
  })
  const awaited = {
    kind: 'approval',
    toolName: 'send',
    toolCallId: expect.any(String),
    input: { n: 1 },
    invocationId: invocation.id,
    approvalId: pending.id,
  }
  expect(run.awaiting).toMatchObject({ ...awaited, pending: [awaited] })
  expect(world.shop.asked).toHaveLength(0)

  expect((await approve(pending.id)).status).toBe(200)
  expect((await ended(run.id)).state).toBe('completed')
  expect(world.shop.asked).toHaveLength(1)
  expect(await said(run.id)).toEqual([{ ok: true }])
  expect(await transitions(run.id)).toContain('toolResult queued')
  const tool = (await world.steps(run.id)).filter(({ kind }) => kind === 'tool')
  expect(tool).toMatchObject([{ name: 'send', status: 'completed', output: { ok: true } }])
  expect(await world.invocation(served, invocation.id)).toMatchObject({ state: 'succeeded', output: { ok: true } })
})

test('a rejection resumes the run, the operation never runs, and the model gets the reason', async () => {
  const run = await start(['send'])
  const { id, invocationId } = await world.pending(served)
  expect((await reject(id, { note: 'Too dear.' })).body.data).toMatchObject({ status: 'rejected', note: 'Too dear.' })
  expect((await ended(run.id)).state).toBe('completed')
  expect(world.shop.asked).toHaveLength(0)
  expect(await said(run.id)).toEqual(['The call was not approved: Too dear.'])
  expect(await world.invocation(served, invocationId)).toMatchObject({
    state: 'rejected',
    error: { code: 'approval_rejected' },
  })
  expect((await approve(id)).body.error).toMatchObject({
    code: 'invalid_transition',
    details: { currentState: 'rejected' },
  })
})

test('the error of an approved call that failed is passed to the model', async () => {
  world.shop.answer = () => new Response('no such order', { status: 404 })
  const run = await start(['send'])
  await approve((await world.pending(served)).id)
  expect((await ended(run.id)).state).toBe('completed')
  expect(await said(run.id)).toEqual(['shop.send answered 404: no such order'])
})

test('other calls of the same response are made, and the run resumes when all approvals are decided', async () => {
  const run = await start(['free', { a: 1 }], ['ask', { b: 2 }])
  // the sandbox model makes one call per step: the first is done, the second waits
  expect(run.state).toBe('awaitingToolResult')
  await approve((await world.pending(served)).id)
  expect((await ended(run.id)).state).toBe('completed')
  expect(await said(run.id)).toEqual([{ a: 1 }, { b: 2 }])
})

test('canceling the run cancels the approval; a later decision returns 409, and the operation never runs', async () => {
  const run = await start(['send'])
  const { id, invocationId } = await world.pending(served)
  await data(world.owner.post(`/api/v1/agent-runs/${run.id}/cancel`))
  expect(await approval(id)).toMatchObject({ status: 'canceled', decidedBy: null, decidedAt: expect.any(String) })
  expect(await world.invocation(served, invocationId)).toMatchObject({ state: 'rejected' })
  const late = await approve(id)
  expect([late.status, late.body.error.details]).toEqual([409, { currentState: 'canceled' }])
  expect(world.shop.asked).toHaveLength(0)
})

test('a continue closes the call as not approved, cancels the approval, and becomes the next message', async () => {
  const run = await start(['send'])
  const { id } = await world.pending(served)
  const { status } = await world.owner.post(`/api/v1/agent-runs/${run.id}/continue`, { query: '/say Never mind' })
  expect(status).toBe(200)
  expect(await approval(id)).toMatchObject({ status: 'canceled' })
  expect((await ended(run.id)).state).toBe('completed')
  expect(await said(run.id)).toEqual(['The call was not approved: the user continued without it.'])
  expect((await approve(id)).status).toBe(409)
  expect(world.shop.asked).toHaveLength(0)
})

test('with a concurrent cancel and approval, the operation starts only if the approval was accepted', async () => {
  for (let round = 1; round <= 6; round += 1) {
    world.shop.asked.length = 0
    const run = await start(['send'])
    const { id, invocationId } = await world.pending(served)
    const [canceled, approved] = await Promise.all([
      world.owner.post(`/api/v1/agent-runs/${run.id}/cancel`),
      approve(id),
    ])
    expect([200, 409]).toContain(canceled.status)
    expect([200, 409]).toContain(approved.status)
    await ended(run.id)
    const { state } = await world.invocationEnded(served, invocationId)
    if (approved.status === 409) expect([state, world.shop.asked.length]).toEqual(['rejected', 0])
    // a started call is aborted: made, not made, or unknown
    else expect(['succeeded', 'failed', 'unknown']).toContain(state)
    if (state === 'failed') expect(world.shop.asked).toHaveLength(0)
    else expect(world.shop.asked.length).toBeLessThanOrEqual(1)
  }
})

test('a concurrent continue and approval never report a call that ran as not approved', async () => {
  for (let round = 1; round <= 6; round += 1) {
    world.shop.asked.length = 0
    const run = await start(['send'])
    const { id } = await world.pending(served)
    const [continued, approved] = await bothAtOnce(
      round,
      () => world.owner.post(`/api/v1/agent-runs/${run.id}/continue`, { query: '/say Go on' }),
      () => approve(id),
    )
    expect([200, 409]).toContain(continued.status)
    expect([200, 409]).toContain(approved.status)
    await ended(run.id)
    const [answer] = await said(run.id)
    if (approved.status === 200) expect(String(answer)).not.toContain('not approved')
    else expect(world.shop.asked).toHaveLength(0)
  }
})

test('of eight concurrent deciders one succeeds, and the others get its decision', async () => {
  const run = await start(['send'])
  const { id } = await world.pending(served)
  const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => (index % 2 ? approve(id) : reject(id))))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  const decided = (await approval(id)).status
  for (const { status, body } of answers.filter((answer) => answer.status !== 200)) {
    expect([status, body.error.details.currentState]).toEqual([409, decided])
  }
  await ended(run.id)
  expect(world.shop.asked).toHaveLength(decided === 'approved' ? 1 : 0)
})

test('the stream of the run names what it waits for, and the history each transition', async () => {
  const fresh = await world.serving([echoOperation('ask', { approval: 'always' })])
  const run = await world.run(fresh.place, fresh.agent.agentId, calls(['ask']))
  await data(world.owner.post(`${fresh.approvals}/${(await world.pending(fresh)).id}/approve`))
  await ended(run.id)
  expect(await world.operationEvents(fresh)).toEqual([
    ['invocation', null, 'pending_approval'],
    ['approval', null, 'pending'],
    ['invocation', 'pending_approval', 'running'],
    ['approval', 'pending', 'approved'],
    ['invocation', 'running', 'succeeded'],
  ])
})
