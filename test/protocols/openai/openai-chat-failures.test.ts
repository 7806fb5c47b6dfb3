/** Failures of chat completions, as the clients of OpenAI expect them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { openWorld, type World } from '../world.ts'
import { failure } from './openai-failure.ts'

const assistant = 'agt_system_assistant'
let world: World
let openai: OpenAI
const clientOf = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${world.url}/openai/v1`, maxRetries: 0 })
beforeAll(async () => {
  world = await openWorld()
  openai = clientOf(world.key)
})
afterAll(() => world?.stop())

const complete = (content: string, changes: object = {}) =>
  openai.chat.completions.create({ model: assistant, messages: [{ role: 'user', content }], ...changes })

describe('failures', () => {
  test('are 502 when the run fails, and are not retried', async () => {
    const before = world.runs()
    const patient = new OpenAI({ apiKey: world.key, baseURL: `${world.url}/openai/v1`, maxRetries: 2 })
    const failed = await failure(
      patient.chat.completions.create({ model: assistant, messages: [{ role: 'user', content: '/fail of no use' }] }),
    )
    expect(failed).toMatchObject({ status: 502, code: 'run_failed', type: 'server_error' })
    expect(failed.message).toContain('of no use')
    expect(world.runs()).toBe(before + 1)
  })

  test('are error chunks in a stream', async () => {
    const stream = await openai.chat.completions.create({
      model: assistant,
      stream: true,
      messages: [{ role: 'user', content: '/say so far\n/fail of no use' }],
    })
    expect(await failure(Array.fromAsync(stream))).toMatchObject({ code: 'run_failed' })
  })

  test('are 502 when the run is canceled', async () => {
    const { data: asked, response } = await openai.chat.completions
      .create({ model: assistant, stream: true, messages: [{ role: 'user', content: '/say a\n/sleep 60000' }] })
      .withResponse()
    const reading = failure(Array.fromAsync(asked))
    const runId = response.headers.get('x-troupe-run')
    expect((await world.owner.post(`/api/v1/agent-runs/${runId}/cancel`)).status).toBe(200)
    expect(await reading).toMatchObject({ code: 'run_canceled' })
  })

  test('follow the order of checks, in the error shape of the protocol', async () => {
    const wrong = { model: assistant, messages: [{ role: 'user', content: 'x' }] } as const
    const without = failure(clientOf('trp_wrong').chat.completions.create({ ...wrong, messages: [...wrong.messages] }))
    expect(await without).toMatchObject({ status: 401, type: 'authentication_error', code: 'invalid_api_key' })
    const reader = clientOf(await world.newKey(['agent-runs:get']))
    const forbidden = failure(reader.chat.completions.create({ ...wrong, messages: [...wrong.messages] }))
    expect(await forbidden).toMatchObject({ status: 403, type: 'permission_error', code: 'permission_denied' })
    // no run starts that the client may not watch
    const before = world.runs()
    const blind = clientOf(await world.newKey(['agent-runs:create']))
    const unseen = failure(blind.chat.completions.create({ ...wrong, messages: [...wrong.messages] }))
    expect(await unseen).toMatchObject({ status: 403, code: 'permission_denied' })
    expect(world.runs()).toBe(before)
  })

  const table: [string, object, string, string | null][] = [
    [
      'a response schema of its own',
      { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } } },
      'unsupported_parameter',
      'response_format',
    ],
    ['a grammar', { response_format: { type: 'grammar', grammar: 'x' } }, 'unsupported_parameter', 'response_format'],
    [
      'a system message',
      { messages: [{ role: 'system', content: 'Be brief.' }] },
      'unsupported_parameter',
      'messages[0]',
    ],
    ['an answer in JSON', { response_format: { type: 'json_object' } }, 'unsupported_parameter', 'response_format'],
    ['several choices', { n: 2 }, 'unsupported_parameter', 'n'],
    ['a forced tool', { tool_choice: 'required' }, 'unsupported_parameter', 'tool_choice'],
    ['audio', { modalities: ['audio'] }, 'unsupported_parameter', 'modalities'],
    ['no message', { messages: [] }, 'validation_failed', 'messages'],
    [
      'a final answer of the assistant',
      { messages: [{ role: 'assistant', content: 'x' }] },
      'validation_failed',
      'messages',
    ],
    ['an empty message', { messages: [{ role: 'user', content: ' ' }] }, 'empty_input', null],
    ['no model', { model: undefined }, 'validation_failed', 'model'],
    ['an invalid effort', { reasoning_effort: 'extreme' }, 'unsupported_parameter', 'reasoning_effort'],
    ['metadata that is a string', { metadata: 'x' }, 'validation_failed', 'metadata'],
    [
      'an endless conversation',
      { messages: Array(300).fill({ role: 'user', content: 'x' }) },
      'validation_failed',
      'messages',
    ],
  ]
  test.each(table)('%s is refused, and starts nothing', async (_, changes, code, param) => {
    const before = world.runs()
    const refused = await failure(complete('x', changes))
    expect(refused).toMatchObject({ status: 400, code, param, type: 'invalid_request_error' })
    expect(world.runs()).toBe(before)
  })

  test('settings that the revision decides are ignored', async () => {
    const answer = await complete('/say fine', { temperature: 0.1, max_tokens: 5, user: 'ada', seed: 1, n: 1 })
    expect(answer.choices[0]?.message.content).toBe('fine')
  })
})
