import { expect, test } from 'bun:test'
import { ToolError } from '../../../src/runs/runner/tools/executor.ts'
import { expectWellFormed, toolResults } from './support/conversations.ts'
import { usage } from './support/model.ts'
import { call, createWorld, operation } from './support/world.ts'

test('an attempt boots, makes one model step, streams it, checkpoints and completes', async () => {
  const { server, run, model } = createWorld({ turns: [{ text: 'Hello there', reasoning: 'Hm.' }] })
  expect(await run()).toBe('completed')

  expect(server.names).toEqual(['boot', 'startStep', 'deltas', 'endStep', 'checkpoint', 'complete'])
  expect(server.steps).toHaveLength(1)
  expect(server.steps[0]).toMatchObject({
    kind: 'model',
    name: 'sandbox',
    status: 'completed',
    execution: { provider: 'sandbox', model: 'sandbox' },
    update: {
      output: { text: 'Hello there', toolCalls: [] },
      tokenUsage: usage,
      execution: { finishReason: 'stop' },
    },
  })
  expect(server.deltas.map(({ data }) => data)).toEqual([
    { kind: 'reasoning', text: 'Hm.' },
    { kind: 'text', text: 'Hello there' },
  ])
  expect(server.checkpoints).toEqual([
    {
      kind: 'final',
      agentStepId: 1,
      attempt: 1,
      runtimeCheckpoint: {
        version: 1,
        messages: [
          { role: 'user', content: 'Hello' },
          { role: 'assistant', content: 'Hello there' },
        ],
        stepCount: 1,
        pendingToolCalls: [],
        chain: 1,
      },
    },
  ])
  expect(server.completions).toEqual([{ outcome: 'completed', stopReason: 'end_turn', output: 'Hello there' }])
  expect(model.requests[0]).toMatchObject({ system: 'Be brief.', attempt: 1, tools: [] })
})

test('tool calls are executed one by one, each with a checkpoint, and the model continues with their results', async () => {
  const { server, run, executed } = createWorld({
    content: { tools: [{ kind: 'builtin', name: 'calculator' }, operation('post')] },
    executors: { post: { idempotent: false } },
    turns: [
      { text: 'Let me see.', calls: [call('a', 'calculator', { expression: '6*7' }), call('b', 'post', { n: 1 })] },
      { text: 'It is 42.' },
    ],
  })
  expect(await run()).toBe('completed')

  expect(server.steps.map(({ kind, name, status }) => [kind, name, status])).toEqual([
    ['model', 'sandbox', 'completed'],
    ['tool', 'calculator', 'completed'],
    ['tool', 'post', 'completed'],
    ['model', 'sandbox', 'completed'],
  ])
  expect(server.steps[1]).toMatchObject({
    input: { expression: '6*7' },
    execution: { toolCallId: 'a' },
    update: { output: { result: 42 } },
  })
  expect(server.steps[0]?.update?.output).toEqual({
    text: 'Let me see.',
    toolCalls: [call('a', 'calculator', { expression: '6*7' }), call('b', 'post', { n: 1 })],
  })
  expect(
    server.checkpoints.map(({ kind, runtimeCheckpoint }) => [kind, runtimeCheckpoint.pendingToolCalls.length]),
  ).toEqual([
    ['step', 2],
    ['step', 1],
    ['step', 0],
    ['final', 0],
  ])
  expectWellFormed(server.messages)
  expect(toolResults(server.messages)).toEqual({ a: { result: 42 }, b: { did: 'post', input: { n: 1 } } })
  expect(executed).toEqual({ post: ['b'] })
  expect(server.completions).toEqual([{ outcome: 'completed', stopReason: 'end_turn', output: 'It is 42.' }])
})

test('a tool does not start before the checkpoint with its call is stored', async () => {
  const world = createWorld({
    content: { tools: [operation('post')] },
    executors: {
      post: {
        execute() {
          seen.push(...world.server.names)
          return null
        },
      },
    },
    turns: [{ calls: [call('a', 'post')] }, { text: 'Done.' }],
  })
  const seen: string[] = []
  await world.run()
  expect(seen.filter((name) => name !== 'deltas')).toEqual(['boot', 'startStep', 'endStep', 'checkpoint', 'startStep'])
})

