/** What needs attention, by kind and Environment, as each credential may see it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Client } from '../../support/client.ts'
import { newOrganization } from '../../support/world/organizations.ts'
import { echoOperation } from '../../support/world/places.ts'
import { brokenOff, data, expectError, outcome, walk } from '../../support/world/replies.ts'
import { calls, httpOperation, type Operations, openOperations, type Served } from '../operations/world.ts'

type Query = Record<string, string | number>

let world: Operations
let served: Served
let waiting: { id: string }
let approval: { id: string; approvalId: string }
let unknown: { id: string }
beforeAll(async () => {
  world = await openOperations()
  served = await world.serving(
    [
      echoOperation('ask', { approval: 'always' }),
      httpOperation('send', { method: 'POST' }, { effect: 'write', idempotent: false }),
    ],
    {
      tools: ['ask_user', 'let_choose'].map((name) => ({
        kind: 'interactive',
        name,
        description: 'Asks.',
        inputSchema: { type: 'object' },
      })),
    },
  )
  waiting = await world.run(served.place, served.agent.agentId, calls(['ask_user', { question: 'Which one?' }]))
  approval = (await served.invoke('shop.ask', { input: { n: 1 } })).body.data
  unknown = await unresolved()
})
afterAll(() => world?.stop())

/** Creates a call with an unknown outcome: the answer of the service breaks off. */
async function unresolved(): Promise<{ id: string }> {
  world.shop.answer = brokenOff
  const { id, state } = await data<{ id: string; state: string }>(served.invoke('shop.send'))
  expect(state).toBe('unknown')
  return { id }
}

const inbox = (query: Query = {}, client: Client = world.owner) => client.get('/api/v1/inbox', { query })
const shown = async (query: Query = {}, client?: Client) => {
  const { counts, items, total } = await data<{
    counts: { kind: string; count: number }[]
    items: { kind: string; id: string; [field: string]: unknown }[]
    total: number
  }>(inbox(query, client))
  return { items, total, counts: Object.fromEntries(counts.map(({ kind, count }) => [kind, count])) }
}
const idsOf = async (kind: string, query: Query = {}, client?: Client) =>
  (await shown({ kind, limit: 100, ...query }, client)).items.map(({ id }) => id)

test('shows what is waiting, the latest first, with the data needed to act on it', async () => {
  const { items, counts, total } = await shown()
  const place = {
    project: { id: served.place.projectId, name: 'Project' },
    environment: { id: served.place.environmentId, name: expect.any(String), kind: 'development' },
  }
  expect(items.map(({ kind }) => kind)).toEqual(['unknownOutcome', 'approval', 'waitingRun'])
  expect(items[0]).toMatchObject({ id: unknown.id, invocationId: unknown.id, reason: 'outcome_unknown', ...place })
  expect(items[1]).toMatchObject({
    id: approval.approvalId,
    invocationId: approval.id,
    title: 'shop.ask',
    agentId: served.agent.agentId,
    ...place,
  })
  expect(Date.parse(items[1]!.dueAt as string) - Date.parse(items[1]!.since as string)).toBe(72 * 3_600_000)
  expect(items[2]).toMatchObject({ id: waiting.id, agentRunId: waiting.id, title: 'ask_user', ...place })
  expect(counts).toMatchObject({ approval: 1, waitingRun: 1, unknownOutcome: 1, webhook: 0, deployment: 0 })
  expect(total).toBe(3)
})

test('pages contain all kinds, without gaps and duplicates', async () => {
  const { items, sizes } = await walk(world.owner, '/api/v1/inbox', 1)
  expect(sizes).toEqual([1, 1, 1])
  expect(items.map(({ id }) => id)).toEqual([unknown.id, approval.approvalId, waiting.id])
})

test('filtering by kind or Environment filters the list; filtering by kind keeps the counts', async () => {
  const { items, counts } = await shown({ kind: 'approval' })
  expect(items.map(({ kind }) => kind)).toEqual(['approval'])
  expect(counts.waitingRun).toBe(1)
  const other = await world.place()
  expect((await shown({ environmentId: other.environmentId })).total).toBe(0)
  expect((await shown({ projectId: other.projectId })).total).toBe(0)
  expect((await shown({ projectId: served.place.projectId })).total).toBe(3)
  expect((await shown({ environmentId: served.place.environmentId })).counts).not.toHaveProperty('apiKey')
})

