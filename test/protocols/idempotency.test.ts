/** A request that begins a turn is repeated with its Idempotency-Key. Source: contract 0, "Idempotency-Key"; `docs/protocols.md`. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { data, type Loose } from '../support/world/replies.ts'
import { openWorld, type World } from './world.ts'

interface Asked {
  path: string
  body: Loose
}

const assistant = 'agt_system_assistant'
let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

async function send({ path, body }: Asked, key: string = crypto.randomUUID()) {
  const answer = await fetch(`${world.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  return {
    status: answer.status,
    runId: answer.headers.get('x-troupe-run') ?? '',
    isReplayed: answer.headers.get('idempotency-replayed') === 'true',
    text,
    json: () => JSON.parse(text) as Loose,
  }
}
const turnOf = async (runId: string): Promise<number> =>
  (await data<{ turn: number }>(world.owner.get(`/api/v1/agent-runs/${runId}`))).turn

const asks = '/call ask {"question":"Which size?"}\n/say Thanks'
const refunds = '/call refund {}\n/say Refunded'

const responses = (input: unknown, changes: object = {}): Asked => ({
  path: '/openai/v1/responses',
  body: { model: assistant, input, ...changes },
})
const completions = (messages: object[]): Asked => ({
  path: '/openai/v1/chat/completions',
  body: { model: world.address, messages },
})
const chat = (agent: string, id: string, ...messages: object[]): Asked => ({
  path: `/ai-sdk/chat/${agent}`,
  body: { id, messages },
})
const ui = (role: string, ...parts: (string | object)[]) => ({
  id: crypto.randomUUID(),
  role,
  parts: parts.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part)),
})
const agUi = (agent: string, threadId: string, messages: object[], others: object = {}): Asked => ({
  path: `/ag-ui/${agent}`,
  body: { threadId, runId: 'run', messages: messages.map((message, id) => ({ id: `${id}`, ...message })), ...others },
})
const a2a = (agent: string, part: object, about: object = {}, method = 'SendMessage'): Asked => ({
  path: `/a2a/${agent}`,
  body: {
    jsonrpc: '2.0',
    id: 1,
    method,
    params: { message: { messageId: '1', role: 'ROLE_USER', parts: [part], ...about } },
  },
})

const history = [
  { role: 'user', content: 'My name is Ada.' },
  { role: 'assistant', content: 'Hello.' },
]
const newId = () => crypto.randomUUID()
/** The only pending approval. */
async function approvalId(): Promise<string> {
  const path = `${world.home.path}/operation-approvals`
  const { items } = await data<{ items: { id: string }[] }>(world.owner.get(path, { query: { status: 'pending' } }))
  expect(items).toHaveLength(1)
  return items[0]!.id
}

/** Each prepares a conversation and returns the request for its next turn, and the word that the turn says. */
const requests: [string, () => Promise<Asked>, string][] = [
  ['a first response', async () => responses('/say one'), 'one'],
  [
    'a response after another',
    async () => responses('/say two', { previous_response_id: (await send(responses('/say one'))).json().id }),
    'two',
  ],
  [
    'a response with the output of a call',
    async () => {
      const model = world.address
      const waiting = (await send(responses(asks, { model }))).json()
      const output = { type: 'function_call_output', call_id: waiting.output[0].call_id, output: '42' }
      return responses([output], { model, previous_response_id: waiting.id })
    },
    'Thanks',
  ],
  [
    'a chat completion with the output of a call',
    async () => {
      const question = { role: 'user', content: asks }
      const { message } = (await send(completions([question]))).json().choices[0]
      const output = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: '42' }
      return completions([question, message, output])
    },
    'Thanks',
  ],
  [
    'the first message of a chat of the AI SDK that has earlier ones',
    async () =>
      chat(assistant, newId(), ui('user', 'My name is Ada.'), ui('assistant', 'Hello.'), ui('user', '/say one')),
    'one',
  ],
  [
    'an answer in a chat of the AI SDK',
    async () => {
      const id = newId()
      const question = ui('user', asks)
      await send(chat(world.address, id, question))
      const answered = { type: 'tool-ask', toolCallId: 'call_1', state: 'output-available', input: {}, output: 42 }
      return chat(world.address, id, question, ui('assistant', answered))
    },
    'Thanks',
  ],
  [
    'a decision in a chat of the AI SDK',
    async () => {
      const id = newId()
      const question = ui('user', refunds)
      await send(chat(world.address, id, question))
      const approval = { id: await approvalId(), approved: true }
      const decided = { type: 'tool-refund', toolCallId: 'call_1', state: 'approval-responded', input: {}, approval }
      return chat(world.address, id, question, ui('assistant', decided))
    },
    'Refunded',
  ],
  [
    'the first message of a thread of AG-UI that has earlier ones',
    async () => agUi(assistant, newId(), [...history, { role: 'user', content: '/say one' }]),
    'one',
  ],
  [
    'an answer in a thread of AG-UI',
    async () => {
      const id = newId()
      const question = { role: 'user', content: asks }
      await send(agUi(world.address, id, [question]))
      return agUi(world.address, id, [question, { role: 'tool', toolCallId: 'call_1', content: '42' }])
    },
    'Thanks',
  ],
  [
    'a decision in a thread of AG-UI',
    async () => {
      const id = newId()
      const question = { role: 'user', content: refunds }
      await send(agUi(world.address, id, [question]))
      const interruptId = await approvalId()
      const resume = [{ interruptId, status: 'resolved', payload: { approved: true } }]
      return agUi(world.address, id, [question], { resume })
    },
    'Refunded',
  ],
  ['a message of A2A without a context', async () => a2a(assistant, { text: '/say one' }), 'one'],
  ...['SendMessage', 'SendStreamingMessage'].map((method): [string, () => Promise<Asked>, string] => [
    `an answer to a task of A2A, by ${method}`,
    async () => {
      const { id } = (await send(a2a(world.address, { text: asks }))).json().result.task
      return a2a(world.address, { data: { size: 42 } }, { taskId: id }, method)
    },
    'Thanks',
  ]),
  [
    'a decision on a task of A2A',
    async () => {
      const { id } = (await send(a2a(world.address, { text: refunds }))).json().result.task
      return a2a(world.address, { data: { approved: true } }, { taskId: id })
    },
    'Refunded',
  ],
]

