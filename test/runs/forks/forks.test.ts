/** Forks of runs at their checkpoints, by a real runner. Source: contract 14, "Fork". */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import {
  calls,
  httpOperation,
  type Operations,
  openOperations,
  type Served,
} from '../../automation/operations/world.ts'
import type { Reply } from '../../support/client.ts'
import { eventually } from '../../support/process.ts'
import { checkpointOf, inState } from '../../support/run-records.ts'
import { data } from '../../support/world/replies.ts'

const path = '/api/v1/agent-runs'
type Loose = Reply['body']
interface Run {
  id: string
  state: string
  output?: { text: string } | null
  forkedFrom?: { agentRunId: string; checkpointId: number }
  awaiting?: { kind: string; toolCallId: string; pending: Loose[] }
}

let world: Operations
let served: Served
beforeAll(async () => {
  world = await openOperations({ environment: { TROUPE_RUNNER: 'embedded' } })
  const write = (name: string, changes: object = {}) =>
    httpOperation(name, { method: 'POST' }, { effect: 'write', idempotent: false, timeoutMs: 60_000, ...changes })
  served = await world.serving([write('send'), write('pay'), write('approved', { approval: 'always' })], {
    tools: [{ kind: 'interactive', name: 'choose', description: 'Asks.', inputSchema: { type: 'object' } }],
  })
})
afterAll(() => world?.stop())
beforeEach(() => {
  world.shop.asked.length = 0
  world.shop.answer = () => Response.json({ ok: true })
})

const start = (query: string) => data<Run>(world.start(served.place, served.agent.agentId, query))
const ended = (id: string) => inState(world.owner, id, 'completed', 'failed')
const read = (id: string) => data<Run>(world.owner.get(`${path}/${id}`, { query: { include: 'output' } }))
const textOf = async (id: string) => (await read(id)).output?.text
const fork = (id: string, body?: object) => world.owner.post(`${path}/${id}/fork`, body)
/** Without a body, all fields have their defaults. */
const forked = (id: string, body?: object) => data<Run>(fork(id, body))
/** The checkpoints, oldest first; the first is the input. */
const checkpointsOf = async (id: string) =>
  (
    await data<{ items: { checkpointId: number; kind: string }[] }>(world.owner.get(`${path}/${id}/checkpoints`))
  ).items.toReversed()
const forksOf = async (forkedFrom: string) =>
  (await world.owner.get(path, { query: { forkedFrom } })).body.agentRuns.map(({ id }: Run) => id) as string[]
const messagesOf = async (id: string) => (await checkpointOf(world.owner, id)).runtimeCheckpoint.messages as Loose[]
const rolesOf = async (id: string) => (await messagesOf(id)).map(({ role }) => role)
const asked = () => world.shop.asked.length

/** A completed run that has called `send` and `pay`, and its checkpoints. */
async function shopping() {
  const { id } = await start(calls(['send'], ['pay']))
  await ended(id)
  const [input, afterSendAsked, sent, payAsked, paid, final] = await checkpointsOf(id)
  expect([input?.kind, final?.kind, asked()]).toEqual(['input', 'final', 2])
  world.shop.asked.length = 0
  return {
    id,
    sendAsked: afterSendAsked!.checkpointId,
    sent: sent!.checkpointId,
    payAsked: payAsked!.checkpointId,
    paid: paid!.checkpointId,
    final: final!.checkpointId,
  }
}

describe('at the input', () => {
  test('a fork does everything anew, and names its source, which is unchanged', async () => {
    const { id } = await shopping()
    const before = await world.owner.get(`${path}/${id}`)
    const run = await forked(id)
    expect(run).toMatchObject({ forkedFrom: { agentRunId: id, checkpointId: 0 } })
    // its content is kept as long as that of any run
    const { createdAt, contentRetention } = (await data(world.owner.get(`${path}/${run.id}`))) as Loose
    expect(Date.parse(contentRetention.expiresAt) - Date.parse(createdAt)).toBe(30 * 86_400_000)
    await ended(run.id)
    expect([asked(), await textOf(run.id)]).toEqual([2, 'Done'])
    expect((await world.owner.get(`${path}/${id}`)).body).toEqual(before.body)
    const other = await forked(run.id)
    await ended(other.id)
    expect([await forksOf(id), await forksOf(run.id), await forksOf(other.id)]).toEqual([[run.id], [other.id], []])
  })

  test('the query replaces the input', async () => {
    const { id } = await start(`${calls(['send'])}`)
    await ended(id)
    const run = await forked(id, { query: '/say Otherwise' })
    await ended(run.id)
    expect([asked(), await textOf(run.id)]).toEqual([1, 'Otherwise'])
    expect(await messagesOf(run.id)).toEqual([{ role: 'user', content: '/say Otherwise' }, expect.anything()])
  })
})

