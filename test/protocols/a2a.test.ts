/** A2A with its official client. Source: contract 12; `docs/protocols.md`. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Message, Role, type StreamResponse, type Task, TaskState } from '@a2a-js/sdk'
import type { Client } from '@a2a-js/sdk/client'
import { eventually } from '../support/process.ts'
import { data } from '../support/world/replies.ts'
import { connect, failure, request, send, stateOf, task } from './a2a-client.ts'
import { openWorld, type World } from './world.ts'

const assistant = 'agt_system_assistant'
let world: World
let client: Client
let desk: Client
beforeAll(async () => {
  world = await openWorld()
  client = await connect(world, assistant)
  desk = await connect(world, world.address)
})
afterAll(() => world?.stop())

const stream = (by: Client, ...asked: Parameters<typeof request>): Promise<StreamResponse[]> =>
  Array.fromAsync(by.sendMessageStream(request(...asked)))
const textOf = ({ artifacts }: Task) =>
  artifacts
    .flatMap(({ parts }) => parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')))
    .join('|')
const settled = (by: Client, id: string) =>
  eventually('the end of a task', async () => {
    const read = await task(by, id)
    return !['SUBMITTED', 'WORKING'].includes(stateOf(read) ?? '') && read
  })

describe('the card', () => {
  test('names the address of the Agent, and requires the key', async () => {
    const card = await desk.getAgentCard()
    expect(card).toMatchObject({
      name: world.agent.name,
      supportedInterfaces: [
        {
          url: expect.stringMatching(new RegExp(`^http://[^/]+/a2a/${world.address}$`)),
          protocolBinding: 'JSONRPC',
          protocolVersion: '1.0',
        },
      ],
      capabilities: { streaming: true },
    })
    await failure(connect(world, assistant, 'trp_wrong'))
    const { status, headers } = await fetch(`${world.url}/a2a/${assistant}/.well-known/agent-card.json`)
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toBe('Bearer')
  })

  test("of an Agent outside the key's scope is 404", async () => {
    const elsewhere = await world.place()
    const bound = await world.newKey(['agent-runs:create', 'agent-runs:stream'], { projectId: elsewhere.projectId })
    await failure(connect(world, world.address, bound))
    await failure(connect(world, 'nobody'))
  })
})

describe('a task', () => {
  test('is a turn of its context', async () => {
    const contextId = 'context 1'
    const first = await send(client, '/say one', { contextId })
    expect([stateOf(first), textOf(first), first.contextId]).toEqual(['COMPLETED', 'one', contextId])
    const second = await send(client, '/say two', { contextId })
    expect([stateOf(second), textOf(second)]).toEqual(['COMPLETED', 'two'])
    expect(second.id).not.toBe(first.id)
    expect(second.metadata).toEqual(first.metadata)
    const { body } = await world.owner.get(`/api/v1/agent-runs/${second.metadata!.agentRunId}`)
    expect(body.data).toMatchObject({ turn: 2, threadKey: `a2a:${contextId}` })
    for (const each of [first, second]) expect(textOf(await task(client, each.id))).toBe(textOf(each))
  })

  test('without a context gets a new one', async () => {
    const [one, other] = [await send(client, '/say one'), await send(client, '/say two')]
    expect(one.contextId).toBeTruthy()
    expect(one.contextId).not.toBe(other.contextId)
  })

  test('is streamed: the task, its texts, its end', async () => {
    const updates = await stream(client, '/say one two\n/call calculator {"expression":"2+3"}\n/say three')
    expect(updates.map(({ payload }) => payload?.$case)).toEqual([
      'task',
      'statusUpdate',
      'artifactUpdate',
      'artifactUpdate',
      'statusUpdate',
    ])
    const texts = updates.flatMap(({ payload }) =>
      payload?.$case === 'artifactUpdate' ? (payload.value.artifact?.parts ?? []) : [],
    )
    expect(texts.map(({ content }) => content?.value)).toEqual(['one two', 'three'])
    const last = updates.at(-1)?.payload
    expect(last).toMatchObject({ value: { status: { state: TaskState.TASK_STATE_COMPLETED } } })
  })

  test('is answered at once if the client does not wait', async () => {
    const begun = await send(client, '/sleep 200\n/say late', {}, { returnImmediately: true, acceptedOutputModes: [] })
    expect(['SUBMITTED', 'WORKING']).toContain(stateOf(begun) as string)
    const done = await settled(client, begun.id)
    expect([stateOf(done), textOf(done)]).toEqual(['COMPLETED', 'late'])
  })

  test('accepts attachments', async () => {
    const asked = request('/say read')
    const file = { raw: Buffer.from('Some text').toString('base64'), mediaType: 'text/plain', filename: 'a.txt' }
    asked.message = Message.fromJSON({
      ...(Message.toJSON(asked.message) as object),
      parts: [{ text: '/say read' }, file],
    })
    expect(textOf((await client.sendMessage(asked)) as Task)).toBe('read')
  })

  test('fails with its run, and the context continues', async () => {
    const failed = await send(client, '/fail of no use', { contextId: 'fails' })
    expect(stateOf(failed)).toBe('FAILED')
    const [part] = failed.status?.message?.parts ?? []
    expect(part?.content?.value).toContain('of no use')
    expect(textOf(await send(client, '/say better', { contextId: 'fails' }))).toBe('better')
  })

  test('is canceled, once', async () => {
    const { id } = await send(client, '/say a\n/sleep 60000', {}, { returnImmediately: true, acceptedOutputModes: [] })
    await client.cancelTask({ tenant: '', id, metadata: undefined })
    expect(stateOf(await settled(client, id))).toBe('CANCELED')
    await failure(client.cancelTask({ tenant: '', id, metadata: undefined }))
  })

  test('can be followed later, while it runs', async () => {
    const begun = await send(
      client,
      '/say one\n/sleep 3000\n/say two',
      {},
      { returnImmediately: true, acceptedOutputModes: [] },
    )
    await eventually('the first word', async () => textOf(await task(client, begun.id)) !== '')
    const updates = await Array.fromAsync(client.resubscribeTask({ tenant: '', id: begun.id }))
    expect(updates[0]?.payload).toMatchObject({ $case: 'task', value: { id: begun.id } })
    expect(updates.at(-1)?.payload).toMatchObject({ value: { status: { state: TaskState.TASK_STATE_COMPLETED } } })
    // a client adds the words to those that it has got with the task
    expect(updates.flatMap(({ payload }) => (payload?.$case === 'artifactUpdate' ? payload.value.append : []))).toEqual(
      [true],
    )
    expect(textOf(await task(client, begun.id))).toBe('one two')
    await failure(Array.fromAsync(client.resubscribeTask({ tenant: '', id: begun.id })))
  })
})

describe('a waiting task', () => {
  test('is answered, and continues as the same task', async () => {
    const asked = await send(desk, '/say Well\n/call ask {"question":"Which size?"}\n/say Thanks')
    expect(stateOf(asked)).toBe('INPUT_REQUIRED')
    expect(asked.status?.message?.role).toBe(Role.ROLE_AGENT)
    expect(asked.status?.message?.parts[0]?.content?.value).toBe('ask {"question":"Which size?"}')
    const done = await send(desk, { data: { size: 42 } }, { taskId: asked.id, contextId: asked.contextId })
    expect([done.id, stateOf(done), textOf(done)]).toEqual([asked.id, 'COMPLETED', 'Well|Thanks'])
    const steps = (await world.steps(done.metadata!.agentRunId)).filter(({ kind }) => kind === 'tool')
    expect(steps).toMatchObject([{ output: { size: 42 } }])
    expect(textOf(await send(desk, '/say next', { contextId: asked.contextId }))).toBe('next')
  })

  test('is reported in a stream', async () => {
    const updates = await stream(desk, '/call ask {}\n/say Thanks')
    const last = updates.at(-1)?.payload
    expect(last).toMatchObject({ value: { status: { state: TaskState.TASK_STATE_INPUT_REQUIRED } } })
  })

  test('has the time at which the status began, in a stream and whenever it is read', async () => {
    const updates = await stream(desk, '/sleep 50\n/call ask {}\n/say Thanks\n/sleep 60000')
    const asking = updates.at(-1)?.payload
    if (asking?.$case !== 'statusUpdate') throw new Error('It has no status.')
    const { taskId, status } = asking.value
    const [, id] = taskId.split('_')
    const run = `/api/v1/agent-runs/run_${id}`
    const timeOf = async (wanted: string) => {
      const { items } = await data<{ items: { event: string; at: string }[] }>(world.owner.get(`${run}/transitions`))
      return items.find(({ event }) => event === wanted)?.at
    }
    const asked = await timeOf('toolResultNeeded')
    expect([status?.timestamp, (await task(desk, taskId)).status?.timestamp]).toEqual([asked, asked])
    const { body } = await world.owner.post(`${run}/continue`, { query: 'Yes' })
    await eventually('the next step', async () => (await world.owner.get(run)).body.data.state === 'running')
    await eventually('its text', async () => textOf(await task(desk, taskId)).includes('Thanks'))
    const working = await task(desk, taskId)
    expect([stateOf(working), working.status?.timestamp]).toEqual(['WORKING', await timeOf('continue')])
    expect((await world.owner.get(run)).body.data.updatedAt).not.toBe(body.data.updatedAt)
    await world.owner.post(`${run}/cancel`)
  })

  test('for an approval continues when it is approved, or tells the model that it was rejected', async () => {
    const before = world.shop.asked.length
    const [given, refused] = [
      await send(desk, '/call refund {}\n/say Done'),
      await send(desk, '/call refund {}\n/say Done'),
    ]
    expect(stateOf(given)).toBe('INPUT_REQUIRED')
    const approved = await send(desk, { data: { approved: true } }, { taskId: given.id })
    expect([stateOf(approved), textOf(approved)]).toEqual(['COMPLETED', 'Done'])
    const rejected = await send(desk, { data: { approved: false, reason: 'Too much.' } }, { taskId: refused.id })
    expect(stateOf(rejected)).toBe('COMPLETED')
    expect(world.shop.asked).toHaveLength(before + 1)
  })

  test('for an approval requires a decision, and the permission for it', async () => {
    const key = await world.newKey(['agent-runs:create', 'agent-runs:stream', 'agent-runs:continue'])
    const weak = await connect(world, world.address, key)
    const asked = await send(weak, '/call refund {}\n/say Done')
    expect((await failure(send(weak, 'yes', { taskId: asked.id }))).message).toContain('not valid')
    await failure(send(weak, { data: { approved: true } }, { taskId: asked.id }))
    expect(stateOf(await task(weak, asked.id))).toBe('INPUT_REQUIRED')
    await world.decide('reject')
  })

  test('blocks its context', async () => {
    const { contextId } = await send(desk, '/call ask {}\n/say Thanks')
    expect((await failure(send(desk, '/say else', { contextId }))).message).toContain('awaitingToolResult')
  })
})

test('fifty concurrent tasks are each answered', async () => {
  const texts = Array.from({ length: 50 }, (_, index) => `answer ${index}`)
  const tasks = await Promise.all(texts.map((text) => send(client, `/say ${text}`)))
  expect(tasks.map(textOf)).toEqual(texts)
})
