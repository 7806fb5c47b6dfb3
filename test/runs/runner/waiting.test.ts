import { expect, test } from 'bun:test'
import { expectWellFormed, toolResults } from './support/conversations.ts'
import { call, createWorld, external, interactive, operation } from './support/world.ts'

const empty = { query: null, contents: [] }

test('an interactive call suspends the run, and its result goes to the model', async () => {
  const { server, run, model } = createWorld({
    content: { tools: [interactive('ask')] },
    turns: [{ text: 'One question.', calls: [call('a', 'ask', { q: 'Name?' })] }, { text: 'Thanks.' }],
  })
  expect(await run()).toBe('awaitingToolResult')
  expect(server.completions).toEqual([
    {
      outcome: 'awaitingToolResult',
      awaiting: [{ kind: 'tool', toolName: 'ask', toolCallId: 'a', input: { q: 'Name?' } }],
    },
  ])
  expect(server.stepsOf('tool')).toMatchObject([{ name: 'ask', status: 'waiting', execution: { toolCallId: 'a' } }])
  expect(server.checkpoints.at(-1)).toMatchObject({
    kind: 'suspended',
    runtimeCheckpoint: { pendingToolCalls: [call('a', 'ask', { q: 'Name?' })] },
  })

  server.continue(empty, { a: 'Ada' })
  expect(await run()).toBe('completed')
  expect(server.completions.at(-1)).toEqual({ outcome: 'completed', stopReason: 'end_turn', output: 'Thanks.' })
  expect(toolResults(server.messages)).toEqual({ a: 'Ada' })
  expectWellFormed(server.messages)
  expect(model.requests[1]!.messages.at(-1)).toMatchObject({ role: 'tool' })
})

test('all interactive calls are awaited at once, after the other calls of the step were made', async () => {
  const { server, run, executed } = createWorld({
    content: { tools: [interactive('ask'), operation('post')] },
    executors: { post: {} },
    turns: [{ calls: [call('a', 'ask', { n: 1 }), call('b', 'post'), call('c', 'ask', { n: 2 })] }, { text: 'Done.' }],
  })
  expect(await run()).toBe('awaitingToolResult')
  expect(executed).toEqual({ post: ['b'] })
  expect(server.completions[0]).toMatchObject({ awaiting: [{ toolCallId: 'a' }, { toolCallId: 'c' }] })
  expectWellFormed(server.messages, ['a', 'c'])

  server.continue(empty, { a: 1, c: 2 })
  await run()
  expect(toolResults(server.messages)).toEqual({ a: 1, b: { did: 'post', input: {} }, c: 2 })
  expect(executed).toEqual({ post: ['b'] })
})

test('an external delegate suspends the run in a step of its own kind', async () => {
  const { server, run } = createWorld({
    content: { delegates: [external('expert')] },
    turns: [{ calls: [call('d', 'expert', { query: 'Why?' })] }, { text: 'So.' }],
  })
  expect(await run()).toBe('awaitingDelegateResult')
  expect(server.stepsOf('delegate')).toMatchObject([{ name: 'expert', status: 'waiting' }])
  expect(server.completions[0]).toMatchObject({ awaiting: [{ kind: 'delegate', toolCallId: 'd' }] })

  // A delegate's result comes within the same chain.
  server.results.set('d', { why: 'because' })
  expect(await run()).toBe('completed')
  expect(toolResults(server.messages)).toEqual({ d: { why: 'because' } })
})

test('an external delegate whose query is missing is told to the model', async () => {
  const { server, run } = createWorld({
    content: { delegates: [external('expert')] },
    turns: [{ calls: [call('d', 'expert', {})] }, { text: 'So.' }],
  })
  expect(await run()).toBe('completed')
  expect(toolResults(server.messages).d).toMatch(/query/)
})

test('with both kinds pending, tools are awaited first and delegates by the next attempt', async () => {
  const { server, run } = createWorld({
    content: { tools: [interactive('ask')], delegates: [external('expert')] },
    turns: [{ calls: [call('d', 'expert', { query: 'Why?' }), call('a', 'ask')] }, { text: 'Done.' }],
  })
  expect(await run()).toBe('awaitingToolResult')
  expect(server.completions[0]).toMatchObject({ awaiting: [{ toolCallId: 'a' }] })
  expect(server.stepsOf('delegate')).toEqual([])

  server.continue(empty, { a: 'yes' })
  expect(await run()).toBe('awaitingDelegateResult')
  expect(server.completions[1]).toMatchObject({ awaiting: [{ toolCallId: 'd' }] })
  expect(server.stepsOf('delegate')).toMatchObject([{ status: 'waiting' }])

  server.results.set('d', 'because')
  expect(await run()).toBe('completed')
  expectWellFormed(server.messages)
  expect(toolResults(server.messages)).toEqual({ a: 'yes', d: 'because' })
})

test('a new input closes what was waited for, and is applied after it', async () => {
  const { server, run } = createWorld({
    content: { tools: [interactive('ask')], delegates: [external('expert')] },
    turns: [{ calls: [call('a', 'ask'), call('d', 'expert', { query: 'Why?' })] }, { text: 'Never mind.' }],
  })
  await run()
  server.continue({ query: 'Forget it', contents: [] })
  // The new chain starts with the first turn again; its calls have ids of their own.
  expect(await run()).toBe('awaitingToolResult')
  const { messages, chain, stepCount } = server.checkpoints.at(-1)!.runtimeCheckpoint
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user', 'assistant'])
  expect(messages[4]).toEqual({ role: 'user', content: 'Forget it' })
  expect(toolResults(messages)).toMatchObject({
    a: { superseded: expect.any(String) },
    d: { superseded: expect.any(String) },
  })
  expect([chain, stepCount]).toEqual([2, 1])
})

test('a continue without input and without a result waits again', async () => {
  const { server, run } = createWorld({
    content: { tools: [interactive('ask')] },
    turns: [{ calls: [call('a', 'ask')] }],
  })
  await run()
  server.continue(empty)
  expect(await run()).toBe('awaitingToolResult')
  expect(server.stepsOf('model')).toHaveLength(1)
  expect(server.completions[1]).toEqual(server.completions[0]!)
})

test('a new chain counts its model steps anew', async () => {
  const { server, run } = createWorld({ content: { maxSteps: 1 }, turns: [{ text: 'One.' }] })
  await run()
  server.continue({ query: 'Again', contents: [] })
  expect(await run()).toBe('completed')
  expect(server.completions.at(-1)).toEqual({ outcome: 'completed', stopReason: 'end_turn', output: 'One.' })
  expect(server.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
})