test("the agent's tools and delegates are offered, except those without an implementation", async () => {
  const { model, run, logged } = createWorld({
    content: {
      tools: [
        { kind: 'builtin', name: 'echo' },
        operation('known'),
        operation('unknown'),
        { kind: 'interactive', name: 'ask', description: 'Asks.', inputSchema: { type: 'object', required: ['q'] } },
      ],
      delegates: [
        { name: 'expert', description: 'Knows.', external: true },
        { name: 'inner', description: 'In.', agentId: 'agt_2' },
      ],
    },
    executors: { known: { description: 'Known.', inputSchema: { type: 'object', title: 'known' } }, inner: {} },
    turns: [{ text: 'Hi' }],
  })
  await run()
  expect(model.requests[0]!.tools.map(({ name }) => name)).toEqual(['echo', 'known', 'ask', 'expert', 'inner'])
  expect(model.requests[0]!.tools[1]).toEqual({
    name: 'known',
    description: 'Known.',
    inputSchema: { type: 'object', title: 'known' },
  })
  expect(model.requests[0]!.tools[2]!.inputSchema).toEqual({ type: 'object', required: ['q'] })
  expect(model.requests[0]!.tools[4]!.description).toBe('In.')
  expect(logged).toMatchObject([{ level: 'warn', fields: { tools: ['unknown'] } }])
})

test('an internal delegate is a step of kind delegate', async () => {
  const { server, run } = createWorld({
    content: { delegates: [{ name: 'inner', description: 'In.', agentId: 'agt_2' }] },
    executors: { inner: { execute: () => 'From inside.' } },
    turns: [{ calls: [call('a', 'inner', { query: 'x' })] }, { text: 'Done.' }],
  })
  await run()
  expect(server.stepsOf('delegate')).toMatchObject([
    { name: 'inner', status: 'completed', update: { output: 'From inside.' } },
  ])
  expect(toolResults(server.messages)).toEqual({ a: 'From inside.' })
})

const refused: [why: string, toolCall: ReturnType<typeof call>, expected: RegExp][] = [
  ['an unknown tool', call('a', 'nothing'), /^Unknown tool: nothing\.$/],
  ['an input that does not match', call('a', 'calculator', { expression: 5 }), /^The input is not valid: .*string/],
  ['an incomplete input', call('a', 'calculator', {}), /required property 'expression'/],
  ['an input that is not an object', call('a', 'echo', 'text'), /must be an object/],
  ['an input that is null', call('a', 'echo', null), /must be an object/],
  ['a tool that refuses', call('a', 'calculator', { expression: '1/0' }), /^Division by zero\.$/],
  ['a tool that throws an error for the model', call('a', 'throws', { how: 'told' }), /^Not today\.$/],
  ['a tool that breaks', call('a', 'throws', { how: 'broken' }), /^The tool failed unexpectedly\.$/],
  ['a tool whose result is not JSON', call('a', 'throws', { how: 'cyclic' }), /^The tool failed unexpectedly\.$/],
  ['an interactive tool with an invalid input', call('a', 'ask', { q: 1 }), /^The input is not valid: .*string/],
]
test.each(refused)('%s is reported to the model, and its step fails with tool_error', async (_, toolCall, expected) => {
  const { server, run } = createWorld({
    content: {
      tools: [
        { kind: 'builtin', name: 'calculator' },
        { kind: 'builtin', name: 'echo' },
        operation('throws'),
        {
          kind: 'interactive',
          name: 'ask',
          description: 'Asks.',
          inputSchema: { type: 'object', properties: { q: { type: 'string' } } },
        },
      ],
    },
    executors: {
      throws: {
        async execute({ how }) {
          if (how === 'told') throw new ToolError('Not today.')
          if (how === 'broken') throw new Error('secret=hunter2')
          const cyclic: Record<string, unknown> = {}
          cyclic.self = cyclic
          return cyclic
        },
      },
    },
    turns: [{ calls: [toolCall] }, { text: 'I see.' }],
  })
  expect(await run()).toBe('completed')
  const [step] = server.stepsOf('tool')
  expect(step?.status).toBe('failed')
  expect(step?.update?.error?.code).toBe('tool_error')
  expect(step?.update?.error?.message).toMatch(expected)
  expect(String(toolResults(server.messages).a)).toMatch(expected)
  expectWellFormed(server.messages)
})