describe('an item leaves the inbox when it is done', () => {
  test('an approval that is decided', async () => {
    const { body } = await served.invoke('shop.ask', { input: {} })
    expect(await idsOf('approval')).toContain(body.data.approvalId)
    await data(world.owner.post(`${served.approvals}/${body.data.approvalId}/reject`))
    expect(await idsOf('approval')).not.toContain(body.data.approvalId)
  })

  test('a run that is answered, and one that is canceled', async () => {
    const ask = calls(['ask_user', { question: 'Which one?' }])
    const answered = await world.run(served.place, served.agent.agentId, ask)
    const canceled = await world.run(served.place, served.agent.agentId, ask)
    expect(await idsOf('waitingRun')).toEqual([canceled.id, answered.id, waiting.id])
    await data(world.owner.post(`/api/v1/agent-runs/${answered.id}/continue`, { query: 'That one' }))
    await data(world.owner.post(`/api/v1/agent-runs/${canceled.id}/cancel`))
    expect(await idsOf('waitingRun')).toEqual([waiting.id])
  })

  test('a run with several calls, of which the first without an answer is shown', async () => {
    const names = ['ask_user', 'let_choose']
    const content = names.map((toolName) => ({ type: 'tool-call', toolCallId: toolName, toolName, input: {} }))
    const messages = [
      { role: 'user', content: names.map((name) => `/call ${name} {}`).join('\n') },
      { role: 'assistant', content },
    ]
    const { id } = await data<{ id: string }>(world.owner.post(`/api/v1/agent-runs/${waiting.id}/fork`, { messages }))
    await world.ended(id)
    const item = async () => (await shown({ kind: 'waitingRun' })).items.find((each) => each.id === id)
    const first = await item()
    expect(first).toMatchObject({ title: 'ask_user' })
    const toolResults = [{ toolCallId: 'ask_user', result: 1 }]
    await data(world.owner.post(`/api/v1/agent-runs/${id}/continue`, { query: JSON.stringify({ toolResults }) }))
    expect(await item()).toMatchObject({ title: 'let_choose', since: first?.since })
    await data(world.owner.post(`/api/v1/agent-runs/${id}/continue`, { query: '2' }))
    expect(await item()).toBeUndefined()
  })

  test('a run that waits for an approval is shown as an approval, not as a waiting run', async () => {
    const run = await world.run(served.place, served.agent.agentId, calls(['ask']))
    expect(await idsOf('waitingRun')).not.toContain(run.id)
    const { items } = await shown({ kind: 'approval' })
    expect(items[0]).toMatchObject({ agentRunId: run.id })
    await data(world.owner.post(`/api/v1/agent-runs/${run.id}/cancel`))
    expect(await idsOf('approval')).toEqual([approval.approvalId])
  })
})

describe('an unknown outcome', () => {
  const at = (id: string) => `${served.invocations}/${id}/resolve`

  test('is resolved once, by the first request; nothing is called', async () => {
    const { id } = await unresolved()
    const before = world.shop.asked.length
    const replies = await Promise.all([
      world.owner.post(at(id), { outcome: 'succeeded' }),
      world.owner.post(at(id), { outcome: 'failed', note: 'It is not there' }),
    ])
    expect(replies.map(outcome).sort()).toEqual([200, '409 invalid_transition'])
    const won = replies.find(({ status }) => status === 200)?.body.data
    expect(await world.invocation(served, id)).toEqual(won)
    expect(['succeeded', 'failed']).toContain(won.state)
    expect(await idsOf('unknownOutcome')).toEqual([unknown.id])
    expect(world.shop.asked.length).toBe(before)
  })

  test('can be resolved as without effect', async () => {
    const { id } = await unresolved()
    expect(await data(world.owner.post(at(id), { outcome: 'failed', note: 'No mail was sent' }))).toMatchObject({
      state: 'failed',
      output: null,
      error: { code: 'found_failed', message: 'The call had no effect: No mail was sent' },
    })
  })

  test.each([
    ['another outcome', { outcome: 'unknown' }],
    ['nothing', {}],
    ['an unknown field', { outcome: 'failed', output: 1 }],
  ])('cannot be resolved with %s', async (_, body) => {
    expectError(await world.owner.post(at(unknown.id), body), 422, 'validation_failed')
  })
})