describe('at a later checkpoint', () => {
  test('effects before it are not repeated', async () => {
    const { id, sent } = await shopping()
    const run = await forked(id, { checkpointId: sent })
    expect(run.forkedFrom).toEqual({ agentRunId: id, checkpointId: sent })
    await ended(run.id)
    expect([asked(), await textOf(run.id)]).toEqual([1, 'Done'])
    expect(await rolesOf(run.id)).toEqual(await rolesOf(id))
  })

  test('a call that was open is made anew', async () => {
    const { id, sendAsked } = await shopping()
    const run = await forked(id, { checkpointId: sendAsked })
    await ended(run.id)
    expect([asked(), await textOf(run.id)]).toEqual([2, 'Done'])
  })

  test('a query is appended', async () => {
    const { id, paid, final } = await shopping()
    const run = await forked(id, { checkpointId: final, query: '/say And more' })
    await ended(run.id)
    expect([asked(), await textOf(run.id)]).toEqual([0, 'And more'])
    const before = await messagesOf(id)
    expect(await messagesOf(run.id)).toEqual([...before, { role: 'user', content: '/say And more' }, expect.anything()])
    const earlier = await forked(id, { checkpointId: paid, query: '/say Thanks' })
    await ended(earlier.id)
    expect([asked(), await textOf(earlier.id)]).toEqual([0, 'Thanks'])
  })

  test('a query follows the call that was open, which is made anew', async () => {
    const { id, sendAsked } = await shopping()
    const run = await forked(id, { checkpointId: sendAsked, query: '/say Afterwards' })
    await ended(run.id)
    expect([asked(), await textOf(run.id)]).toEqual([1, 'Afterwards'])
    expect(await rolesOf(run.id)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant'])
    const result = (await messagesOf(run.id))[2]
    expect(JSON.stringify(result)).toContain('"ok":true')
  })

  test('messages replace the conversation, and their open calls are made', async () => {
    const { id, final } = await shopping()
    const call = { type: 'tool-call', toolCallId: 'mine', toolName: 'pay', input: {} }
    const messages = [
      { role: 'user', content: `/call pay {}\n/say Paid` },
      { role: 'assistant', content: [call] },
    ]
    const run = await forked(id, { checkpointId: final, messages })
    await ended(run.id)
    expect([asked(), await textOf(run.id)]).toEqual([1, 'Paid'])
    const plain = await forked(id, { messages: [{ role: 'user', content: '/say Plain' }] })
    await ended(plain.id)
    expect([asked(), await textOf(plain.id)]).toEqual([1, 'Plain'])
    // the messages of a checkpoint are accepted as they are
    const again = await forked(id, { checkpointId: final, messages: await messagesOf(id), query: '/say Again' })
    await ended(again.id)
    expect([asked(), await textOf(again.id)]).toEqual([1, 'Again'])
  })

  test('the source may be active, and is untouched', async () => {
    const answered = Promise.withResolvers<void>()
    world.shop.answer = () => answered.promise.then(() => Response.json({ ok: true }))
    const { id } = await start(calls(['send']))
    await eventually('a request', () => asked() === 1)
    const open = (await checkpointsOf(id)).at(-1)!
    const run = await forked(id, { checkpointId: open.checkpointId })
    await eventually('the request of the fork', () => asked() === 2)
    expect((await read(id)).state).toBe('running')
    answered.resolve()
    await Promise.all([ended(id), ended(run.id)])
    expect(await Promise.all([textOf(id), textOf(run.id)])).toEqual(['Done', 'Done'])
    expect((await read(id)).forkedFrom).toBeUndefined()
  })

  test('a fork can be forked, with and without a message, and continued', async () => {
    const { id, sent, sendAsked } = await shopping()
    const first = await forked(id, { checkpointId: sent })
    await ended(first.id)
    const second = await forked(first.id)
    await ended(second.id)
    expect([asked(), await textOf(second.id)]).toEqual([2, 'Done'])
    const third = await forked(second.id, { query: '/say Third' })
    await ended(third.id)
    expect([asked(), await textOf(third.id)]).toEqual([2, 'Third'])
    expect((await rolesOf(third.id)).slice(0, 3)).toEqual(['user', 'assistant', 'tool'])
    await data(world.owner.post(`${path}/${third.id}/continue`, { query: '/say Fourth' }))
    await eventually('the next answer', async () => (await textOf(third.id)) === 'Fourth')
    expect(asked()).toBe(2)
    const open = await forked(id, { checkpointId: sendAsked, query: '/say One' })
    await ended(open.id)
    const [, beforeMessage] = await checkpointsOf(open.id)
    const lagging = await forked(open.id, { checkpointId: beforeMessage!.checkpointId, query: '/say Two' })
    await ended(lagging.id)
    expect([asked(), await textOf(lagging.id)]).toEqual([3, 'One Two'])
    const said = (await messagesOf(lagging.id)).findLast(({ role }) => role === 'user')
    expect(said?.content).toBe('/say One\n\n/say Two')
  })
})

describe('at a suspended checkpoint', () => {
  async function choosing(...more: [string][]) {
    const { id } = await start(calls(['choose', { of: ['red', 'blue'] }], ...more))
    const source = await inState(world.owner, id, 'awaitingToolResult')
    const { checkpointId, kind } = (await checkpointsOf(id)).at(-1)!
    expect(kind).toBe('suspended')
    return { id, checkpointId, toolCallId: source.awaiting.toolCallId as string }
  }

  test('a fork waits for the same call, and is answered on its own', async () => {
    const { id, checkpointId, toolCallId } = await choosing()
    const run = await forked(id, { checkpointId })
    const waiting = await inState(world.owner, run.id, 'awaitingToolResult')
    expect(waiting.awaiting).toMatchObject({ kind: 'tool', toolName: 'choose', toolCallId })
    await data(world.owner.post(`${path}/${run.id}/continue`, { query: '"red"' }))
    await ended(run.id)
    expect(await textOf(run.id)).toBe('Done')
    expect((await read(id)).state).toBe('awaitingToolResult')
  })

  test('the query answers the call', async () => {
    const { id, checkpointId, toolCallId } = await choosing()
    for (const query of ['"blue"', JSON.stringify({ toolResults: [{ toolCallId, result: 'blue' }] })]) {
      const run = await forked(id, { checkpointId, query })
      await ended(run.id)
      expect([await textOf(run.id), await rolesOf(run.id)]).toEqual([
        'Done',
        ['user', 'assistant', 'tool', 'assistant'],
      ])
      const [result] = (await messagesOf(run.id))[2]!.content
      expect(result).toMatchObject({ toolCallId, output: { type: 'text', value: 'blue' } })
    }
    expect((await read(id)).state).toBe('awaitingToolResult')
  })

  test('a result of another call is refused, as are attachments', async () => {
    const { id, checkpointId } = await choosing()
    const other = JSON.stringify({ toolResults: [{ toolCallId: 'other', result: 1 }] })
    const refused = await fork(id, { checkpointId, query: other })
    expect([refused.status, refused.body.error.details.issues[0].path]).toEqual([
      422,
      '/body/query/toolResults/0/toolCallId',
    ])
    const contents = [{ type: 'text', text: 'x' }]
    expect((await fork(id, { checkpointId, query: 'x', contents })).body.error.details.issues[0].path).toBe(
      '/body/contents',
    )
  })

  test('an operation that waits for its approval gets another approval', async () => {
    const { id } = await start(calls(['approved']))
    await inState(world.owner, id, 'awaitingToolResult')
    const { checkpointId } = (await checkpointsOf(id)).at(-1)!
    const run = await forked(id, { checkpointId })
    const waiting = await inState(world.owner, run.id, 'awaitingToolResult')
    const { approvalId } = waiting.awaiting.pending[0]
    expect(approvalId).not.toBe((await read(id)).awaiting?.pending[0]?.approvalId)
    await data(world.owner.post(`${served.approvals}/${approvalId}/approve`))
    await ended(run.id)
    expect([asked(), await textOf(run.id), (await read(id)).state]).toEqual([1, 'Done', 'awaitingToolResult'])
    await data(world.owner.post(`${path}/${id}/cancel`))
  })
})
