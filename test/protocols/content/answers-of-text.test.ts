/** Answers to calls are text or data: what would be lost is refused, and the run still waits. Source: `docs/protocols.md`. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { data, type Loose } from '../../support/world/replies.ts'
import { openWorld, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const query = '/call ask {"question":"Which?"}\n/say Thanks'
const image = 'data:image/png;base64,iVBORw0KGgo='

async function send(path: string, body: object) {
  const answer = await fetch(world.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { runId: answer.headers.get('x-troupe-run') as string, said: await answer.text() }
}

/** A conversation whose run waits, and how its client answers. */
interface Asking {
  runId: string
  answer(given: unknown): Promise<{ said: string }>
}

const protocols: Record<string, () => Promise<Asking>> = {
  async A2A() {
    const by = (message: object) =>
      send(`/a2a/${world.address}`, { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } })
    const { runId, said } = await by({ parts: [{ text: query }] })
    const { id: taskId } = (JSON.parse(said) as Loose).result.task
    return { runId, answer: (given) => by({ taskId, parts: given as object[] }) }
  },
  async 'AG-UI'() {
    const threadId = crypto.randomUUID()
    const by = (...messages: object[]) => send(`/ag-ui/${world.address}`, { threadId, runId: 'r', messages })
    const asked = { role: 'user', content: query }
    const { runId } = await by(asked)
    return { runId, answer: (content) => by(asked, { role: 'tool', toolCallId: 'call_1', content }) }
  },
  async 'chat completions'() {
    const by = (...messages: object[]) => send('/openai/v1/chat/completions', { model: world.address, messages })
    const asked = { role: 'user', content: query }
    const { runId, said } = await by(asked)
    const { message } = (JSON.parse(said) as Loose).choices[0]
    const { id: tool_call_id } = message.tool_calls[0]
    return { runId, answer: (content) => by(asked, message, { role: 'tool', tool_call_id, content }) }
  },
  async responses() {
    const by = (input: unknown, previous: object = {}) =>
      send('/openai/v1/responses', { model: world.address, input, ...previous })
    const { runId, said } = await by(query)
    const { id, output } = JSON.parse(said) as Loose
    const { call_id } = output[0]
    return {
      runId,
      answer: (given) => by([{ type: 'function_call_output', call_id, output: given }], { previous_response_id: id }),
    }
  },
}

const file = { raw: 'AAAA', mediaType: 'image/png' }
test.each([
  ['A2A', [file], '/body/params/message/parts/0: An answer is data or text'],
  ['A2A', [{ text: 'See' }, file], '/body/params/message/parts/1: An answer is data or text'],
  ['A2A', [{}], '/body/params/message/parts/0: An answer is data or text'],
  ['A2A', [{ data: 1 }, { data: 2 }], '/body/params/message/parts/1: An answer has one part of data.'],
  ['AG-UI', [{ type: 'image', source: { type: 'data', value: image } }], 'The output of a tool is text'],
  ['chat completions', [{ type: 'image_url', image_url: { url: image } }], 'The output of a call is text'],
  ['responses', [{ type: 'input_image', image_url: image }], 'The output of a call is text'],
])('%s: %j', async (protocol, given, fault) => {
  const { runId, answer } = await protocols[protocol]!()
  expect((await answer(given)).said).toContain(fault)
  const { state } = await data<{ state: string }>(world.owner.get(`/api/v1/agent-runs/${runId}`))
  expect(state).toBe('awaitingToolResult')
  const text = protocol === 'A2A' ? [{ text: 'Blue' }] : 'Blue'
  expect((await answer(text)).said).toContain('Thanks')
  expect((await world.called(runId)).output).toBe('Blue')
})

test('A2A: null is data', async () => {
  const { runId, answer } = await protocols.A2A!()
  expect((await answer([{ data: null }])).said).toContain('Thanks')
  expect((await world.called(runId)).output).toBeNull()
})

test('chat completions: outputs of earlier calls are not read again', async () => {
  const { said } = await send('/openai/v1/chat/completions', {
    model: world.address,
    messages: [
      { role: 'user', content: query },
      { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'image_url', image_url: { url: image } }] },
      { role: 'assistant', content: 'Thanks' },
      { role: 'user', content: '/say next' },
    ],
  })
  expect(said).toContain('"next"')
})
