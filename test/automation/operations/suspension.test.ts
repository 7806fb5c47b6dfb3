/** Approvals and the attempts that request them, step by step. Source: contract 5, "Runner protocol"; contract 6. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import type { Reply } from '../../support/client.ts'
import { framesOf } from '../../support/run-records.ts'
import { calls, conversation, failed, type HeldAttempt, lease } from '../../support/simulated-runner.ts'
import { echoOperation } from '../../support/world/places.ts'
import { data } from '../../support/world/replies.ts'
import { httpOperation, type Operations, openOperations, type Served } from './world.ts'

const runnerToken = 'runner-token-of-this-test'
let world: Operations
let served: Served
beforeAll(async () => {
  world = await openOperations({ environment: { TROUPE_RUNNER: 'none', TROUPE_RUNNER_TOKEN: runnerToken } })
  served = await world.serving(
    [
      httpOperation('send', { method: 'POST' }, { effect: 'write', idempotent: false, approval: 'always' }),
      echoOperation('ask', { approval: 'always' }),
      httpOperation('slow', { method: 'POST' }, { effect: 'write', idempotent: false }),
    ],
    { tools: [{ kind: 'interactive', name: 'choose', description: 'Asks.', inputSchema: { type: 'object' } }] },
  )
})
afterAll(() => world?.stop())
beforeEach(() => {
  world.shop.asked.length = 0
  world.shop.answer = () => Response.json({ ok: true })
})

const approve = ({ id }: { id: string }) => world.owner.post(`${served.approvals}/${id}/approve`)
const run = (id: string) =>
  data<{ id: string; state: string; awaiting?: { pending: object[] } }>(world.owner.get(`/api/v1/agent-runs/${id}`))
const approval = async (id: string) =>
  (await data<{ id: string; status: string }>(world.owner.get(`${served.approvals}/${id}`))).status

interface Made {
  toolCallId: string
  toolName: string
}
const c1 = { toolCallId: 'c1', toolName: 'send' }
const c2 = { toolCallId: 'c2', toolName: 'choose' }

/** An attempt whose model made these calls. */
async function attempting(...made: Made[]): Promise<HeldAttempt> {
  await data(world.start(served.place, served.agent.agentId, 'Go', { maxRetries: 3 }))
  const attempt = await lease(world.owner, runnerToken)
  expect((await attempt.boot()).status).toBe(200)
  const model = await attempt.begin({ kind: 'model', name: 'sandbox' })
  await attempt.endStep(model, { status: 'completed' })
  const open = made.map((call) => ({ ...call, input: {} }))
  await attempt.checkpoint(model, conversation([{ role: 'user', content: 'Go' }, calls(...open)], open))
  return attempt
}
const begin = (attempt: HeldAttempt, { toolCallId, toolName: name }: Made) =>
  attempt.begin({ kind: 'tool', name, input: {}, execution: { toolCallId } })
const ask = async (attempt: HeldAttempt, call: Made) => {
  const { status, body } = await attempt.call('POST', '/operations', {
    agentId: served.agent.agentId,
    input: {},
    ...call,
  })
  expect(status).toBe(200)
  return body.data as { awaiting?: 'approval'; invocationId: string; approvalId: string; result?: unknown }
}
const awaited = (call: Made, ids: object = {}) => ({ kind: 'tool', input: {}, ...call, ...ids })
const idsOf = ({ invocationId, approvalId }: { invocationId: string; approvalId: string }) => ({
  invocationId,
  approvalId,
})
const suspend = async (attempt: HeldAttempt, ...awaiting: ReturnType<typeof awaited>[]) => {
  const open = awaiting.map(({ toolCallId, toolName, input }) => ({ toolCallId, toolName, input }))
  await attempt.suspend(undefined, open)
  return attempt.complete({ outcome: 'awaitingToolResult', awaiting })
}
const queued = (id: string) => world.ended(id, ['queued'])

test('the response to a call that needs an approval names both ids, and repeating the call returns the same', async () => {
  const attempt = await attempting(c1)
  await begin(attempt, c1)
  const answer = await ask(attempt, c1)
  expect(answer).toEqual({
    awaiting: 'approval',
    invocationId: expect.stringMatching(/^opi_/),
    approvalId: expect.stringMatching(/^apr_/),
  })
  expect(await ask(attempt, c1)).toEqual(answer)
  await suspend(attempt, awaited(c1, idsOf(answer)))
  expect((await approve({ id: answer.approvalId })).status).toBe(200)
  await queued(attempt.runId)
  const { assignment } = await lease(world.owner, runnerToken)
  expect(assignment.settledCalls).toEqual([{ toolCallId: 'c1', outcome: { result: { ok: true } } }])
})

