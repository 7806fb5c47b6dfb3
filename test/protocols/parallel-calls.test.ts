/** Runs that wait for several calls at once, as clients of other protocols see them. Source: contract 12. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Task } from '@a2a-js/sdk'
import type { Client } from '@a2a-js/sdk/client'
import OpenAI from 'openai'
import { httpOperation, openWorld, type World } from '../runs/project/world.ts'
import { eventually } from '../support/process.ts'
import { echoOperation, type Place } from '../support/world/places.ts'
import { data } from '../support/world/replies.ts'
import { connect, send, stateOf, task } from './a2a-client.ts'

type Run = { id: string; state: string; awaiting?: { pending: { toolCallId: string }[] } }

let world: World
let place: Place
let agentId: string
let address: string
let desk: Client
let openai: OpenAI
beforeAll(async () => {
  world = await openWorld({ environment: { TROUPE_RUNNER: 'embedded' } })
  place = await world.place()
  const ask = { kind: 'interactive', name: 'ask', description: 'Asks the user.', inputSchema: { type: 'object' } }
  const helper = await world.agent(place, { tools: [ask] })
  const agent = await world.agent(
    place,
    {
      tools: [
        ask,
        { kind: 'operation', name: 'help', operation: 'shop.help' },
        { kind: 'operation', name: 'refund', operation: 'shop.refund' },
      ],
    },
    ['shop.help', 'shop.refund'],
  )
  const handler = { type: 'agent', agent: helper.slug, query: '/call ask {}\n/say Helped' }
  const definition = await world.operations(place, 'shop', [
    echoOperation('help', { handler }),
    httpOperation('refund', { method: 'POST' }, { effect: 'write', idempotent: false, approval: 'always' }),
  ])
  await world.connection(place, agent.agentId)
  await world.serve(place, [agent, helper], [definition])
  const { slug } = await data<{ slug: string }>(world.owner.get(place.project))
  agentId = agent.agentId
  address = `${slug}/development/${agent.slug}`
  desk = await connect(world, address)
  openai = new OpenAI({ apiKey: world.key, baseURL: `${world.url}/openai/v1`, maxRetries: 0 })
})
afterAll(() => world?.stop())
beforeEach(() => {
  world.shop.answer = () => Response.json({ ok: true })
})

const read = (id: string) => data<Run>(world.owner.get(`/api/v1/agent-runs/${id}`))
const waitingFor = (id: string, ...calls: string[]) =>
  eventually(`${id} to wait for ${calls}`, async () => {
    const pending = (await read(id)).awaiting?.pending.map(({ toolCallId }) => toolCallId)
    return Bun.deepEquals(pending, calls)
  })
/** A run whose model calls both tools in one step. */
async function calling(...names: [string, string]) {
  const { id } = await world.run(place, agentId, '/say Hello')
  const said = names.map((name) => `/call ${name} {}`).join('\n')
  const content = names.map((toolName) => ({ type: 'tool-call', toolCallId: toolName, toolName, input: {} }))
  const messages = [
    { role: 'user', content: `${said}\n/say Done` },
    { role: 'assistant', content },
  ]
  const fork = await data<Run>(world.owner.post(`/api/v1/agent-runs/${id}/fork`, { messages }))
  await waitingFor(fork.id, ...names)
  const suffix = fork.id.slice('run_'.length)
  return { id: fork.id, taskId: `task_${suffix}_1`, responseId: `resp_${suffix}_1` }
}
const decide = async () => {
  const path = `${place.path}/operation-approvals`
  const { items } = await data<{ items: { id: string }[] }>(world.owner.get(path, { query: { status: 'pending' } }))
  expect(items).toHaveLength(1)
  await data(world.owner.post(`${path}/${items[0]!.id}/approve`, {}))
}
/** Answers the question of the run that the operation has started. */
const help = async (caller: string) => {
  const { items } = await data<{ items: { id: string; agentRunId: string }[] }>(
    world.owner.get(`${place.path}/operation-invocations`, { query: { agentRunId: caller } }),
  )
  const { agentRuns } = (await world.owner.get('/api/v1/agent-runs', { query: { createdBy: items[0]!.id } })).body
  await waitingFor(agentRuns[0].id, 'call_1')
  await data(world.owner.post(`/api/v1/agent-runs/${agentRuns[0].id}/continue`, { query: 'Yes' }))
}
const stepOf = async (id: string, called: string) => (await world.steps(id)).find(({ name }) => name === called)
const openStreams = async () => {
  const text = await (await fetch(`${world.url}/metrics`)).text()
  return /^troupe_open_streams (\d+)$/m.exec(text)?.[1]
}
/** The calls that the question of a task is about. */
const askedIn = ({ status }: Task) =>
  status?.message?.parts.flatMap(({ content }) =>
    content?.$case === 'data' ? (content.value as { awaiting: { toolName: string }[] }).awaiting : [],
  )

