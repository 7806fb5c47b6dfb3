/** Chat completions with OpenAI's own client. Source: contract 12; `docs/protocols.md`. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { eventually } from '../../support/process.ts'
import { newOrganization } from '../../support/world/organizations.ts'
import { openWorld, type World } from '../world.ts'
import { failure } from './openai-failure.ts'

type Messages = OpenAI.Chat.ChatCompletionMessageParam[]

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

describe('models', () => {
  test("are the Agents within the key's scope, by address", async () => {
    const ids = (await Array.fromAsync(await openai.models.list())).map(({ id }) => id)
    expect(ids).toEqual([assistant, 'agt_system_summarizer', world.address])
    expect(await openai.models.retrieve(world.address)).toMatchObject({ id: world.address, object: 'model' })
  })

  test('outside the scope of a key are missing', async () => {
    const elsewhere = await world.place()
    const bound = clientOf(
      await world.newKey(['agent-runs:create', 'agent-runs:stream'], { projectId: elsewhere.projectId }),
    )
    expect(await Array.fromAsync(await bound.models.list())).toEqual([])
    for (const model of [world.address, assistant]) {
      expect(await failure(bound.models.retrieve(model))).toMatchObject({ status: 404, code: 'model_not_found' })
      const asked = bound.chat.completions.create({ model, messages: [{ role: 'user', content: 'Hi' }] })
      expect(await failure(asked)).toMatchObject({ status: 404, code: 'model_not_found', param: 'model' })
    }
  })

  test('have short ids for a key that is bound to their Environment', async () => {
    const { environmentId, projectId } = world.home
    const secret = await world.newKey(['agent-runs:create', 'agent-runs:stream'], { projectId, environmentId })
    const bound = clientOf(secret)
    expect(await bound.models.retrieve(world.agent.agentId)).toMatchObject({ id: world.address })
    expect(await failure(openai.models.retrieve(world.agent.agentId))).toMatchObject({ status: 404 })
  })

  test('of other organizations are missing', async () => {
    const foreign = clientOf((await newOrganization(world)).key)
    expect((await Array.fromAsync(await foreign.models.list())).map(({ id }) => id)).not.toContain(world.address)
    expect(await failure(foreign.models.retrieve(world.address))).toMatchObject({ status: 404 })
  })
})

describe('a completion', () => {
  test('is the answer of a run, with its usage', async () => {
    const { data, response } = await complete('/say Hello there').withResponse()
    expect(data).toMatchObject({
      object: 'chat.completion',
      model: assistant,
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello there' }, finish_reason: 'stop' }],
    })
    const { usage } = data
    expect(usage?.completion_tokens).toBe(2)
    expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + 2)
    const runId = response.headers.get('x-troupe-run') as string
    expect((await world.owner.get(`/api/v1/agent-runs/${runId}`)).body.data).toMatchObject({
      state: 'completed',
      turn: 1,
    })
  })

  test('comes in chunks with the same content', async () => {
    const chunks = await Array.fromAsync(
      (await complete('/say one\n/call calculator {"expression":"2+3"}\n/say two', {
        stream: true,
        stream_options: { include_usage: true },
      })) as unknown as AsyncIterable<OpenAI.Chat.ChatCompletionChunk>,
    )
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('one\n\ntwo')
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop')
    expect(chunks.at(-1)?.usage?.completion_tokens).toBe(2)
    const whole = await complete('/say one\n/call calculator {"expression":"2+3"}\n/say two')
    expect(whole.choices[0]?.message.content).toBe('one\n\ntwo')
  })

  test('includes the conversation of its request', async () => {
    const messages: Messages = [
      { role: 'user', content: 'My name is Ada.' },
      { role: 'assistant', content: 'Hello Ada.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '/say' },
          { type: 'text', text: 'hello again' },
        ],
      },
    ]
    const { data, response } = await openai.chat.completions.create({ model: assistant, messages }).withResponse()
    expect(data.choices[0]?.finish_reason).toBe('stop')
    const runId = response.headers.get('x-troupe-run') as string
    const [stored] = world.rows<{ body: string }>('select body from run_inputs where run_id = ?', runId)
    expect(JSON.parse(stored!.body)).toMatchObject({
      query: '/say\n\nhello again',
      history: [
        { role: 'user', content: 'My name is Ada.' },
        { role: 'assistant', content: 'Hello Ada.' },
      ],
    })
  })

  test('accepts images and files as data URLs, and fetches none', async () => {
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    const withImage = (url: string): Messages => [
      {
        role: 'user',
        content: [
          { type: 'text', text: '/say seen' },
          { type: 'image_url', image_url: { url } },
        ],
      },
    ]
    const taken = await openai.chat.completions.create({
      model: assistant,
      messages: withImage(`data:image/png;base64,${pixel}`),
    })
    expect(taken.choices[0]?.message.content).toBe('seen')
    const fetched = openai.chat.completions.create({ model: assistant, messages: withImage('http://127.0.0.1/x.png') })
    expect(await failure(fetched)).toMatchObject({
      status: 400,
      code: 'validation_failed',
      param: 'messages[0].content[1].image_url.url',
    })
  })

  test('repeats nothing when an attempt is repeated', async () => {
    const stream = await openai.chat.completions.create({
      model: assistant,
      stream: true,
      messages: [{ role: 'user', content: '/say one two three\n/flaky 1\n/say four' }],
    })
    const chunks = await Array.fromAsync(stream)
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('one two three four')
  })

  test('passes the metadata to operations, and counts as a run of the credential', async () => {
    const { response } = await complete('/say x', {
      metadata: { customer: 'c-1' },
      reasoning_effort: 'low',
    }).withResponse()
    const runId = response.headers.get('x-troupe-run') as string
    expect(world.rows('select body from run_contexts where run_id = ?', runId)).toEqual([
      { body: JSON.stringify({ customer: 'c-1' }) },
    ])
  })
})

test.each([
  ['none', 0],
  ['minimal', 0],
  ['medium', 'medium'],
  ['xhigh', 'high'],
])('the effort %s is the reasoning budget %p', async (effort, budget) => {
  const { response } = await complete('/say x', { reasoning_effort: effort }).withResponse()
  const runId = response.headers.get('x-troupe-run') as string
  const [run] = world.rows<{ binding: string }>('select binding from runs where id = ?', runId)
  expect(JSON.parse(run!.binding)).toMatchObject({ reasoningBudget: budget })
})

describe('a tool of the client', () => {
  const asked = '/call ask {"question":"Which size?"}\n/say Thanks'
  const tools = [{ type: 'function' as const, function: { name: 'ask', parameters: {} } }]
  const first: Messages = [{ role: 'user', content: asked }]
  const ask = () => openai.chat.completions.create({ model: world.address, messages: first, tools })

  test('is called, and its output continues the run', async () => {
    const { data: waiting, response } = await ask().withResponse()
    const [choice] = waiting.choices
    expect(choice).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } })
    const [call] = choice!.message.tool_calls!
    expect(call).toMatchObject({ type: 'function', function: { name: 'ask', arguments: '{"question":"Which size?"}' } })
    const answered: Messages = [...first, choice!.message, { role: 'tool', tool_call_id: call!.id, content: '42' }]
    const { data: done, response: later } = await openai.chat.completions
      .create({ model: world.address, messages: answered })
      .withResponse()
    expect(done.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'Thanks' } })
    expect(later.headers.get('x-troupe-run')).toBe(response.headers.get('x-troupe-run'))
    // again: it no longer waits
    const again = openai.chat.completions.create({ model: world.address, messages: answered })
    expect(await failure(again)).toMatchObject({ status: 400, param: 'messages[2].tool_call_id' })
    // and the conversation continues from there
    const further: Messages = [...answered, done.choices[0]!.message, { role: 'user', content: '/say more' }]
    const next = await openai.chat.completions.create({ model: world.address, messages: further })
    expect(next.choices[0]?.message.content).toBe('more')
  })

  test('is called in a stream', async () => {
    const runner = openai.chat.completions.stream({ model: world.address, messages: first })
    const { choices } = await runner.finalChatCompletion()
    expect(choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { tool_calls: [{ function: { name: 'ask' } }] },
    })
  })

  test("must not have the name of one of the Agent's tools", async () => {
    const foreign = [{ type: 'function' as const, function: { name: 'weather' } }]
    const refused = await failure(
      openai.chat.completions.create({ model: world.address, messages: first, tools: foreign }),
    )
    expect(refused).toMatchObject({ status: 400, code: 'unsupported_parameter', param: 'tools[0]' })
    expect(refused.message).toContain('It has ask, choose.')
  })

  test('of another run, or of none, is refused', async () => {
    const { choices } = await ask()
    const { id } = choices[0]!.message.tool_calls![0]!
    for (const [model, tool_call_id] of [
      [assistant, id],
      [world.address, 'call_1'],
      [world.address, `${id}x`],
      [world.address, id.replace(/_[0-9a-z]{26}_/, '_01h455vb4pex5vsknk084sn02q_')],
    ] as const) {
      const messages: Messages = [...first, { role: 'tool', tool_call_id, content: 'x' }]
      expect(await failure(openai.chat.completions.create({ model, messages }))).toMatchObject({ status: 400 })
    }
  })
})

test('an approval holds the connection until it is decided', async () => {
  const asking = openai.chat.completions.create({
    model: world.address,
    messages: [{ role: 'user', content: '/call refund {}\n/say Refunded' }],
  })
  await eventually('the approval', () =>
    world.decide('approve').then(
      () => true,
      () => false,
    ),
  )
  expect((await asking).choices[0]?.message.content).toBe('Refunded')
})

test('fifty concurrent conversations are each answered', async () => {
  const texts = Array.from({ length: 50 }, (_, index) => `answer ${index}`)
  const answers = await Promise.all(texts.map((text) => complete(`/say ${text}`)))
  expect(answers.map(({ choices }) => choices[0]?.message.content)).toEqual(texts)
})

test('a client that disconnects cancels nothing', async () => {
  const leaving = new AbortController()
  const { data: stream, response } = await openai.chat.completions
    .create(
      { model: assistant, stream: true, messages: [{ role: 'user', content: '/say a\n/sleep 300\n/say b' }] },
      { signal: leaving.signal },
    )
    .withResponse()
  for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break
  leaving.abort()
  const runId = response.headers.get('x-troupe-run') as string
  expect(await world.ended(runId)).toMatchObject({ state: 'completed' })
})