test('a decision made before the run waits is still found', async () => {
  const attempt = await attempting(c1)
  await begin(attempt, c1)
  const answer = await ask(attempt, c1)
  expect((await approve({ id: answer.approvalId })).status).toBe(200)
  await world.invocationEnded(served, answer.invocationId)
  await suspend(attempt, awaited(c1, idsOf(answer)))
  await queued(attempt.runId)
  const { assignment } = await lease(world.owner, runnerToken)
  expect(assignment.settledCalls).toEqual([{ toolCallId: 'c1', outcome: { result: { ok: true } } }])
  expect(world.shop.asked).toHaveLength(1)
})

test('a call that was approved before the run waits, and goes on, asks nobody', async () => {
  const answered = Promise.withResolvers<Response>()
  world.shop.answer = () => answered.promise
  const attempt = await attempting(c1)
  await begin(attempt, c1)
  const answer = await ask(attempt, c1)
  expect((await approve({ id: answer.approvalId })).status).toBe(200)
  await suspend(attempt, awaited(c1, idsOf(answer)))
  answered.resolve(Response.json({ ok: true }))
  await queued(attempt.runId)
  await data(world.owner.post(`/api/v1/agent-runs/${attempt.runId}/cancel`))
  const asks = (await framesOf(world.owner, attempt.runId)).filter(({ event }) => event === 'input.requested')
  expect(asks.map(({ data }) => data.data.kind)).toEqual(['operation'])
})

test('if an attempt is lost before it waits, the next one asks again without a second approval or call', async () => {
  const attempt = await attempting(c1)
  await begin(attempt, c1)
  const answer = await ask(attempt, c1)
  await attempt.complete(failed(true))
  const second = await lease(world.owner, runnerToken)
  expect(second.assignment).toMatchObject({ settledCalls: [], interruptedCalls: [] })
  await second.boot()
  await begin(second, c1)
  expect(await ask(second, c1)).toEqual(answer)
  await approve({ id: answer.approvalId })
  await world.invocationEnded(served, answer.invocationId)
  expect(await ask(second, c1)).toMatchObject({ result: { ok: true } })
  expect(world.shop.asked).toHaveLength(1)
})

test('a call that continues after its attempt was lost is awaited by the next one, and not repeated', async () => {
  const slow = { toolCallId: 's1', toolName: 'slow' }
  const answered = Promise.withResolvers<Response>()
  world.shop.answer = () => answered.promise
  const attempt = await attempting(slow)
  await begin(attempt, slow)
  const first = ask(attempt, slow).catch(() => undefined)
  await world.invocation(served, (await eventuallyAsked()).id)
  await attempt.complete(failed(true))
  const second = await lease(world.owner, runnerToken)
  expect(second.assignment.interruptedCalls).toEqual([])
  await second.boot()
  await begin(second, slow)
  const again = ask(second, slow)
  answered.resolve(Response.json({ late: true }))
  expect(await again).toEqual({ result: { late: true } } as never)
  await first
  expect(world.shop.asked).toHaveLength(1)
})

/** The invocation in progress. */
async function eventuallyAsked() {
  for (;;) {
    const { items } = await data<{ items: { id: string }[] }>(
      world.owner.get(served.invocations, { query: { state: 'running' } }),
    )
    if (items[0] && world.shop.asked.length > 0) return items[0]
    await Bun.sleep(5)
  }
}

test('a run that fails with an open approval cancels it, and it can no longer be decided', async () => {
  const attempt = await attempting(c1)
  await begin(attempt, c1)
  const answer = await ask(attempt, c1)
  await attempt.complete(failed(false))
  await world.ended(attempt.runId, ['failed'])
  const late = await approve({ id: answer.approvalId })
  expect([late.status, late.body.error.details]).toEqual([409, { currentState: 'canceled' }])
  expect(world.shop.asked).toHaveLength(0)
})

test('a run that is being canceled accepts no more approvals', async () => {
  const attempt = await attempting(c1)
  await begin(attempt, c1)
  const answer = await ask(attempt, c1)
  const canceled = await data<{ id: string; state: string }>(
    world.owner.post(`/api/v1/agent-runs/${attempt.runId}/cancel`),
  )
  expect(canceled.state).toBe('canceling')
  expect(await approval(answer.approvalId)).toBe('canceled')
  expect((await approve({ id: answer.approvalId })).status).toBe(409)
  await attempt.complete({ outcome: 'canceled' })
  expect(world.shop.asked).toHaveLength(0)
})

