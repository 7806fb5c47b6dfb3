/** Answers that no run waits for, and their errors. Source: `docs/protocols.md`. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { failure } from '../openai/openai-failure.ts'
import { openWorld, type World } from '../world.ts'

const assistant = 'agt_system_assistant'
let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

async function refusal(path: string, body: object) {
  const answer = await fetch(world.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return [answer.status, await answer.text()]
}
const agUi = (agent: string, message: object) =>
  refusal(`/ag-ui/${agent}`, { threadId: 'unknown', runId: 'r', messages: [message] })
const aiSdk = (agent: string, part: object) =>
  refusal(`/ai-sdk/chat/${agent}`, { id: 'unknown', messages: [{ role: 'assistant', parts: [part] }] })
const output = { type: 'tool-ask', toolCallId: 'call_1', state: 'output-available', input: {}, output: 'Blue' }

test('in a conversation without a run', async () => {
  const fault = expect.stringContaining('This conversation has no run that waits for an answer: send a message first.')
  expect(await agUi(assistant, { role: 'tool', toolCallId: 'call_1', content: 'Blue' })).toEqual([404, fault])
  expect(await aiSdk(assistant, output)).toEqual([404, fault])
})

test('to an Agent that is not there', async () => {
  const fault = expect.stringContaining('There is no Agent shop/production/nobody within the reach of the credential')
  expect(await agUi('shop/production/nobody', { role: 'user', content: 'Hi' })).toEqual([404, fault])
  expect(await aiSdk('shop/production/nobody', output)).toEqual([404, fault])
})

test('with the first problem in the message', async () => {
  const [status, said] = await agUi(assistant, { role: 'user', content: 5 })
  expect([status, JSON.parse(said as string)]).toMatchObject([
    422,
    { message: 'The request is not valid. /body/messages/0/content: Must be a text or a list of parts.' },
  ])
})

test('of an OpenAI response with a message after them, or with two for one call', async () => {
  const openai = new OpenAI({ apiKey: world.key, baseURL: `${world.url}/openai/v1`, maxRetries: 0 })
  const query = '/call ask {"question":"Which?"}\n/say Thanks'
  const { id: previous_response_id, output } = await openai.responses.create({ model: world.address, input: query })
  const [call] = output
  if (call?.type !== 'function_call') throw new Error('It has no call.')
  const go = (input: OpenAI.Responses.ResponseInput) =>
    openai.responses.create({ model: world.address, previous_response_id, input })
  const answered = { type: 'function_call_output' as const, call_id: call.call_id, output: 'Blue' }
  expect(await failure(go([answered, { role: 'user', content: 'And quickly.' }]))).toMatchObject({
    status: 400,
    param: 'input',
    message: expect.stringContaining('The outputs of calls are sent alone'),
  })
  expect(await failure(go([answered, { ...answered, output: 'Red' }]))).toMatchObject({
    status: 400,
    message: expect.stringContaining('another output of this call'),
  })
  expect((await go([answered])).output_text).toBe('Thanks')
})