describe('visibility', () => {
  test('another organization sees none of it', async () => {
    const { client } = await newOrganization(world)
    expect(await shown({}, client)).toMatchObject({ items: [], total: 0 })
    expectError(await inbox({ environmentId: served.place.environmentId }, client), 404, 'not_found')
    expectError(await inbox({ projectId: served.place.projectId }, client), 404, 'not_found')
  })

  test('each permission shows its kinds, and without any it returns 403', async () => {
    const only = (...operations: string[]) => world.keyOf(world.ownerId, { operations })
    expect((await shown({}, only('operation-approvals:list'))).counts).toEqual({ approval: 1 })
    expect((await shown({}, only('operation-invocations:list'))).counts).toEqual({ unknownOutcome: 1 })
    expect((await shown({}, only('agents:manage-workflows'))).counts).toEqual({ unknownOutcome: 0 })
    expect((await shown({ kind: 'webhook' }, only('agent-runs:get'))).items).toEqual([])
    expectError(await inbox({}, only('agents:list')), 403, 'permission_denied')
  })

  test('the API document names each permission that suffices', async () => {
    const { body } = await world.owner.get('/docs/json')
    const { description, ...operation } = body.paths['/api/v1/inbox'].get
    expect(operation['x-permission']).toBe('agent-runs:get')
    expect(operation['x-or-permissions']).toContain('operation-approvals:list')
    expect(description).toMatch(/Permission: `agent-runs:get`, `.+, or `[a-z:-]+`\./)
  })

  test('a member sees what access grants allow, and nothing of the organization', async () => {
    const userId = world.user('member')
    const member = world.keyOf(userId)
    expectError(await inbox({}, member), 403, 'permission_denied')
    const other = await world.place()
    for (const { project, permissions } of [
      { project: other.project, permissions: ['agent-runs:get'] },
      { project: served.place.project, permissions: ['operation-approvals:list'] },
    ]) {
      await data(world.owner.post(`${project}/access-grants`, { subject: { type: 'user', id: userId }, permissions }))
    }
    expect((await shown({}, member)).counts).toEqual({ approval: 1, waitingRun: 0 })
  })

  test('a bound key sees its own Environment; one of an Agent is rejected', async () => {
    const { projectId, environmentId } = served.place
    const other = await world.place()
    const here = world.keyOf(world.ownerId, { projectId, environmentId })
    const there = world.keyOf(world.ownerId, { projectId: other.projectId, environmentId: other.environmentId })
    expect((await shown({}, here)).total).toBe(3)
    expect((await shown({}, here)).counts).not.toHaveProperty('apiKey')
    expect((await shown({}, there)).total).toBe(0)
    expectError(await inbox({ environmentId }, there), 404, 'not_found')
    const agentId = served.agent.agentId
    expectError(await inbox({}, world.keyOf(world.ownerId, { projectId, agentId })), 403, 'permission_denied')
  })
})

test.each([
  ['kind', 'nothing', 'validation_failed'],
  ['limit', '0', 'validation_failed'],
  ['limit', '101', 'validation_failed'],
  ['state', 'open', 'unknown_parameter'],
  ['cursor', 'x', 'invalid_cursor'],
])('%s=%s is rejected', async (name, value, code) => {
  expectError(await inbox({ [name]: value }), 422, code)
})

test('a cursor of another list is rejected', async () => {
  const { body } = await inbox({ limit: 1 })
  expectError(await inbox({ cursor: body.pagination.nextCursor, kind: 'approval' }), 422, 'invalid_cursor')
})
