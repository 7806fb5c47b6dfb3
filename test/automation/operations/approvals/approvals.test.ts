/** Approvals of operations invoked by a request. Source: requirement 5.8; contract 6. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { HandClock } from '../../../runtime/statecharts/clock.ts'
import { eventually } from '../../../support/process.ts'
import { echoOperation } from '../../../support/world/places.ts'
import { data } from '../../../support/world/replies.ts'
import { type Approval, type Operations, openOperations, type Served } from '../world.ts'

let world: Operations
let served: Served
beforeAll(async () => {
  world = await openOperations()
  served = await world.serving([
    echoOperation('ask', { approval: 'always' }),
    echoOperation('other', { approval: 'always' }),
  ])
})
afterAll(() => world?.stop())

const asked = async (operation = 'shop.ask', input: unknown = {}) => {
  const { status, body } = await served.invoke(operation, { input })
  expect(status).toBe(202)
  return body.data as { id: string; approvalId: string }
}
const at = (id: string, decision = '') => `${served.approvals}/${id}${decision && `/${decision}`}`

test('once approved, it runs; the decider and the time are recorded', async () => {
  const { id, approvalId } = await asked('shop.ask', { n: 1 })
  const before = (await world.owner.get(at(approvalId))).body.data
  expect(before).toMatchObject({
    status: 'pending',
    invocationId: id,
    operation: 'shop.ask',
    input: { n: 1 },
    note: null,
  })
  expect(Date.parse(before.expiresAt) - Date.parse(before.createdAt)).toBe(72 * 3_600_000)
  const { status, body } = await world.owner.post(at(approvalId, 'approve'))
  expect(status).toBe(200)
  expect(body.data).toMatchObject({ status: 'approved', decidedBy: { type: 'apiKey' }, decidedAt: expect.any(String) })
  expect(await world.invocationEnded(served, id)).toMatchObject({ state: 'succeeded', output: { n: 1 } })
  expect((await world.owner.get(at(approvalId))).body.data).toEqual(body.data)
})

test('once rejected, it never runs; the note is recorded', async () => {
  const { id, approvalId } = await asked()
  const { body } = await world.owner.post(at(approvalId, 'reject'), { note: 'Not now' })
  expect(body.data).toMatchObject({ status: 'rejected', note: 'Not now' })
  expect(await world.invocation(served, id)).toMatchObject({
    state: 'rejected',
    output: null,
    error: { code: 'approval_rejected', message: 'The call was not approved: Not now' },
  })
})

test.each([
  ['approve', 'approve', 'approved'],
  ['approve', 'reject', 'approved'],
  ['reject', 'approve', 'rejected'],
  ['reject', 'reject', 'rejected'],
])('%s, then %s: returns 409 with the decision', async (first, then, currentState) => {
  const { approvalId } = await asked()
  expect((await world.owner.post(at(approvalId, first))).status).toBe(200)
  const { status, body } = await world.owner.post(at(approvalId, then))
  expect([status, body.error.code, body.error.details]).toEqual([409, 'invalid_transition', { currentState }])
})

test('of eight concurrent decisions exactly one takes effect, and none returns 500', async () => {
  const { approvalId } = await asked()
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) => world.owner.post(at(approvalId, index % 2 ? 'approve' : 'reject'))),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
})

describe('bad requests', () => {
  test.each([
    ['an unknown field', { more: 1 }],
    ['a note that is not text', { note: 1 }],
    ['a note that is too long', { note: 'x'.repeat(2001) }],
  ])('%s returns 422 and decides nothing', async (_, body) => {
    const { approvalId } = await asked()
    for (const decision of ['approve', 'reject']) {
      expect((await world.owner.post(at(approvalId, decision), body)).status).toBe(422)
    }
    expect((await world.owner.get(at(approvalId))).body.data.status).toBe('pending')
  })
  test.each(['apr_01h455vb4pex5vsknk084sn02q', 'apr_x', 'opi_01h455vb4pex5vsknk084sn02q'])('%s is 404', async (id) => {
    expect((await world.owner.get(at(id))).status).toBe(404)
    expect((await world.owner.post(at(id, 'approve'))).status).toBe(404)
    expect((await world.owner.post(at(id, 'reject'))).status).toBe(404)
  })
  test('an approval of another Environment returns 404', async () => {
    const { approvalId } = await asked()
    const other = await world.serving([echoOperation('ask')])
    expect((await world.owner.post(`${other.approvals}/${approvalId}/approve`)).status).toBe(404)
  })
})

test.each([
  ['operation-approvals:list', [200, 403, 403]],
  ['operation-approvals:approve', [403, 200, 403]],
  ['operation-approvals:reject', [403, 403, 200]],
])('a key with %s alone: read, approve and reject return %j', async (operation, statuses) => {
  const { secret } = await data<{ id: string; secret: string }>(
    world.owner.post('/api/v1/api-keys', { name: 'Key', operations: [operation] }),
  )
  const client = world.as(secret)
  const [one, other] = [await asked(), await asked()]
  const answers = [
    await client.get(at(one.approvalId)),
    await client.post(at(one.approvalId, 'approve')),
    await client.post(at(other.approvalId, 'reject')),
  ]
  expect(answers.map(({ status }) => status)).toEqual(statuses)
})

test('lists are paged, newest first, and filtered', async () => {
  const fresh = await world.serving([echoOperation('ask', { approval: 'always' }), echoOperation('free')])
  const ids: string[] = []
  for (let count = 0; count < 5; count += 1) ids.unshift((await fresh.invoke('shop.ask')).body.data.approvalId)
  await data(world.owner.post(`${fresh.approvals}/${ids[1]}/approve`))
  await data(world.owner.post(`${fresh.approvals}/${ids[3]}/reject`))
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const { body } = await world.owner.get(fresh.approvals, { query: { limit: 2, cursor } })
    expect(body.data.items.length).toBeLessThanOrEqual(2)
    seen.push(...body.data.items.map(({ id }: Approval) => id))
    cursor = body.pagination.nextCursor
  } while (cursor)
  expect(seen).toEqual(ids)
  const of = async (status: string) =>
    (await world.owner.get(fresh.approvals, { query: { status } })).body.data.items.map(({ id }: Approval) => id)
  expect(await of('pending')).toEqual([ids[0], ids[2], ids[4]] as string[])
  expect(await of('approved')).toEqual([ids[1]] as string[])
  expect(await of('rejected')).toEqual([ids[3]] as string[])
  expect((await world.owner.get(fresh.approvals, { query: { status: 'odd' } })).status).toBe(422)

  const listed = async (query: Record<string, string>) =>
    (await world.owner.get(fresh.approvals, { query })).body.data.items as (Approval & { createdAt: string })[]
  const [newest, ...older] = await listed({})
  const first = older.at(-1)!
  const later = new Date(Date.parse(newest!.createdAt) + 1).toISOString()
  const idsOf = async (query: Record<string, string>) => (await listed(query)).map(({ id }) => id)
  expect(await idsOf({ operation: 'shop.ask', status: 'pending', agentId: fresh.agent.agentId })).toHaveLength(3)
  expect(await idsOf({ operation: 'shop.free' })).toEqual([])
  expect(await idsOf({ agentId: 'agt_01h455vb4pex5vsknk084sn02q', operation: 'shop.ask' })).toEqual([])
  expect(await idsOf({ since: later })).toEqual([])
  expect(await idsOf({ since: newest!.createdAt })).toContain(newest!.id)
  expect(await idsOf({ until: first.createdAt })).toEqual([])
  expect(await idsOf({ until: later, since: first.createdAt })).toEqual(ids)
  expect((await world.owner.get(fresh.approvals, { query: { since: 'odd' } })).status).toBe(422)

  const { body } = await world.owner.get(fresh.approvals, { query: { limit: 2, status: 'pending' } })
  const other = await world.owner.get(fresh.approvals, { query: { cursor: body.pagination.nextCursor } })
  expect([other.status, other.body.error.code]).toEqual([422, 'invalid_cursor'])

  await fresh.invoke('shop.free')
  const invocations = async (query: Record<string, string>) =>
    (await world.owner.get(fresh.invocations, { query })).body.data.items as { operation: string; state: string }[]
  expect(await invocations({ operation: 'shop.free' })).toMatchObject([{ operation: 'shop.free', state: 'succeeded' }])
  expect(await invocations({ state: 'pending_approval' })).toHaveLength(3)
  expect(await invocations({ operation: 'shop.ask', state: 'rejected' })).toHaveLength(1)
  expect(await invocations({ agentRunId: 'run_01h455vb4pex5vsknk084sn02q' })).toEqual([])
  expect((await world.owner.get(fresh.invocations, { query: { state: 'odd' } })).status).toBe(422)
})

test('a key of another Agent sees none, even if it asks for this Agent', async () => {
  const { approvalId } = await asked()
  const { agentId } = served.agent
  const keyOf = async (agent: string) => {
    const { projectId, environmentId } = served.place
    const scope = { projectId, environmentId, agentId: agent }
    const body = { name: 'Key', operations: ['operation-approvals:list'], ...scope }
    return world.as((await data<{ id: string; secret: string }>(world.owner.post('/api/v1/api-keys', body))).secret)
  }
  const own = await keyOf(agentId)
  const foreign = await keyOf((await world.agent(served.place)).agentId)
  for (const query of [{}, { agentId }, { agentId, status: 'pending' }, { agentId, operation: 'shop.ask' }]) {
    expect((await own.get(served.approvals, { query })).body.data.items[0]).toMatchObject({ id: approvalId })
    expect((await foreign.get(served.approvals, { query })).body.data.items).toEqual([])
  }
  expect((await own.get(at(approvalId))).status).toBe(200)
  expect((await foreign.get(at(approvalId))).status).toBe(404)
})

describe('without a decision', () => {
  const clock = new HandClock()
  let slow: Operations
  beforeAll(async () => {
    slow = await openOperations({
      clock,
      environment: { TROUPE_APPROVAL_TTL_MS: '60000', TROUPE_RATE_LIMIT_PER_MINUTE: '0' },
    })
  })
  afterAll(() => slow?.stop())

  test('the approval expires, the invocation is rejected, and a later decision returns 409', async () => {
    const place = await slow.serving([echoOperation('ask', { approval: 'always' })])
    const { body } = await place.invoke('shop.ask')
    const path = `${place.approvals}/${body.data.approvalId}`
    clock.advance(59_999)
    expect((await slow.owner.get(path)).body.data.status).toBe('pending')
    clock.advance(1)
    const expired = await eventually('an expired approval', async () => {
      const { data: found } = (await slow.owner.get(path)).body
      return found.status === 'expired' && found
    })
    expect(expired).toMatchObject({ decidedBy: null, note: null })
    expect(await slow.invocation(place, body.data.id)).toMatchObject({
      state: 'rejected',
      error: { code: 'approval_expired' },
    })
    const late = await slow.owner.post(`${path}/approve`)
    expect([late.status, late.body.error.details]).toEqual([409, { currentState: 'expired' }])
  })

  test('a waiting run resumes, and its model gets the error', async () => {
    const place = await slow.serving([echoOperation('ask', { approval: 'always' })])
    const run = await slow.run(place.place, place.agent.agentId, '/call ask {}\n/say Done')
    expect(run.state).toBe('awaitingToolResult')
    clock.advance(60_000)
    expect((await slow.ended(run.id, ['completed'])).state).toBe('completed')
    expect((await slow.called(run.id)).error).toMatchObject({ message: 'The call was not approved in time.' })
  })
})

test('a slow invocation returns 202 after about 25 seconds, and ends later', async () => {
  const clock = new HandClock()
  const slow = await openOperations({ clock, environment: { TROUPE_RATE_LIMIT_PER_MINUTE: '0' } })
  try {
    const { promise, resolve } = Promise.withResolvers<Response>()
    slow.shop.answer = () => promise
    const { httpOperation } = await import('../world.ts')
    const place = await slow.serving([httpOperation('read', {}, { timeoutMs: 120_000 })])
    const answering = place.invoke('shop.read')
    await eventually('a request', () => slow.shop.asked.length > 0)
    clock.advance(25_000)
    const { status, body } = await answering
    expect([status, body.data.state]).toEqual([202, 'running'])
    resolve(Response.json({ late: true }))
    expect(await slow.invocationEnded(place, body.data.id)).toMatchObject({
      state: 'succeeded',
      output: { late: true },
    })
  } finally {
    await slow.stop()
  }
})

test('an invocation in progress when the server stops returns 202', async () => {
  const slow = await openOperations({ clock: new HandClock() })
  const { promise, resolve } = Promise.withResolvers<Response>()
  slow.shop.answer = () => promise
  const { httpOperation } = await import('../world.ts')
  const place = await slow.serving([httpOperation('read', {}, { timeoutMs: 120_000 })])
  const answering = place.invoke('shop.read')
  await eventually('a request', () => slow.shop.asked.length > 0)
  const stopping = slow.stop()
  const { status, body } = await answering
  expect([status, body.data.state]).toEqual([202, 'running'])
  resolve(Response.json({ late: true }))
  await stopping
})
