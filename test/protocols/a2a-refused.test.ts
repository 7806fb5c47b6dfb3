/** Requests of A2A clients that are refused. Source: contract 12, "A2A". */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Client } from '@a2a-js/sdk/client'
import { connect, failure, send, stateOf, task } from './a2a-client.ts'
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

describe('refused requests', () => {
  const post = async (body: string, headers: Record<string, string> = {}, address = assistant) => {
    const answer = await fetch(`${world.url}/a2a/${address}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json', ...headers },
      body,
    })
    return {
      status: answer.status,
      ...((await answer.json()) as { id: unknown; error: { code: number; message: string } }),
    }
  }
  const call = (body: object, headers?: Record<string, string>, address?: string) =>
    post(JSON.stringify({ jsonrpc: '2.0', id: 7, ...body }), headers, address)
  const message = { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'x' }] }
  const table: [string, object, number][] = [
    ['an unknown method', { method: 'Nothing' }, -32_601],
    ['a method of the previous version', { method: 'message/send', params: { message } }, -32_601],
    ...['Create', 'Get', 'Delete'].map((verb): [string, object, number] => [
      `push notifications: ${verb}`,
      { method: `${verb}TaskPushNotificationConfig` },
      -32_003,
    ]),
    ['push notifications: List', { method: 'ListTaskPushNotificationConfigs' }, -32_003],
    [
      'a message whose changes are to be pushed',
      {
        method: 'SendMessage',
        params: { message, configuration: { taskPushNotificationConfig: { url: 'https://x' } } },
      },
      -32_003,
    ],
    ['a list of tasks', { method: 'ListTasks' }, -32_004],
    ['an extended card', { method: 'GetExtendedAgentCard' }, -32_004],
    ['no message', { method: 'SendMessage' }, -32_602],
    ['a message without parts', { method: 'SendMessage', params: { message: { ...message, parts: [] } } }, -32_602],
    ['an empty text', { method: 'SendMessage', params: { message: { ...message, parts: [{ text: ' ' }] } } }, -32_602],
    [
      'an address',
      { method: 'SendMessage', params: { message: { ...message, parts: [{ url: 'http://127.0.0.1/x' }] } } },
      -32_602,
    ],
    ['an unknown task', { method: 'GetTask', params: { id: 'task_01h455vb4pex5vsknk084sn02q_1' } }, -32_001],
    ['an invalid task id', { method: 'CancelTask', params: { id: 'x' } }, -32_001],
    [
      'an answer to an unknown task',
      { method: 'SendMessage', params: { message: { ...message, taskId: 'x' } } },
      -32_001,
    ],
  ]
  test.each(table)('%s', async (_, body, code) => {
    const before = world.runs()
    expect(await call(body)).toMatchObject({ status: 200, id: 7, error: { code } })
    expect(world.runs()).toBe(before)
  })

  test('another version', async () => {
    expect(await call({ method: 'GetTask', params: { id: 'x' } }, { 'a2a-version': '0.3' })).toMatchObject({
      error: { code: -32_009 },
    })
  })

  test('a method of A2A 0.3, with advice: its clients send no version', async () => {
    for (const method of ['message/send', 'tasks/get']) {
      expect(await call({ method, params: {} })).toMatchObject({
        error: { message: `There is no method ${method}. It is of A2A 0.3: use a client of A2A 1.0.` },
      })
    }
  })

  test('a task of another Agent', async () => {
    const { id } = await send(desk, '/say one')
    expect(await call({ method: 'GetTask', params: { id } })).toMatchObject({ error: { code: -32_001 } })
  })

  test('a message to a completed task', async () => {
    const { id } = await send(client, '/say one')
    await failure(send(client, 'more', { taskId: id }))
    const more = { method: 'SendMessage', params: { message: { ...message, taskId: id } } }
    expect(await call(more)).toMatchObject({ error: { code: -32_004, message: 'The task has ended.' } })
  })

  test('an answer to a task in another context', async () => {
    const { id } = await send(desk, '/call ask {}')
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }], taskId: id, contextId: 'other' }
    const answer = await call({ method: 'SendMessage', params: { message } }, {}, world.address)
    expect(answer).toMatchObject({ status: 200, id: 7, error: { code: -32_602 } })
    expect(stateOf(await task(desk, id))).toBe('INPUT_REQUIRED')
  })

  test.each([
    ['malformed JSON', '{"jsonrpc":', -32_700],
    ['a list', '[]', -32_600],
    ['no method', '{"jsonrpc":"2.0","id":7}', -32_600],
    ['a list of params', '{"jsonrpc":"2.0","id":7,"method":"GetTask","params":[]}', -32_602],
  ])('%s', async (_, body, code) => {
    expect(await post(body)).toMatchObject({ id: null, error: { code } })
  })

  test('an Agent that the active Deployment lacks, which is no missing task', async () => {
    const address = world.address.replace(/[^/]+$/, 'nobody')
    expect(await call({ method: 'GetTask', params: { id: 'x' } }, {}, address)).toMatchObject({
      status: 404,
      id: null,
      error: { code: -32_600, message: expect.stringContaining(`There is no Agent ${address}`) },
    })
  })

  test('the first problem, for clients that show only the message', async () => {
    const contextId = 'x'.repeat(125)
    const { message: shown } = await failure(send(client, 'x', { contextId }))
    expect(shown).toContain('/body/params/message/contextId: Must have 1 to 124 printable characters.')
  })

  test('a wrong key, as a JSON-RPC error', async () => {
    expect(await call({ method: 'GetTask' }, { authorization: 'Bearer trp_wrong' })).toMatchObject({
      status: 401,
      id: null,
      error: { data: { code: 'invalid_api_key' } },
    })
  })
})