describe('a run that waits for its client and for an approval', () => {
  test('asks a client of OpenAI once the approved call has ended', async () => {
    const { id, responseId } = await calling('ask', 'refund')
    expect((await openai.responses.retrieve(responseId)).status).toBe('in_progress')
    await decide()
    await waitingFor(id, 'ask')
    const call = { type: 'function_call', name: 'ask', status: 'completed' }
    expect(await openai.responses.retrieve(responseId)).toMatchObject({ status: 'completed', output: [call] })
    const events = await Array.fromAsync(await openai.responses.retrieve(responseId, { stream: true }))
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { output: [call] } })
  })

  test('asks a client of A2A only for what is left', async () => {
    const { id, taskId } = await calling('refund', 'ask')
    expect(askedIn(await task(desk, taskId))).toMatchObject([{ toolName: 'refund' }, { toolName: 'ask' }])
    await decide()
    await waitingFor(id, 'ask')
    expect(askedIn(await task(desk, taskId))).toMatchObject([{ toolName: 'ask' }])
    expect(stateOf(await send(desk, 'Yes', { taskId }))).toBe('COMPLETED')
  })

  test('lets the approved operation finish if the client that answered both leaves', async () => {
    const shop = Promise.withResolvers<Response>()
    const asked = Promise.withResolvers<void>()
    world.shop.answer = () => {
      asked.resolve()
      return shop.promise
    }
    const { id, taskId } = await calling('ask', 'refund')
    const before = await openStreams()
    const leaving = new AbortController()
    const answers = { ask: 'Yes', refund: { approved: true } }
    const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', taskId, parts: [{ data: { answers } }] }
    const answering = fetch(`${world.url}/a2a/${address}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }),
      signal: leaving.signal,
    })
    await asked.promise
    leaving.abort()
    await answering.catch(() => {})
    await eventually('the server to notice', async () => (await openStreams()) === before)
    shop.resolve(Response.json({ ok: true }))
    await waitingFor(id, 'ask')
    expect(await stepOf(id, 'refund')).toMatchObject({ status: 'completed', output: { ok: true } })
    expect(stateOf(await send(desk, 'Yes', { taskId }))).toBe('COMPLETED')
  })
})

describe('a run that waits for its client and for another Agent', () => {
  test('asks the client once that Agent has answered', async () => {
    const { id, taskId } = await calling('ask', 'help')
    expect(stateOf(await task(desk, taskId))).toBe('WORKING')
    const following = Array.fromAsync(desk.resubscribeTask({ tenant: '', id: taskId }))
    await help(id)
    const last = (await following).at(-1)?.payload
    expect(last).toMatchObject({ $case: 'statusUpdate' })
    const asking = await task(desk, taskId)
    expect([stateOf(asking), askedIn(asking)]).toMatchObject(['INPUT_REQUIRED', [{ toolName: 'ask' }]])
    expect(stateOf(await send(desk, 'Yes', { taskId }))).toBe('COMPLETED')
    expect(await stepOf(id, 'help')).toMatchObject({ status: 'completed', output: 'Helped' })
  })
})