test('with an interactive call too: the decision completes one, the continue the other', async () => {
  const attempt = await attempting(c1, c2)
  await begin(attempt, c1)
  const answer = await ask(attempt, c1)
  await begin(attempt, c2)
  await suspend(attempt, awaited(c1, idsOf(answer)), awaited(c2))
  expect((await run(attempt.runId)).awaiting?.pending).toHaveLength(2)
  await approve({ id: answer.approvalId })
  await world.invocationEnded(served, answer.invocationId)
  const left = await world.ended(attempt.runId, ['awaitingToolResult'])
  expect(left.state).toBe('awaitingToolResult')
  const { status, body } = await world.owner.post(`/api/v1/agent-runs/${attempt.runId}/continue`, { query: '"blue"' })
  expect([status, body.data?.state]).toEqual([200, 'queued'])
  const { assignment } = await lease(world.owner, runnerToken)
  expect(assignment.settledCalls).toEqual([
    { toolCallId: 'c1', outcome: { result: { ok: true } } },
    { toolCallId: 'c2', outcome: { result: 'blue' } },
  ])
})

describe('a run waits only for what was made for its own call:', () => {
  const refusal = ({ status, body }: Reply) => [
    status,
    body.error.details.issues.map(({ path }: { path: string }) => path),
  ]
  /** Two runs that have made a call which needs an approval; the second one reports what it waits for. */
  async function both() {
    const other = await attempting(c1)
    await begin(other, c1)
    const its = await ask(other, c1)
    const attempt = await attempting(c1)
    await begin(attempt, c1)
    const own = await ask(attempt, c1)
    const report = (ids: object) => suspend(attempt, awaited(c1, ids))
    return {
      its,
      own,
      report,
      end: () => Promise.all([other.complete(failed(false)), attempt.complete(failed(false))]),
    }
  }

  test("an approval of another run's call is refused, which its reader would decide on unseen", async () => {
    const { its, own, report, end } = await both()
    const foreign = { ...idsOf(own), approvalId: its.approvalId }
    expect(refusal(await report(foreign))).toEqual([422, ['/body/awaiting/0/approvalId']])
    expect(refusal(await report({ approvalId: its.approvalId }))).toEqual([422, ['/body/awaiting/0/approvalId']])
    expect(await approval(its.approvalId)).toBe('pending')
    expect((await report(idsOf(own))).status).toBe(200)
    await end()
  })

  test("so is another run's invocation, whose outcome it would be given", async () => {
    const { its, report, end } = await both()
    await approve({ id: its.approvalId })
    await world.invocationEnded(served, its.invocationId)
    expect(refusal(await report({ invocationId: its.invocationId }))).toEqual([422, ['/body/awaiting/0/invocationId']])
    await end()
  })

  test('so is what nothing was made for', async () => {
    const { report, end } = await both()
    for (const [name, id] of [
      ['invocationId', newId('opi')],
      ['approvalId', newId('apr')],
      ['workflowRunId', newId('wfr')],
    ] as const)
      expect(refusal(await report({ [name]: id }))).toEqual([422, [`/body/awaiting/0/${name}`]])
    await end()
  })
})

test('with an interactive call too: a continue completes that one, and closes the other as not approved', async () => {
  const attempt = await attempting(c1, c2)
  await begin(attempt, c1)
  const answer = await ask(attempt, c1)
  await begin(attempt, c2)
  await suspend(attempt, awaited(c1, idsOf(answer)), awaited(c2))
  const { status } = await world.owner.post(`/api/v1/agent-runs/${attempt.runId}/continue`, { query: 'blue' })
  expect(status).toBe(200)
  expect(await approval(answer.approvalId)).toBe('canceled')
  expect((await approve({ id: answer.approvalId })).status).toBe(409)
  const { assignment } = await lease(world.owner, runnerToken)
  expect(assignment.input.query).toBeNull()
  expect(assignment.settledCalls).toEqual([
    { toolCallId: 'c1', outcome: { error: { code: 'tool_error', message: expect.stringContaining('not approved') } } },
    { toolCallId: 'c2', outcome: { result: 'blue' } },
  ])
  expect(world.shop.asked).toHaveLength(0)
})

test('two approvals: the run resumes when both are decided', async () => {
  const c3 = { toolCallId: 'c3', toolName: 'ask' }
  const attempt = await attempting(c1, c3)
  await begin(attempt, c1)
  const one = await ask(attempt, c1)
  await begin(attempt, c3)
  const other = await ask(attempt, c3)
  await suspend(attempt, awaited(c1, idsOf(one)), awaited(c3, idsOf(other)))
  expect((await world.owner.post(`${served.approvals}/${one.approvalId}/reject`)).status).toBe(200)
  await world.invocationEnded(served, one.invocationId)
  expect((await run(attempt.runId)).state).toBe('awaitingToolResult')
  expect((await approve({ id: other.approvalId })).status).toBe(200)
  await queued(attempt.runId)
})