/** Without the values that differ between two streams of one turn, and without the comments of a pause. */
const comparable = (text: string) =>
  text.replaceAll(/"(?:timestamp|created_at|created)":[^,}]+/g, '').replaceAll(': keep-alive\n\n', '')

describe('a repeated request', () => {
  test.each(requests)('gets the first answer, and begins nothing: %s', async (_, prepare, says) => {
    const asked = await prepare()
    const key = newId()
    const first = await send(asked, key)
    expect(first).toMatchObject({ status: 200, isReplayed: false })
    expect(first.text).toContain(says)
    const [turn, runs, shopAsked] = [await turnOf(first.runId), world.runs(), world.shop.asked.length]

    const again = await send(asked, key)
    expect(again).toMatchObject({ status: 200, isReplayed: true, runId: first.runId })
    expect(comparable(again.text)).toBe(comparable(first.text))
    expect([await turnOf(first.runId), world.runs(), world.shop.asked.length]).toEqual([turn, runs, shopAsked])

    const other = await send({ ...asked, body: { ...asked.body, ...changed(asked.body) } }, key)
    expect(other.text).toContain('idempotency_key_reused')
  })

  test('waits for the first one, and gets its answer', async () => {
    const asked = chat(
      assistant,
      newId(),
      ui('user', 'My name is Ada.'),
      ui('assistant', 'Hello.'),
      ui('user', '/say one'),
    )
    const key = newId()
    const before = world.runs()
    const all = await Promise.all(Array.from({ length: 5 }, () => send(asked, key)))
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(all.filter(({ isReplayed }) => isReplayed)).toHaveLength(4)
    expect(new Set(all.map(({ runId }) => runId)).size).toBe(1)
    expect([world.runs(), await turnOf(all[0]!.runId)]).toEqual([before + 1, 1])
  })

  test.each<[string, () => Promise<{ waits: Asked; next: Asked; answer: Asked }>]>([
    [
      'AI SDK',
      async () => {
        const [id, question] = [newId(), ui('user', asks)]
        const answered = { type: 'tool-ask', toolCallId: 'call_1', state: 'output-available', input: {}, output: 42 }
        return {
          waits: chat(world.address, id, question),
          next: chat(world.address, id, question, ui('user', '/say next')),
          answer: chat(world.address, id, question, ui('assistant', answered)),
        }
      },
    ],
    [
      'AG-UI',
      async () => {
        const [id, question] = [newId(), { role: 'user', content: asks }]
        return {
          waits: agUi(world.address, id, [question]),
          next: agUi(world.address, id, [question, { role: 'user', content: '/say next' }]),
          answer: agUi(world.address, id, [question, { role: 'tool', toolCallId: 'call_1', content: '42' }]),
        }
      },
    ],
    [
      'A2A',
      async () => {
        const waits = a2a(world.address, { text: asks }, { contextId: newId() })
        const { contextId, id } = (await send(waits, 'waits')).json().result.task
        return {
          waits,
          next: a2a(world.address, { text: '/say next' }, { contextId }),
          answer: a2a(world.address, { data: 42 }, { taskId: id }),
        }
      },
    ],
  ])('is refused as the first one was, also once the run is free: %s', async (_, prepare) => {
    const { waits, next, answer } = await prepare()
    await send(waits, 'waits')
    const key = newId()
    const first = await send(next, key)
    expect(first.text).toContain('run_busy')
    expect(first.text).toContain('wait until it has ended')
    expect(first.text).not.toContain('ifBusy')
    expect((await send(answer)).text).toContain('Thanks')
    const again = await send(next, key)
    expect(again).toMatchObject({ status: first.status, isReplayed: true })
    expect(again.text).toContain('wait until it has ended')
    expect((await send(next)).text).toContain('next')
  })
})

/** Another message of the same form. */
function changed(body: Loose): object {
  if (body.params) return { params: { ...body.params, metadata: { other: true } } }
  return body.input ? { metadata: { other: 'yes' } } : { messages: [...body.messages, body.messages[0]] }
}