test('calls with used ids get new ids', async () => {
  const { server, run } = createWorld({
    content: { tools: [{ kind: 'builtin', name: 'echo' }] },
    turns: [
      { calls: [call('call_0', 'echo', { n: 1 }), call('call_0', 'echo', { n: 2 })] },
      { calls: [call('call_0', 'echo', { n: 3 }), call('', 'echo', { n: 4 })] },
      { text: 'Done.' },
    ],
  })
  expect(await run()).toBe('completed')
  expectWellFormed(server.messages)
  expect(Object.values(toolResults(server.messages))).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }])
  const ids = server.stepsOf('tool').map(({ execution }) => execution?.toolCallId)
  expect(new Set(ids).size).toBe(4)
})

test("names and ids invented by a model are truncated to the server's limits", async () => {
  const long = 'x'.repeat(5_000)
  const { server, run } = createWorld({ turns: [{ calls: [call(long, long), call(long, '')] }, { text: 'Done.' }] })
  expect(await run()).toBe('completed')
  expectWellFormed(server.messages)
  for (const { name, execution, update } of server.stepsOf('tool')) {
    expect(name.length).toBeGreaterThan(0)
    expect(name.length).toBeLessThanOrEqual(200)
    expect(execution!.toolCallId!.length).toBeLessThanOrEqual(200)
    expect(update!.error!.message.length).toBeLessThanOrEqual(2_000)
  }
})

test('contents become parts of the user message', async () => {
  const { server, run } = createWorld({
    turns: [{ text: 'Nice.' }],
    input: {
      query: 'Look',
      contents: [
        { type: 'text', text: 'A note' },
        { type: 'image', mediaType: 'image/png', data: 'aWNvbg==' },
        { type: 'file', mediaType: 'application/pdf', filename: 'a.pdf', data: 'cGRm' },
        { type: 'file', mediaType: 'text/plain', filename: 'b.txt', data: 'cGxhaW4=' },
      ],
    },
  })
  await run()
  expect(server.messages[0]).toEqual({
    role: 'user',
    content: [
      { type: 'text', text: 'Look' },
      { type: 'text', text: 'A note' },
      { type: 'image', mediaType: 'image/png', image: 'aWNvbg==' },
      { type: 'file', mediaType: 'application/pdf', filename: 'a.pdf', data: 'cGRm' },
      { type: 'text', text: 'b.txt:\nplain' },
    ],
  })
})

test('a refused report fails the attempt, which is retried', async () => {
  const { server, run } = createWorld({ turns: [{ text: 'Hi' }] })
  server.onReport = (_, { name, detail }) => {
    if (name === 'startStep') throw new Error(`no ${JSON.stringify(detail)}`)
  }
  expect(await run()).toBe('failed')
  expect(server.completions).toMatchObject([{ outcome: 'failed', error: { code: 'internal_error', retryable: true } }])
})

test('a final report that fails at first is repeated', async () => {
  const { server, run, clock } = createWorld({ turns: [{ text: 'Hi' }] })
  let refusals = 2
  server.onReport = (_, { name }) => {
    if (name === 'complete' && refusals-- > 0) throw new Error('The store is away.')
  }
  const ended = run()
  await clock.advance(1_000)
  expect(await ended).toBe('completed')
  expect(server.completions).toHaveLength(1)
})

test('a tool whose call was not stored does not start', async () => {
  const { server, run, executed } = createWorld({
    content: { tools: [operation('post')] },
    executors: { post: {} },
    turns: [{ calls: [call('a', 'post')] }, { text: 'Done.' }],
  })
  server.onReport = (_, { name }) => {
    if (name === 'checkpoint') throw new Error('The store is full.')
  }
  expect(await run()).toBe('failed')
  expect(executed).toEqual({})
  expect(server.completions).toMatchObject([{ error: { code: 'internal_error', retryable: true } }])
})
